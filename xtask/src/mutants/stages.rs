//! Which tests a mutant meets, in which order: first those most likely to notice, and quick to build and to run; then more
//! that can. What none of them notices counts as missed, whatever the rest of the tests would say.

use super::sample::Mutant;
use std::time::Duration;

/// Mutants that meet the same tests.
pub struct Area {
    package: &'static str,
    /// Only files with this in their path, and of those that no area before it has.
    folder: &'static str,
    pub stages: &'static [Stage],
}

pub struct Stage {
    pub packages: &'static [&'static str],
    pub targets: &'static [Target],
    /// Tests with such words in their names are left out.
    pub skip: &'static [&'static str],
    is_quick: bool,
}

/// Tests of a package. Where a stage names none, all are run.
pub enum Target {
    /// Those beside the code.
    Lib,
    /// A test program.
    Test(&'static str),
    /// A module of a test program.
    Module(&'static str, &'static str),
}

use Target::{Lib, Module, Test};

/// A module of the tests of `check`.
const fn check(module: &'static str) -> Target {
    Module("check", module)
}

/// A module of the tests of `optimise`.
const fn optimise(module: &'static str) -> Target {
    Module("optimise", module)
}

const fn stage(packages: &'static [&'static str], targets: &'static [Target]) -> Stage {
    Stage { packages, targets, skip: &[], is_quick: false }
}

const fn quick(packages: &'static [&'static str], targets: &'static [Target]) -> Stage {
    Stage { packages, targets, skip: &[], is_quick: true }
}

/// Tests that take many seconds, while those beside them take few.
const SLOW: &[&str] = &["random", "every_model", "both_searches"];

pub static AREAS: &[Area] = &[
    Area {
        package: "panoptes-search",
        folder: "/por/",
        stages: &[
            Stage {
                skip: SLOW,
                ..quick(&["panoptes-check"], &[check("reduction"), check("reduction_choices")])
            },
            stage(&["panoptes-search", "panoptes-check"], &[Lib, check("reduction")]),
        ],
    },
    Area {
        package: "panoptes-optimise",
        folder: "",
        stages: &[
            quick(&["panoptes-optimise"], &[Lib, optimise("passes"), optimise("bytes")]),
            stage(&["panoptes-optimise"], &[]),
        ],
    },
    Area {
        package: "panoptes-store",
        folder: "",
        stages: &[
            quick(&["panoptes-store"], &[Lib]),
            quick(&["panoptes-store"], &[]),
            stage(&["panoptes-search", "panoptes-check"], &[Lib, check("stores")]),
        ],
    },
    Area {
        package: "panoptes-interp",
        folder: "",
        stages: &[
            quick(
                &["panoptes-check"],
                &[check("models"), check("waiting"), check("printing"), check("enabled"), check("circles")],
            ),
            Stage { skip: SLOW, ..stage(&["panoptes-jit"], &[Test("against_the_reference")]) },
            stage(&["panoptes-check", "panoptes-jit"], &[]),
        ],
    },
    Area {
        package: "panoptes-search",
        folder: "",
        stages: &[
            quick(&["panoptes-search"], &[Lib]),
            Stage {
                skip: SLOW,
                ..quick(&["panoptes-check"], &[check("faults"), check("circles"), check("reduction")])
            },
            stage(&["panoptes-check"], &[]),
        ],
    },
];

impl Area {
    /// Is the mutant one of these, and of no area before this one?
    pub fn has(&self, mutant: &Mutant) -> bool {
        let fits = |area: &Area| area.package == mutant.package && mutant.file.contains(area.folder);
        AREAS.iter().find(|area| fits(area)).is_some_and(|first| std::ptr::eq(first, self))
    }

    /// The packages that are changed.
    pub fn packages() -> Vec<&'static str> {
        without_doubles(AREAS.iter().map(|area| area.package).collect())
    }
}

impl Stage {
    /// How long a test may compute: tests that are to be quick get less.
    pub fn seconds(&self, most: Duration) -> Duration {
        if self.is_quick { most / 8 } else { most }
    }
}

fn without_doubles(mut names: Vec<&'static str>) -> Vec<&'static str> {
    names.sort_unstable();
    names.dedup();
    names
}
