//! Models by somebody who knows the grammar and nothing else: names are mixed up, types ignored, labels forgotten. They
//! parse, and so lead straight to where names and types are looked at.

use super::vocabulary::DECIMALS;
use panoptes_modelgen::Rng;

const NAMES: &[&str] =
    &["a", "b", "c", "q", "r", "t", "u", "m", "P", "Q", "T", "M", "N", "x", "y", "_", "_pid"];
const FIELDS: &[&str] = &["x", "y", "b", "n", "q"];
const LABELS: &[&str] = &["L", "K", "end", "end1", "progress", "accept", "a"];
const TYPES: &[&str] =
    &["bit", "bool", "byte", "pid", "short", "int", "mtype", "mtype:s", "chan", "unsigned", "T", "U", "V"];

pub fn model(rng: &mut Rng) -> String {
    let mut w = Writer { rng, text: String::new(), depth: 0 };
    w.text += "mtype = { M, N };\ntypedef T { int x; byte b[2] };\ntypedef U { T t; chan q };\n";
    w.text += "typedef V { U u[2]; bit n };\n";
    w.text += "proctype Z(int x) { T s; L: s.x = x; end: goto L }\n";
    for _ in 0..w.rng.below(3) {
        w.item();
    }
    w.text +=
        "int a, b[3]; byte c; chan q = [2] of { byte, int }; chan r[2] = [0] of { mtype }; T t, u[2];\n";
    for _ in 0..w.rng.below(4) {
        w.item();
    }
    w.text += "active proctype P(int x; byte y) {\n";
    w.sequence(6);
    w.text += "}\n";
    for _ in 0..w.rng.below(3) {
        w.item();
    }
    std::mem::take(&mut w.text)
}

