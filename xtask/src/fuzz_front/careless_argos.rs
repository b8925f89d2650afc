//! Argos models by somebody who knows the grammar and little else. Most of them mean something, if nothing sensible: there
//! are few names, so that messages meet their receivers.

use super::vocabulary::DECIMALS;
use panoptes_modelgen::Rng;

const CHANNELS: &[&str] = &["a", "b", "c"];
const MESSAGES: &[&str] = &["m", "n", "k"];
const VARIABLES: &[&str] = &["x", "y"];

pub fn model(rng: &mut Rng) -> String {
    let mut w = Writer {
        rng,
        text: String::new(),
        reads: Vec::new(),
        is_assertion: false,
        depth: 0,
        loops: 0,
        has_label: false,
        has_procedure: false,
    };
    w.has_procedure = w.rng.chance(30);
    for name in CHANNELS {
        let size = if w.rng.chance(95) { *w.rng.pick(&["1", "1", "2"]) } else { *w.rng.pick(DECIMALS) };
        let contents = *w.rng.pick(&["", "", "", " = { m }", " = { m(3) }", " = { n }"]);
        w.put(&format!("channel {name}[{size}]{contents};\n"));
    }
    // Each channel has its reader, mostly.
    let orders: &[[&str; 3]] = &[["p", "q", "r"], ["p", "p", "q"], ["q", "p", "q"]];
    let readers = *w.rng.pick(orders);
    for process in ["p", "q", "r"] {
        let all = CHANNELS.iter().zip(readers);
        w.reads = all.filter(|(_, reader)| *reader == process).map(|(channel, _)| *channel).collect();
        w.put(&format!("proc {process} {{ var x, y = 1; "));
        w.body(4);
    }
    if std::mem::take(&mut w.has_procedure) {
        w.reads.clear();
        w.put("proc f() { ");
        w.body(2);
    }
    w.is_assertion = true;
    for name in ["", "one", "two"] {
        if w.rng.chance(35) {
            w.put(&format!("assert {name} {{ "));
            w.body(3);
        }
    }
    w.text
}

struct Writer<'a> {
    rng: &'a mut Rng,
    text: String,
    /// The channels that this process may read.
    reads: Vec<&'static str>,
    is_assertion: bool,
    depth: usize,
    /// How many loops are around.
    loops: usize,
    /// The body begins with the label `L`.
    has_label: bool,
    /// There is a procedure `f`.
    has_procedure: bool,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.text += text;
    }

    fn one(&mut self, choices: &[&str]) {
        let chosen = self.rng.pick(choices);
        self.text += chosen;
    }

    fn body(&mut self, most: usize) {
        self.has_label = self.rng.chance(30);
        if self.has_label {
            self.put("L: ");
        }
        self.sequence(most);
        self.put("}\n");
    }

    fn sequence(&mut self, most: usize) {
        for _ in 0..=self.rng.below(most) {
            self.statement();
            self.one(&["; ", "; ", " -> ", " → "]);
        }
        self.statement();
        self.put(" ");
    }

    fn statement(&mut self) {
        self.depth += 1;
        let kinds = if self.depth > 5 { [30, 30, 6, 0, 0, 2, 1, 1] } else { [30, 30, 10, 12, 12, 3, 2, 2] };
        match self.rng.weighted(&kinds) {
            0 => self.send(),
            1 => self.receive(),
            2 if !self.is_assertion => self.local(),
            2 => self.put("skip"),
            3 => self.choice("do", "od"),
            4 => self.choice("if", "fi"),
            5 => self.put("skip"),
            6 if self.has_label || self.rng.chance(2) => self.put("goto L"),
            7 if self.has_procedure || self.rng.chance(2) => self.put("f()"),
            _ if self.loops > 0 => self.put("break"),
            _ => self.send(),
        }
        self.depth -= 1;
    }

    fn send(&mut self) {
        self.one(CHANNELS);
        self.put("!");
        self.one(MESSAGES);
        if !self.is_assertion && self.rng.chance(30) {
            self.put("(");
            self.expression();
            self.put(")");
        }
    }

    fn receive(&mut self) {
        let anywhere = self.is_assertion || self.rng.chance(1);
        if !anywhere && self.reads.is_empty() {
            return self.send();
        }
        let from = if anywhere { CHANNELS.to_vec() } else { self.reads.clone() };
        self.one(&from);
        self.put("?");
        if self.is_assertion || self.rng.chance(70) {
            self.one(MESSAGES);
            if !self.is_assertion && self.rng.chance(30) {
                self.put("(");
                self.one(VARIABLES);
                self.put(")");
            }
        } else {
            self.one(&["default", "timeout"]);
        }
    }

    fn local(&mut self) {
        if self.rng.chance(50) {
            self.one(VARIABLES);
            self.put(" = ");
        }
        self.expression();
    }

    fn choice(&mut self, open: &str, close: &str) {
        self.put(open);
        self.loops += usize::from(open == "do");
        for _ in 0..=self.rng.below(3) {
            self.put(" :: ");
            self.sequence(2);
            if open == "do" && self.rng.chance(30) {
                self.put("; break ");
            }
        }
        self.loops -= usize::from(open == "do");
        self.put(close);
    }

    fn expression(&mut self) {
        match self.rng.below(6) {
            0 | 1 => self.one(VARIABLES),
            2 => self.one(&["0", "1", "2", "-1"]),
            3 if self.rng.chance(10) => self.one(DECIMALS),
            _ => {
                self.put("(");
                self.one(VARIABLES);
                self.one(&[" + ", " - ", " == ", " ≠ ", " % ", " < ", " && ", " / "]);
                self.one(&["x", "1", "2", "3"]);
                self.put(")");
            }
        }
    }
}
