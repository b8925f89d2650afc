//! Strongly connected components: Tarjan's algorithm without recursion, on any graph whose nodes are numbers.

/// The components that can be reached from the start. They are numbered so that an edge never leads to a component
/// with a higher number: the last ones of a path come first.
pub(crate) struct Components {
    pub count: usize,
    /// The component of each node; none for one that was not reached.
    pub of: Vec<Option<usize>>,
}

struct Visit {
    node: usize,
    successors: Vec<usize>,
    next: usize,
}

const UNSEEN: usize = usize::MAX;

/// `successors` tells the targets of a node's edges to its second argument.
pub(crate) fn components(
    nodes: usize,
    start: usize,
    mut successors: impl FnMut(usize, &mut dyn FnMut(usize)),
) -> Components {
    let mut of = vec![None; nodes];
    let mut count = 0;
    let mut order = vec![UNSEEN; nodes];
    let mut lowest = vec![UNSEEN; nodes];
    let mut seen = 0;
    let mut stack = Vec::new();
    let mut open = Vec::new();
    let mut enter = |node: usize, open: &mut Vec<Visit>| {
        let mut targets = Vec::new();
        successors(node, &mut |target| targets.push(target));
        open.push(Visit { node, successors: targets, next: 0 });
    };
    (order[start], lowest[start]) = (seen, seen);
    stack.push(start);
    enter(start, &mut open);
    while let Some(visit) = open.last_mut() {
        let node = visit.node;
        if let Some(target) = visit.successors.get(visit.next).copied() {
            visit.next += 1;
            if order[target] == UNSEEN {
                seen += 1;
                (order[target], lowest[target]) = (seen, seen);
                stack.push(target);
                enter(target, &mut open);
            } else if of[target].is_none() {
                lowest[node] = lowest[node].min(order[target]);
            }
            continue;
        }
        open.pop();
        if let Some(parent) = open.last() {
            lowest[parent.node] = lowest[parent.node].min(lowest[node]);
        }
        if lowest[node] == order[node] {
            loop {
                let member = stack.pop().expect("a component's root is on the stack");
                of[member] = Some(count);
                if member == node {
                    break;
                }
            }
            count += 1;
        }
    }
    Components { count, of }
}
