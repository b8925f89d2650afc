//! Automata as pictures, in the language of Graphviz.

use crate::automaton::Automaton;
use crate::formula::AtomId;
use crate::guard::Notation;
use crate::parser::Atoms;

impl Automaton {
    /// Accepting states have a double circle; in other automata edges show their marks.
    pub fn to_dot(&self, atoms: &Atoms, title: &str) -> String {
        let classes = self.classes();
        let is_state_based = self.is_state_based();
        let atom = |atom: u32| {
            let name = atoms.name(AtomId(atom));
            let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if is_word { name.to_string() } else { format!("({name})") }
        };
        let notation = Notation { always: "true", and: " && ", or: " || ", atom: &atom };
        let mut out = format!("digraph automaton {{\n  label=\"{}\";\n  rankdir=LR;\n", escaped(title));
        out += "  node [shape=circle];\n  start [shape=point];\n";
        for state in self.state_ids() {
            let shape = if is_state_based && self.is_accepting(state) { ", shape=doublecircle" } else { "" };
            let class = classes.class(state).letter();
            out += &format!("  s{0} [label=\"{0}\\n{class}\"{shape}];\n", state.0);
        }
        out += &format!("  start -> s{};\n", self.initial().0);
        for state in self.state_ids() {
            for group in self.groups(state) {
                let marks: Vec<String> = group.marks.iter().map(|mark| mark.to_string()).collect();
                let marks = match marks.is_empty() || is_state_based {
                    true => String::new(),
                    false => format!("\\n{{{}}}", marks.join(",")),
                };
                let label = escaped(&notation.write(&group.cubes));
                out += &format!("  s{} -> s{} [label=\"{label}{marks}\"];\n", state.0, group.target.0);
            }
        }
        out + "}\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
