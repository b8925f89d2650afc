//! Writing HOA.

use crate::automaton::Automaton;
use crate::guard::Notation;
use crate::parser::Atoms;

impl Automaton {
    /// The automaton as text; `title` becomes its name.
    pub fn to_hoa(&self, atoms: &Atoms, title: &str) -> String {
        let is_state_based = self.is_state_based();
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let names: Vec<String> =
            atoms.names().iter().take(self.atoms() as usize).map(|name| quoted(name)).collect();
        let mut out = format!("HOA: v1\nname: {}\n", quoted(title));
        out += &format!("States: {}\nStart: {}\n", self.states(), self.initial().0);
        out += &format!("AP: {}", names.len());
        names.iter().for_each(|name| out += &format!(" {name}"));
        let sets: Vec<String> = (0..self.marks()).map(|mark| format!("Inf({mark})")).collect();
        let (name, condition) = match self.marks() {
            0 => ("all".to_string(), "t".to_string()),
            1 => ("Buchi".to_string(), sets.join("&")),
            marks => (format!("generalized-Buchi {marks}"), sets.join("&")),
        };
        out += &format!("\nacc-name: {name}\nAcceptance: {} {condition}\n", self.marks());
        out += "properties: explicit-labels ";
        out += if is_state_based { "state-acc\n" } else { "trans-acc\n" };
        out += "--BODY--\n";
        let atom = |atom: u32| atom.to_string();
        let notation = Notation { always: "t", and: "&", or: " | ", atom: &atom };
        for state in self.state_ids() {
            let accepting = is_state_based && self.is_accepting(state);
            out += &format!("State: {}{}\n", state.0, if accepting { " {0}" } else { "" });
            for group in self.groups(state) {
                let marks: Vec<String> = group.marks.iter().map(|mark| mark.to_string()).collect();
                let marks = match marks.is_empty() || is_state_based {
                    true => String::new(),
                    false => format!(" {{{}}}", marks.join(" ")),
                };
                out += &format!("[{}] {}{marks}\n", notation.write(&group.cubes), group.target.0);
            }
        }
        out + "--END--\n"
    }
}
