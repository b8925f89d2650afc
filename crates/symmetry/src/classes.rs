//! Classes of values that meet each other: what is copied, sent, received and compared is of one class.
//!
//! Two members of a class may differ by a constant (`_pid` and `_pid - 1`), so the classes are kept by union-find with
//! shifts: the value of a node is the value of its root plus the node's shift.

use panoptes_model::ProcId;
use std::collections::BTreeSet;

/// A member that may hold more constants than this may hold anything.
const FLOWS_MAX: usize = 1_024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node(u32);

/// What is known of a class; numbers are in terms of the value of the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Info {
    /// Values are computed with or ordered, so they are plain data: how.
    pub broken: Option<String>,
    /// Numbers of processes: root value + this is a process number.
    pub pid: Option<i32>,
    pub pid_types: Vec<ProcId>,
    /// Numbers of channels: root value + this is a channel number.
    pub channel: Option<i32>,
    /// Types whose own channels are among the values.
    pub own_channels: Vec<ProcId>,
    /// Constants that rules compare with members of the class, or give to them.
    pub constants: BTreeSet<i32>,
    /// Constants that a member may hold, initial values included.
    pub flows: BTreeSet<i32>,
    /// Channels of processes, by type and index, that a member may hold.
    pub local_flows: BTreeSet<(u32, u32)>,
    /// A member may hold anything.
    pub is_unknown: bool,
}

#[derive(Default)]
pub(crate) struct Classes {
    parents: Vec<(u32, i32)>,
    infos: Vec<Info>,
    /// Something was learnt since this was last false.
    pub has_changed: bool,
}

impl Classes {
    pub fn node(&mut self) -> Node {
        let node = self.parents.len() as u32;
        self.parents.push((node, 0));
        self.infos.push(Info::default());
        Node(node)
    }

    /// The root of a node, and the node's value less the root's.
    pub fn find(&self, node: Node) -> (Node, i32) {
        let (mut at, mut shift) = (node.0, 0i32);
        loop {
            let (parent, step) = self.parents[at as usize];
            if parent == at {
                return (Node(at), shift);
            }
            shift = shift.wrapping_add(step);
            at = parent;
        }
    }

    pub fn info(&self, node: Node) -> &Info {
        &self.infos[self.find(node).0.0 as usize]
    }

    fn info_mut(&mut self, node: Node) -> &mut Info {
        let root = self.find(node).0.0 as usize;
        &mut self.infos[root]
    }

    pub fn break_up(&mut self, node: Node, why: &str) {
        if self.info(node).broken.is_none() {
            self.info_mut(node).broken = Some(why.to_string());
            self.has_changed = true;
        }
    }

    /// The value of `a` is that of `b` plus `shift`, in every use.
    pub fn unify(&mut self, a: Node, b: Node, shift: i32, why: &str) {
        let ((root_a, shift_a), (root_b, shift_b)) = (self.find(a), self.find(b));
        // value(a) = A + shift_a = value(b) + shift = B + shift_b + shift
        let apart = shift_b.wrapping_add(shift).wrapping_sub(shift_a);
        if root_a == root_b {
            if apart != 0 {
                self.break_up(a, why);
            }
            return;
        }
        // A = B + apart. The root of `a` goes below that of `b`.
        self.has_changed = true;
        self.parents[root_a.0 as usize] = (root_b.0, apart);
        let moved = std::mem::take(&mut self.infos[root_a.0 as usize]);
        let info = &mut self.infos[root_b.0 as usize];
        let mut clash = false;
        let mut meet = |own: &mut Option<i32>, other: Option<i32>| {
            let other = other.map(|shift| shift.wrapping_add(apart));
            clash |= own.is_some() && other.is_some() && *own != other;
            *own = own.or(other);
        };
        meet(&mut info.pid, moved.pid);
        meet(&mut info.channel, moved.channel);
        clash |= info.pid.is_some() && info.channel.is_some();
        info.pid_types.extend(moved.pid_types);
        info.own_channels.extend(moved.own_channels);
        info.constants.extend(moved.constants.iter().map(|value| value.wrapping_sub(apart)));
        info.flows.extend(moved.flows.iter().map(|value| value.wrapping_sub(apart)));
        info.local_flows.extend(moved.local_flows);
        info.is_unknown |= moved.is_unknown;
        info.broken = info.broken.take().or(moved.broken).or(clash.then(|| why.to_string()));
    }

    /// Rules compare the value with a constant, or give it that. False if that was known.
    pub fn add_constant(&mut self, node: Node, value: i32) -> bool {
        let value = value.wrapping_sub(self.find(node).1);
        let info = self.info_mut(node);
        let is_new = info.constants.insert(value);
        self.has_changed |= is_new | info.flows.insert(value);
        is_new
    }

    /// The value may be that constant, though no rule says so.
    pub fn add_flow(&mut self, node: Node, value: i32) {
        let value = value.wrapping_sub(self.find(node).1);
        let info = self.info_mut(node);
        // Where members of a class differ by a constant and get to each other, there is no end of values.
        if info.flows.len() >= FLOWS_MAX && !info.flows.contains(&value) {
            self.add_unknown(node);
        } else {
            self.has_changed |= info.flows.insert(value);
        }
    }

    pub fn add_unknown(&mut self, node: Node) {
        self.has_changed |= !std::mem::replace(&mut self.info_mut(node).is_unknown, true);
    }

    pub fn add_local_flow(&mut self, node: Node, process: ProcId, index: u32) {
        self.has_changed |= self.info_mut(node).local_flows.insert((process.0, index));
    }

    /// The value is the number of a process of that type.
    pub fn set_pid(&mut self, node: Node, process: ProcId) {
        let info = self.info_mut(node);
        info.pid = Some(0);
        info.pid_types.push(process);
    }

    /// The value is the number of an own channel of a process of that type.
    pub fn set_own_channel(&mut self, node: Node, process: ProcId) {
        self.info_mut(node).own_channels.push(process);
    }

    /// The value plus `shift` is used as the number of a channel.
    pub fn set_channel(&mut self, node: Node, shift: i32, why: &str) {
        let number = shift.wrapping_add(self.find(node).1);
        let info = self.info_mut(node);
        match info.channel {
            Some(known) if known == number => {}
            Some(_) => self.break_up(node, why),
            None => {
                info.channel = Some(number);
                let clash = info.pid.is_some();
                self.has_changed = true;
                if clash {
                    self.break_up(node, why);
                }
            }
        }
    }

    /// The values that a member may hold.
    pub fn flows_of(&self, node: Node) -> (Vec<i32>, Vec<(u32, u32)>, bool) {
        let shift = self.find(node).1;
        let info = self.info(node);
        let constants = info.flows.iter().map(|value| value.wrapping_add(shift)).collect();
        let locals = info.local_flows.iter().copied().collect();
        (constants, locals, info.is_unknown || info.broken.is_some())
    }
}
