//! Strongly connected components: Tarjan's algorithm without recursion, on any graph whose nodes are numbers.

/// The components that can be reached from the start. They are numbered so that an edge never leads to a component
/// with a higher number: the last ones of a path come first.
pub struct Components {
    pub count: usize,
    /// The component of each node; none for one that was not reached.
    pub of: Vec<Option<usize>>,
}

const UNSEEN: usize = usize::MAX;

/// Tarjan's bookkeeping.
struct Search {
    found: Components,
    order: Vec<usize>,
    lowest: Vec<usize>,
    seen: usize,
    stack: Vec<usize>,
}

/// The components of everything that can be reached from the starts.
pub fn components<I: Iterator<Item = usize>>(
    nodes: usize,
    starts: impl IntoIterator<Item = usize>,
    successors: impl Fn(usize) -> I,
) -> Components {
    let mut search = Search {
        found: Components { count: 0, of: vec![None; nodes] },
        order: vec![UNSEEN; nodes],
        lowest: vec![UNSEEN; nodes],
        seen: 0,
        stack: Vec::new(),
    };
    let mut open = Vec::new();
    for start in starts {
        if search.order[start] != UNSEEN {
            continue;
        }
        search.enter(start);
        open.push((start, successors(start)));
        while let Some((node, targets)) = open.last_mut() {
            let node = *node;
            match targets.next() {
                Some(target) if search.order[target] == UNSEEN => {
                    search.enter(target);
                    open.push((target, successors(target)));
                }
                Some(target) => {
                    if search.found.of[target].is_none() {
                        search.lowest[node] = search.lowest[node].min(search.order[target]);
                    }
                }
                None => {
                    open.pop();
                    search.leave(node);
                    if let Some((parent, _)) = open.last() {
                        search.lowest[*parent] = search.lowest[*parent].min(search.lowest[node]);
                    }
                }
            }
        }
    }
    search.found
}

impl Search {
    fn enter(&mut self, node: usize) {
        (self.order[node], self.lowest[node]) = (self.seen, self.seen);
        self.seen += 1;
        self.stack.push(node);
    }

    /// A node from which nothing above it on the stack leads back is the root of a component.
    fn leave(&mut self, node: usize) {
        if self.lowest[node] != self.order[node] {
            return;
        }
        loop {
            let member = self.stack.pop().expect("a component's root is on the stack");
            self.found.of[member] = Some(self.found.count);
            if member == node {
                break;
            }
        }
        self.found.count += 1;
    }
}
