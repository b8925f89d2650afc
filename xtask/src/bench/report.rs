//! All that one sitting found, and the machine it was found on.

use std::fs;

use super::bars::{self, Bar};
use super::bitstate::Bitstate;
use super::defaults::Defaults;
use super::front::Front;
use super::liveness::Liveness;
use super::reductions::Reductions;
use super::threads::Threads;
use super::{small, throughput};

pub struct Report {
    pub machine: Host,
    pub settings: Settings,
    /// Parts that were not asked for are none.
    pub throughput: Option<Vec<throughput::Row>>,
    pub small: Option<Vec<small::Row>>,
    pub front: Option<Front>,
    pub reductions: Option<Reductions>,
    pub bitstate: Option<Bitstate>,
    pub defaults: Option<Defaults>,
    pub liveness: Option<Liveness>,
    pub threads: Option<Threads>,
}

pub struct Host {
    pub cpu: String,
    pub cores: usize,
    pub spin: String,
    pub cc: String,
    pub panoptes: String,
}

pub struct Settings {
    pub runs: usize,
    pub quick: bool,
    /// The largest models of full searches, and of searches with reductions.
    pub states_max: u64,
    pub reduced_states_max: u64,
    pub compressed_search: String,
}

impl Report {
    pub fn bars(&self) -> Vec<Bar> {
        bars::of(self)
    }

    /// Everything that is not merely slow but wrong.
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> =
            self.throughput.iter().flatten().flat_map(|row| row.problems()).collect();
        problems.extend(
            self.small
                .iter()
                .flatten()
                .filter_map(|row| row.problem.as_ref().map(|words| format!("{} [small] {words}", row.path))),
        );
        problems.extend(self.front.iter().flat_map(|front| front.problems.clone()));
        problems.extend(self.reductions.iter().flat_map(|reductions| reductions.problems.clone()));
        problems.extend(self.bitstate.iter().flat_map(|bitstate| bitstate.problems.clone()));
        problems.extend(self.defaults.iter().flat_map(|defaults| defaults.problems.clone()));
        problems.extend(self.liveness.iter().flat_map(|liveness| liveness.problems.clone()));
        problems.extend(self.threads.iter().flat_map(|threads| threads.problems.clone()));
        problems
    }
}

/// What the system calls its processor.
pub fn cpu_name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).to_string()
}
