//! What a transition does once its predicate holds.

use crate::{BlockId, Expr, Guard, Place, ProcId};
use panoptes_source::Span;

/// An action on the state vector. `Send` and `Receive` also carry a predicate of their own: a send needs room (or, on a
/// channel without slots, a partner that receives in the same step), a receive needs a message that fits its patterns.
#[derive(Clone, Debug)]
pub enum Action {
    Assign {
        place: Place,
        value: Expr,
    },
    Assert {
        condition: Expr,
        /// What is asserted or, of a requirement, what its breach means.
        text: String,
        /// It is part of the requirement with this index.
        requirement: Option<u32>,
    },
    /// Prints when simulated; nothing in a search.
    Print {
        format: String,
        args: Vec<Expr>,
    },
    /// Prints the name of a value when simulated.
    PrintName(Expr),
    Send(Send),
    Receive(Receive),
    Spawn(Spawn),
    SetPriority {
        pid: Expr,
        priority: Expr,
    },
    /// Runs a block to its end in one indivisible step.
    Block(BlockId),
    /// The process ends and its frame goes away; possible only for the youngest process.
    Exit,
    /// In a monitor only: follow this event.
    Observe(Observe),
}

/// An event that a monitor follows: a message that fits the patterns (`Bind` does not occur) is sent or received.
#[derive(Clone, Debug)]
pub struct Observe {
    /// The number of the channel.
    pub channel: Expr,
    pub sent: bool,
    pub patterns: Vec<Pattern>,
}

#[derive(Clone, Debug)]
pub struct Send {
    /// The number of the channel.
    pub channel: Expr,
    pub args: Vec<Expr>,
    /// Insert before the first greater message instead of appending.
    pub sorted: bool,
}

#[derive(Clone, Debug)]
pub struct Receive {
    /// The number of the channel.
    pub channel: Expr,
    pub patterns: Vec<Pattern>,
    /// Take the first message that fits, wherever it stands; otherwise only the oldest.
    pub random: bool,
    /// Leave the message where it is.
    pub peek: bool,
}

/// What one field of a message must be, or where it goes.
#[derive(Clone, Debug)]
pub enum Pattern {
    Any,
    Match(Expr),
    Bind(Place),
}

#[derive(Clone, Debug)]
pub struct Spawn {
    pub process: ProcId,
    pub args: Vec<Expr>,
    pub priority: Option<Expr>,
}

/// A deterministic program that runs as one step: at each node the first step whose guard holds is taken.
#[derive(Clone, Debug)]
pub struct Block {
    pub nodes: Vec<BlockNode>,
    /// Index of the node it starts at. Its guards are the predicate of the whole block.
    pub entry: u32,
}

#[derive(Clone, Debug)]
pub struct BlockNode {
    pub steps: Vec<BlockStep>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct BlockStep {
    pub guard: Guard,
    pub actions: Vec<Action>,
    /// The next node; none when the block is done.
    pub next: Option<u32>,
    pub span: Span,
}

impl Action {
    /// Calls `visit` on every expression of the action.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Action::Assign { place, value } => {
                place.walk(visit);
                value.walk(visit);
            }
            Action::Assert { condition, .. } => condition.walk(visit),
            Action::Print { args, .. } => args.iter().for_each(|e| e.walk(visit)),
            Action::PrintName(e) => e.walk(visit),
            Action::Send(send) => {
                send.channel.walk(visit);
                send.args.iter().for_each(|e| e.walk(visit));
            }
            Action::Receive(receive) => receive.walk(visit),
            Action::Spawn(spawn) => spawn.walk(visit),
            Action::SetPriority { pid, priority } => {
                pid.walk(visit);
                priority.walk(visit);
            }
            Action::Observe(observe) => {
                observe.channel.walk(visit);
                walk_patterns(&observe.patterns, visit);
            }
            Action::Block(_) | Action::Exit => {}
        }
    }
}

fn walk_patterns(patterns: &[Pattern], visit: &mut dyn FnMut(&Expr)) {
    for pattern in patterns {
        match pattern {
            Pattern::Any => {}
            Pattern::Match(e) => e.walk(visit),
            Pattern::Bind(place) => place.walk(visit),
        }
    }
}

impl Receive {
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        self.channel.walk(visit);
        walk_patterns(&self.patterns, visit);
    }
}

impl Spawn {
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        self.args.iter().for_each(|e| e.walk(visit));
        if let Some(priority) = &self.priority {
            priority.walk(visit);
        }
    }
}
