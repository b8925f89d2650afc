//! Which features a model may use and how strongly: groups of features, presets, and the mix of one model.

use crate::rng::Rng;

/// A group of features that are turned up or down together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// `short int unsigned pid`, values that do not fit.
    Widths,
    Arrays,
    Records,
    Mtypes,
    /// `hidden local show`.
    Visibility,
    /// Declarations inside blocks.
    Scopes,
    /// Buffered channels.
    Channels,
    Rendezvous,
    ChannelArrays,
    /// Channels as message fields, parameters and variables.
    ChannelPassing,
    /// `!! ?? ?<> ??<>`.
    SortedRandom,
    /// `?[] ??[] len empty full nempty nfull`.
    Polls,
    /// `xr xs`.
    Exclusive,
    /// `init`, `run`, parameters.
    Run,
    /// `D_proctype`, `active [n]`.
    ProcKinds,
    Provided,
    Priority,
    /// `_pid _nr_pr _last`.
    Predefined,
    /// All arithmetic and bit operators.
    Arithmetic,
    Conditional,
    Assert,
    Printf,
    Goto,
    /// `end accept progress` labels.
    Labels,
    Atomic,
    DStep,
    Unless,
    For,
    Select,
    Inline,
    Timeout,
    /// `P[i]@label`, `P[i]:var`.
    Remote,
    /// `enabled`, `pc_value` outside claims.
    Exotic,
    /// `trace`, `notrace`.
    Trace,
    Macros,
    /// `never`, `ltl`, which a safety check without claims passes over.
    Claims,
    /// Array indices and divisors that nobody checked, blocking inside `d_step`.
    Unsafe,
    /// Polls of rendezvous channels, which go wrong and count as not possible.
    Faults,
}

/// Every group with its name.
pub const GROUPS: [(Group, &str); Group::COUNT] = {
    use Group::*;
    [
        (Widths, "widths"),
        (Arrays, "arrays"),
        (Records, "records"),
        (Mtypes, "mtypes"),
        (Visibility, "visibility"),
        (Scopes, "scopes"),
        (Channels, "channels"),
        (Rendezvous, "rendezvous"),
        (ChannelArrays, "channel-arrays"),
        (ChannelPassing, "channel-passing"),
        (SortedRandom, "sorted-random"),
        (Polls, "polls"),
        (Exclusive, "exclusive"),
        (Run, "run"),
        (ProcKinds, "proc-kinds"),
        (Provided, "provided"),
        (Priority, "priority"),
        (Predefined, "predefined"),
        (Arithmetic, "arithmetic"),
        (Conditional, "conditional"),
        (Assert, "assert"),
        (Printf, "printf"),
        (Goto, "goto"),
        (Labels, "labels"),
        (Atomic, "atomic"),
        (DStep, "d_step"),
        (Unless, "unless"),
        (For, "for"),
        (Select, "select"),
        (Inline, "inline"),
        (Timeout, "timeout"),
        (Remote, "remote"),
        (Exotic, "exotic"),
        (Trace, "trace"),
        (Macros, "macros"),
        (Claims, "claims"),
        (Unsafe, "unsafe"),
        (Faults, "faults"),
    ]
};

impl Group {
    pub const COUNT: usize = 38;
}

/// How likely each group is to be used: 0 never, 10 very.
#[derive(Clone, Debug)]
pub struct Profile {
    weights: [u8; Group::COUNT],
    /// The most process types of a model.
    pub max_procs: usize,
    /// The most statements of a process at its outermost level.
    pub max_stmts: usize,
    /// Also what SPIN refuses or gets wrong: priorities beside rendezvous, processes created within expressions or loops, computed
    /// priorities, trace assertions that look at variables. For tests that do not ask SPIN.
    pub is_free: bool,
}

impl Default for Profile {
    fn default() -> Profile {
        let mut p = Profile { weights: [5; Group::COUNT], max_procs: 3, max_stmts: 4, is_free: false };
        for group in [Group::Exotic, Group::Trace, Group::Claims, Group::Exclusive, Group::Priority] {
            p.set(group, 2);
        }
        p.set(Group::Provided, 3);
        p.set(Group::Assert, 9);
        p.set(Group::Unsafe, 0);
        p.set(Group::Faults, 1);
        p
    }
}