struct Writer<'a> {
    rng: &'a mut Rng,
    text: String,
    depth: usize,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.text += text;
    }

    fn one(&mut self, choices: &[&str]) {
        let chosen = self.rng.pick(choices);
        self.text += chosen;
    }

    fn item(&mut self) {
        match self.rng.below(12) {
            0..=3 => {
                self.declaration();
                self.put(";\n");
            }
            4 => {
                self.one(&["mtype = { M", "mtype = { K, J", "mtype:s = { S1, S2"]);
                self.put(" }\n");
            }
            5 => {
                let name = *self.rng.pick(&["W", "V", "T", "a"]);
                self.put(&format!("typedef {name} {{ "));
                for _ in 0..=self.rng.below(3) {
                    self.field_declaration();
                    self.put("; ");
                }
                self.put("}\n");
            }
            6 => self.body_of("init "),
            7 => self.body_of("never "),
            8 => self.body_of("trace "),
            9 => {
                self.one(&["ltl ", "ltl p "]);
                self.put("{ []");
                self.expression();
                self.one(&[" U ", " && <>", " -> "]);
                self.expression();
                self.put(" }\n");
            }
            _ => {
                self.one(&["active ", "active [2] ", "", "active [300] "]);
                self.one(&["proctype Q", "D_proctype Q", "proctype R", "proctype P"]);
                self.one(&["()", "(int x)", "(chan q; byte y)", "(T t)", "(int a, b)"]);
                self.one(&["", "", " priority 2", " provided (a > x)", " priority 300"]);
                self.body_of(" ");
            }
        }
    }

    fn body_of(&mut self, head: &str) {
        self.put(head);
        self.put("{\n");
        self.sequence(4);
        self.put("}\n");
    }

    fn field_declaration(&mut self) {
        self.one(TYPES);
        self.put(" ");
        self.one(FIELDS);
        if self.rng.chance(30) {
            self.array();
        }
        self.one(&["", "", "", " = 1", " = [1] of { byte }", " : 3"]);
    }

    fn array(&mut self) {
        self.put("[");
        let usual = self.rng.chance(80);
        self.one(if usual { &["1", "2", "3", "N", "a"] } else { DECIMALS });
        self.put("]");
    }

    fn declaration(&mut self) {
        self.one(&["", "", "", "hidden ", "show ", "local "]);
        self.one(TYPES);
        self.put(" ");
        for more in [true, self.rng.chance(20)] {
            if !more {
                break;
            }
            if self.text.ends_with(char::is_alphanumeric) {
                self.put(", ");
            }
            self.one(NAMES);
            match self.rng.below(8) {
                0 => {
                    self.put(" : ");
                    self.one(&["1", "3", "32", "33", "N"]);
                }
                1 | 2 => self.array(),
                _ => {}
            }
            match self.rng.below(8) {
                0 => self.channel(),
                1 => self.put(" = { 1, 2, 3 }"),
                2 | 3 => {
                    self.put(" = ");
                    self.expression();
                }
                _ => {}
            }
        }
    }

    fn channel(&mut self) {
        self.put(" = [");
        let usual = self.rng.chance(70);
        self.one(if usual { &["0", "1", "2", "3"] } else { DECIMALS });
        self.put("] of { ");
        self.one(TYPES);
        if self.rng.chance(50) {
            self.put(", ");
            self.one(TYPES);
        }
        self.put(" }");
    }

    fn sequence(&mut self, most: usize) {
        for _ in 0..=self.rng.below(most) {
            self.statement();
            self.one(&[";\n", ";\n", ";\n", " ->\n"]);
        }
        self.statement();
        self.put("\n");
    }

    fn options(&mut self) {
        for _ in 0..=self.rng.below(3) {
            self.put(":: ");
            if self.rng.chance(25) {
                self.put("else -> ");
            }
            self.sequence(2);
        }
    }

    fn block(&mut self, head: &str) {
        self.put(head);
        self.put("{ ");
        self.sequence(3);
        self.put("}");
    }

    fn statement(&mut self) {
        self.depth += 1;
        let simple = self.depth > 5;
        let kind = self.rng.below(if simple { 12 } else { 21 });
        if kind != 10 && kind != 20 && self.rng.chance(8) {
            self.one(LABELS);
            self.put(": ");
        }
        match kind {
            0 | 1 => {
                self.reference();
                self.put(" = ");
                self.expression();
            }
            2 => {
                self.reference();
                self.one(&["++", "--"]);
            }
            3 => self.expression(),
            4 => {
                self.reference();
                self.one(&["!", "!!", "!"]);
                self.arguments();
            }
            5 => {
                self.reference();
                self.one(&["?", "??"]);
                self.receive();
            }
            6 => {
                self.put("goto ");
                self.one(LABELS);
            }
            7 => self.one(&["break", "skip", "else", "timeout"]),
            8 => {
                self.one(&["assert(", "printf(\"%d\", ", "printm("]);
                self.expression();
                self.put(")");
            }
            9 => {
                self.put("run ");
                self.one(NAMES);
                self.put("(");
                self.arguments();
                self.put(")");
                self.one(&["", "", " priority 3"]);
            }
            10 => self.declaration(),
            11 => {
                self.one(&["xr ", "xs ", "set_priority(_pid, 3); xr "]);
                self.reference();
            }
            12 | 13 => {
                let (open, close) = *self.rng.pick(&[("if\n", "fi"), ("do\n", "od")]);
                self.put(open);
                self.options();
                self.put(close);
            }
            14 => self.block("atomic "),
            15 => self.block("d_step "),
            16 => self.block(""),
            17 => {
                self.block("");
                self.block(" unless ");
            }
            18 => {
                self.put("for (");
                self.reference();
                if self.rng.chance(50) {
                    self.put(" : 1 .. ");
                    self.expression();
                } else {
                    self.put(" in ");
                    self.reference();
                }
                self.block(") ");
            }
            19 => {
                self.put("select (");
                self.reference();
                self.put(" : 0 .. ");
                self.expression();
                self.put(")");
            }
            _ => self.statement(),
        }
        self.depth -= 1;
    }

    fn arguments(&mut self) {
        self.expression();
        while self.rng.chance(40) {
            self.put(", ");
            self.expression();
        }
    }

    fn receive(&mut self) {
        let (open, close) = *self.rng.pick(&[("", ""), ("", ""), ("<", ">"), ("[", "]")]);
        self.put(open);
        self.one(NAMES);
        while self.rng.chance(50) {
            self.put(", ");
            match self.rng.below(4) {
                0 => self.one(DECIMALS),
                1 => {
                    self.put("eval(");
                    self.expression();
                    self.put(")");
                }
                _ => self.reference(),
            }
        }
        self.put(close);
    }

    fn reference(&mut self) {
        self.one(NAMES);
        if self.rng.chance(25) {
            self.put("[");
            self.expression();
            self.put("]");
        }
        if self.rng.chance(20) {
            self.put(".");
            self.one(FIELDS);
            if self.rng.chance(30) {
                self.put("[1]");
            }
        }
    }

    fn expression(&mut self) {
        self.depth += 1;
        let simple = self.depth > 6;
        match self.rng.below(if simple { 5 } else { 13 }) {
            0 | 1 => self.reference(),
            2 => self.one(DECIMALS),
            3 => self.one(&["1", "0", "true", "M", "_nr_pr", "_last", "_priority", "timeout", "np_"]),
            4 => {
                self.one(&["Z", "Z[1]", "Z[a]", "Z[_pid]"]);
                self.one(&["@L", "@end", ":x", ":s.x", ":s.b[1]", ":s"]);
            }
            5 => {
                self.one(&["len(", "empty(", "nfull(", "full(", "nempty("]);
                self.reference();
                self.put(")");
            }
            6 => {
                self.one(&["enabled(", "pc_value(", "get_priority("]);
                self.expression();
                self.put(")");
            }
            7 => {
                self.reference();
                self.one(&["?[", "??["]);
                self.one(NAMES);
                self.put("]");
            }
            8 => {
                self.put("(");
                self.expression();
                self.put(" -> ");
                self.expression();
                self.put(" : ");
                self.expression();
                self.put(")");
            }
            9 => {
                self.one(&["!", "-", "~"]);
                self.expression();
            }
            10 => self.one(&["run P(1)", "run Q()", "run P(1, 2)"]),
            _ => {
                self.put("(");
                self.expression();
                self.one(&[" + ", " - ", " * ", " / ", " % ", " << ", " == ", " && ", " || ", " < ", " & "]);
                self.expression();
                self.put(")");
            }
        }
        self.depth -= 1;
    }
}
