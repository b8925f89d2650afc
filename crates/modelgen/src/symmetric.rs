//! Models with processes that are alike: they have numbers of their own, by which they subscript arrays, name each other in messages
//! and in variables; some do what tells them apart. As text.

use crate::rng::Rng;
use std::fmt::Write;

/// A model of Promela with two to four processes of one type. Same seed, same text.
pub fn generate_symmetric(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x5e77);
    let count = 2 + rng.weighted(&[3, 4, 1]);
    let start =
        *rng.pick(&[Start::Active, Start::ActiveBehind, Start::Given, Start::GivenByLoop, Start::OneByOne]);
    let me = match start {
        Start::Active => "_pid",
        Start::ActiveBehind => "(_pid - 1)",
        _ => "id",
    };
    let has_server = start == Start::ActiveBehind || rng.chance(50);
    let mut writer = Writer {
        rng,
        me,
        depth: 0,
        left: 14,
        parity: seed.is_multiple_of(11),
        leader: seed.is_multiple_of(7),
    };
    writer.model(count, start, has_server)
}

/// How the processes come to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// From the start, numbered from zero.
    Active,
    /// The same, behind another process.
    ActiveBehind,
    /// By an atomic sequence that gives each its number.
    Given,
    GivenByLoop,
    /// The same, while the first ones run already.
    OneByOne,
}

struct Writer {
    rng: Rng,
    /// The process's own number.
    me: &'static str,
    depth: usize,
    /// Statements that may still be written.
    left: usize,
    /// Numbers are sometimes computed with.
    parity: bool,
    /// Numbers are sometimes compared with a constant.
    leader: bool,
}

impl Writer {
    fn model(&mut self, count: usize, start: Start, has_server: bool) -> String {
        let mut text = format!("#define N {count}\n#define NONE 255\n");
        let first = *self.rng.pick(&["NONE", "NONE", "0", "1"]);
        let _ = writeln!(text, "byte owner = {first}; byte count; byte row[N]; byte friend[N] = NONE;");
        let _ = writeln!(text, "typedef Row {{ bit to[N] }}; Row grid[N];");
        let (room, slot) = (1 + self.rng.below(2), self.rng.below(2));
        let _ = writeln!(
            text,
            "chan req = [{room}] of {{ byte, byte }}; chan reply[N] = [{slot}] of {{ byte }};"
        );
        let has_own = self.rng.chance(15);
        if has_own {
            let _ = writeln!(text, "chan desk = [2] of {{ chan }};");
        }
        if has_server {
            let _ = write!(
                text,
                "active proctype S() {{ byte w = NONE; byte k;{}\nend: do\n",
                if has_own { " chan c;" } else { "" }
            );
            text += ":: req ? k, w ->";
            text += *self.rng.pick(&[
                " reply[w] ! k",
                " if :: reply[w] ! 1 :: skip fi",
                " owner = w",
                " row[w] = 2",
            ]);
            text += "\n";
            if has_own {
                text += ":: desk ? c -> c ! 1\n";
            }
            if self.rng.chance(40) {
                text += ":: count > 0 -> count--\n";
            }
            text += "od }\n";
        }
        let head = match start {
            Start::Active | Start::ActiveBehind => format!("active [{count}] proctype P()"),
            _ => "proctype P(byte id)".to_string(),
        };
        let _ = writeln!(text, "{head} {{ byte x = NONE; byte d; bit seen[N];");
        if has_own {
            text += "chan mine = [1] of { byte };\n";
        }
        self.body(&mut text, has_own);
        text += "}\n";
        let runs = |by: &str| (0..count).map(|id| format!("run P({id}){by}")).collect::<Vec<_>>().join("");
        match start {
            Start::Active | Start::ActiveBehind => {}
            Start::Given => {
                let _ = writeln!(text, "init {{ atomic {{ {} }} }}", runs("; "));
            }
            Start::GivenByLoop => text += "init { byte i; atomic { for (i : 0 .. N - 1) { run P(i) } } }\n",
            Start::OneByOne => {
                let _ = writeln!(text, "init {{ {} }}", runs("; "));
            }
        }
        text
    }