impl Profile {
    /// The names that [`Profile::preset`] knows.
    pub const PRESETS: [&'static str; 10] = [
        "default",
        "data",
        "channels",
        "control",
        "processes",
        "core",
        "exotic",
        "unsafe",
        "failing",
        "determined",
    ];

    /// A preset by its name, or the name of one group, which is then turned up over the default.
    pub fn preset(name: &str) -> Option<Profile> {
        use Group::*;
        let mut p = Profile::default();
        match name {
            "default" => {}
            "data" => {
                p.focus(&[Widths, Arrays, Records, Mtypes, Visibility, Scopes, Arithmetic, Conditional])
            }
            "channels" => p.focus(&[
                Channels,
                Rendezvous,
                ChannelArrays,
                ChannelPassing,
                SortedRandom,
                Polls,
                Exclusive,
                Trace,
                Mtypes,
            ]),
            "control" => {
                p.focus(&[Atomic, DStep, Unless, Goto, Labels, For, Select, Inline, Timeout, Rendezvous])
            }
            "processes" => {
                p.focus(&[Run, ProcKinds, Provided, Priority, Predefined, Remote, Timeout, ChannelPassing])
            }
            "core" => p.focus(&[Channels, Rendezvous, Atomic, Goto, Assert, Arithmetic, Timeout]),
            "exotic" => p.focus(&[
                Exotic, Remote, Priority, Provided, Trace, Claims, Predefined, Unless, Atomic, DStep,
            ]),
            "unsafe" => {
                p.set(Unsafe, 10);
                p.set(Arrays, 9);
            }
            "failing" => {
                p.focus(&[Rendezvous, Timeout, Unless, Atomic, DStep, Goto, Labels]);
                p.set(Faults, 100);
            }
            "determined" => {
                p.focus(&[Run, Goto, For, Inline, Atomic, Timeout, Channels, Unless]);
                p.set(ProcKinds, 100);
                p.set(Select, 100);
            }
            _ => {
                let &(group, _) = GROUPS.iter().find(|(_, n)| *n == name)?;
                p.set(group, 100);
            }
        }
        Some(p)
    }

    /// Models in which much depends on who could move, what runs, and when it was created; also such as SPIN refuses.
    pub fn scheduling() -> Profile {
        use Group::*;
        let mut p = Profile::default();
        p.focus(&[
            Run, Priority, Exotic, Rendezvous, Channels, Atomic, DStep, Provided, Trace, Timeout, Claims,
        ]);
        p.is_free = true;
        p
    }

    /// Sets the weight of one group.
    pub fn set(&mut self, group: Group, weight: u8) {
        self.weights[group as usize] = weight;
    }

    fn focus(&mut self, groups: &[Group]) {
        self.weights = [1; Group::COUNT];
        self.set(Group::Unsafe, 0);
        self.set(Group::Faults, 0);
        groups.iter().for_each(|&g| self.set(g, 9));
    }

    /// Chooses the features of one model: a few groups strongly, some a little, the others not at all.
    pub(crate) fn mix(&self, rng: &mut Rng) -> Mix {
        let mut percent = [0; Group::COUNT];
        for (group, (share, &weight)) in percent.iter_mut().zip(&self.weights).enumerate() {
            let w = u32::from(weight);
            // This group came later: the seeds of before still give the same models.
            let draw = match group == Group::Faults as usize {
                true => rng.clone().below(100),
                false => rng.below(100),
            };
            *share = match draw as u32 {
                _ if w >= 100 => 70,
                x if x < 4 * w => 55,
                x if x < 9 * w => 15,
                _ => 0,
            };
        }
        Mix { percent }
    }
}

/// The features of one model: with what probability each group is used where it could be.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    percent: [u32; Group::COUNT],
}

impl Mix {
    /// The probability of a group, of a hundred.
    pub fn share(&self, group: Group) -> u32 {
        self.percent[group as usize]
    }

    /// Leaves a group out.
    pub fn turn_off(&mut self, group: Group) {
        self.percent[group as usize] = 0;
    }

    /// Whether the group is used in this model at all.
    pub fn has(&self, group: Group) -> bool {
        self.share(group) > 0
    }
}
