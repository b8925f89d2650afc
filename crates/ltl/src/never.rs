//! Automata as never claims of SPIN.
//!
//! The first state is where a claim begins. Names say what a state is: `accept_…` is accepting, and `accept_all`, which
//! accepts whatever comes, is where the claim ends.

use crate::automaton::{Automaton, StateId};
use crate::classes::ComponentClass;
use crate::guard::Notation;
use crate::parser::Atoms;

impl Automaton {
    /// The claim, if the automaton is state-based; `title` goes into a comment.
    pub fn to_never(&self, atoms: &Atoms, title: &str) -> Option<String> {
        if !self.is_state_based() {
            return None;
        }
        let classes = self.classes();
        let is_end = |state: StateId| classes.class(state) == ComponentClass::End;
        let name = |state: StateId| match (self.is_accepting(state), state == self.initial()) {
            _ if is_end(state) => "accept_all".to_string(),
            (true, true) => "accept_init".to_string(),
            (false, true) => "T0_init".to_string(),
            (true, false) => format!("accept_S{}", state.0),
            (false, false) => format!("T0_S{}", state.0),
        };
        let atom = |atom: u32| format!("({})", atoms.name(crate::AtomId(atom)));
        let notation = Notation { always: "true", and: " && ", or: ") || (", atom: &atom };
        // A comment must not end before its time.
        let mut out = format!("never {{ /* {} */\n", title.replace("*/", "* /"));
        let others = self.state_ids().filter(|state| *state != self.initial());
        for state in std::iter::once(self.initial()).chain(others).filter(|state| !is_end(*state)) {
            out += &format!("{}:\n", name(state));
            let groups = self.groups(state);
            if groups.is_empty() {
                out += "\tfalse;\n";
                continue;
            }
            out += "\tdo\n";
            for group in groups {
                out += &format!("\t:: ({}) -> goto {}\n", notation.write(&group.cubes), name(group.target));
            }
            out += "\tod;\n";
        }
        if self.state_ids().any(is_end) {
            out += "accept_all:\n\tskip\n";
        }
        out += "}\n";
        Some(out)
    }
}
