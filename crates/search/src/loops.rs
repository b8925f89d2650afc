//! Where a chain of transient configurations could come back to itself.
//!
//! Within a chain a process moves only by steps that keep control, or hands control over as the sender of a rendezvous.
//! The control states and those steps form a graph; a chain that never ends takes a step that closes a cycle of some
//! process's graph again and again. Those steps are found once, and only after them is a chain looked back upon.

use panoptes_exec::Step;
use panoptes_model::{Action, Model, ProcessKind, TransId};

#[derive(Debug)]
pub(crate) struct Loops {
    /// By transition: does it close a cycle?
    closes: Vec<bool>,
    /// Some step keeps control: there are chains at all.
    pub has_chains: bool,
}

impl Loops {
    pub fn new(model: &Model) -> Loops {
        let mut closes = vec![false; model.transitions.len()];
        for process in model.processes.iter().filter(|process| process.kind == ProcessKind::Process) {
            let steps: Vec<Vec<(TransId, usize)>> = process
                .states
                .iter()
                .map(|state| {
                    let goes_on = |id: &TransId| {
                        let transition = model.transition(*id);
                        let is_send = matches!(transition.actions.first(), Some(Action::Send(_)));
                        let to = transition.to.filter(|_| transition.keeps_control || is_send)?;
                        Some((*id, to.index()))
                    };
                    state.transitions.iter().filter_map(goes_on).collect()
                })
                .collect();
            for id in back_edges(&steps) {
                closes[id.index()] = true;
            }
        }
        // A model without transitions is one whose executor knows more.
        let has_chains = model.transitions.is_empty() || model.has_chains();
        Loops { closes, has_chains }
    }

    /// By transition: does it close a cycle?
    pub fn closing(&self) -> &[bool] {
        &self.closes
    }

    /// Does the step close a cycle that a chain could follow for ever?
    #[inline]
    pub fn closes(&self, step: Step) -> bool {
        let closes = |id: TransId| self.closes.get(id.index()).copied().unwrap_or(true);
        closes(step.transition) || step.partner.is_some_and(|(_, id)| closes(id))
    }
}

/// The edges that lead back to a node on the path of a depth-first walk: without them there is no cycle.
pub(crate) fn back_edges(edges: &[Vec<(TransId, usize)>]) -> Vec<TransId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let mut marks = vec![Mark::New; edges.len()];
    let mut found = Vec::new();
    for root in 0..edges.len() {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::OnPath;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            match edges[*node].get(*next) {
                Some((id, to)) => {
                    *next += 1;
                    match marks[*to] {
                        Mark::New => {
                            marks[*to] = Mark::OnPath;
                            path.push((*to, 0));
                        }
                        Mark::OnPath => found.push(*id),
                        Mark::Done => {}
                    }
                }
                None => {
                    marks[*node] = Mark::Done;
                    path.pop();
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_back_edges_there_is_no_cycle() {
        // 0 → 1 → 2 → 0, 2 → 3 → 3, 1 → 3.
        let edges = [
            vec![(TransId(0), 1)],
            vec![(TransId(1), 2), (TransId(2), 3)],
            vec![(TransId(3), 0), (TransId(4), 3)],
        ];
        let mut edges = edges.to_vec();
        edges.push(vec![(TransId(5), 3)]);
        assert_eq!(back_edges(&edges), [TransId(3), TransId(5)]);
        assert_eq!(back_edges(&[vec![(TransId(0), 1), (TransId(1), 1)], vec![]]), []);
    }
}