    fn body(&mut self, text: &mut String, has_own: bool) {
        if has_own {
            text.push_str("desk ! mine; mine ? d;\n");
        }
        let loops = self.rng.chance(60);
        if loops {
            text.push_str(if self.rng.chance(70) { "end: do\n" } else { "do\n" });
            for _ in 0..1 + self.rng.below(3) {
                text.push_str(":: ");
                self.statements(text);
                text.push('\n');
            }
            if self.rng.chance(40) {
                text.push_str(":: break\n");
            }
            text.push_str("od\n");
        } else {
            self.statements(text);
            text.push_str(";\n");
            self.statements(text);
        }
    }

    fn statements(&mut self, text: &mut String) {
        for number in 0..1 + self.rng.below(3) {
            if number > 0 {
                text.push_str("; ");
            }
            self.statement(text);
        }
    }

    fn statement(&mut self, text: &mut String) {
        self.left = self.left.saturating_sub(1);
        let me = self.me;
        if self.depth < 2 && self.left > 0 && self.rng.chance(25) {
            self.depth += 1;
            match self.rng.below(4) {
                0 => {
                    text.push_str("if :: ");
                    self.statements(text);
                    text.push_str(" :: ");
                    self.statements(text);
                    text.push_str(if self.rng.chance(40) { " :: else fi" } else { " fi" });
                }
                1 => {
                    text.push_str("atomic { ");
                    self.statements(text);
                    text.push_str(" }");
                }
                2 => {
                    let _ = write!(text, "d_step {{ count < 3 -> count++; row[{me}] = count; x = {me} }}");
                }
                _ => {
                    text.push_str("if :: owner == ");
                    let _ = write!(text, "{me} -> ");
                    self.statements(text);
                    text.push_str(" :: else -> skip fi");
                }
            }
            self.depth -= 1;
            return;
        }
        let named = |what: &str| what.replace("ME", me);
        let usual = [
            "owner == NONE -> owner = ME",
            "owner == ME -> owner = NONE",
            "owner = ME",
            "row[ME] = (row[ME] + 1) % 3",
            "row[ME] == 1 -> row[ME] = 0",
            "x = owner",
            "x = friend[ME]",
            "friend[ME] = x",
            "friend[ME] = ME",
            "x = NONE",
            "x != NONE -> row[x] = 1",
            "x != NONE -> friend[x] = ME",
            "x != NONE -> grid[ME].to[x] = 1",
            "x != NONE -> grid[x].to[ME] = !grid[x].to[ME]",
            "x != NONE -> seen[x] = 1 - seen[x]",
            "x == ME -> d = 1",
            "x != ME -> d = 0",
            "req ! 1, ME",
            "req ! d, x",
            "req ? d, x",
            "req ? 1, eval(ME)",
            "req ?? d, eval(x)",
            "reply[ME] ? d",
            "x != NONE -> reply[x] ! 1",
            "count < 3 -> count++",
            "count > 0 -> count--",
            "d = 1 - d",
            "d == 1",
            "skip",
            "assert(owner != ME || row[ME] != 2)",
            "assert(count < 3)",
            "assert(x == NONE || friend[x] != ME)",
            "assert(!(d == 1 && owner == ME && row[ME] == 1))",
            "timeout -> d = 0",
            "nempty(req)",
            "(owner == NONE -> d : 1) == 1",
        ];
        let odd = ["row[ME] = ME % 2", "ME > 0 -> d = 1", "d = ME", "x != NONE -> x = (x + 1) % N"];
        let leading = ["ME == 0 -> d = 1", "owner = 0", "ME != 1 -> count = 0", "row[0] = 1"];
        let chosen = if self.parity && self.rng.chance(15) {
            *self.rng.pick(&odd)
        } else if self.leader && self.rng.chance(15) {
            *self.rng.pick(&leading)
        } else {
            *self.rng.pick(&usual)
        };
        text.push_str(&named(chosen));
    }
}
