//! Counts what happened, prints it, and saves disagreements.

use super::Outcome;
use super::compare::Difference;
use super::options::{Mode, Options};
use super::oracle::Oracle;
use panoptes_modelgen::{FEATURES, Model};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Everything counted over a run.
#[derive(Default)]
pub struct Tally {
    models: u64,
    agree: u64,
    pub disagree: u64,
    skipped: BTreeMap<&'static str, u64>,
    rejected: BTreeMap<String, u64>,
    silent: BTreeMap<String, u64>,
    kinds: BTreeMap<String, u64>,
    sizes: Vec<u64>,
    features: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// Notes a model and what SPIN says about it.
    pub fn see(&mut self, model: &Model, oracle: &Oracle) {
        self.models += 1;
        for f in model.features() {
            *self.features.entry(f).or_default() += 1;
        }
        match oracle {
            Oracle::Answer(a) => {
                self.sizes.push(a.states);
                if a.kinds.is_empty() {
                    *self.kinds.entry("clean".into()).or_default() += 1;
                }
                a.kinds.iter().for_each(|k| *self.kinds.entry(k.clone()).or_default() += 1);
            }
            Oracle::Rejected(why) => *self.rejected.entry(why.clone()).or_default() += 1,
            Oracle::None(reason, words) => *self.silent.entry(format!("{reason}: {words}")).or_default() += 1,
        }
    }

    /// Notes how a comparison ended.
    pub fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Agree(_) => self.agree += 1,
            Outcome::Skipped(reason) => *self.skipped.entry(reason).or_default() += 1,
            Outcome::Disagree(..) => self.disagree += 1,
        }
    }

    /// Prints the end of the run.
    pub fn print(&self, options: &Options, took: Duration) {
        if options.mode == Mode::Compare {
            let skipped: u64 = self.skipped.values().sum();
            let reasons: Vec<String> = self.skipped.iter().map(|(r, n)| format!("{r}: {n}")).collect();
            let reasons =
                if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
            println!(
                "{} models: {} agree, {} disagree, {skipped} skipped{reasons}",
                self.models, self.agree, self.disagree
            );
            return;
        }
        self.print_oracle(took);
        if options.mode == Mode::Stats {
            for f in FEATURES {
                println!("{:6} {f}", self.features.get(f).unwrap_or(&0));
            }
        }
    }

    fn print_oracle(&self, took: Duration) {
        let rejected: u64 = self.rejected.values().sum();
        let silent: u64 = self.silent.values().sum();
        let n = self.models.max(1) as f64;
        println!(
            "{} models in {:.1} s: {} answered, {rejected} rejected ({:.1} % accepted), {silent} without an answer",
            self.models,
            took.as_secs_f64(),
            self.sizes.len(),
            100.0 - 100.0 * rejected as f64 / n,
        );
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable();
        let at = |percent: usize| sizes.get((sizes.len() * percent / 100).min(sizes.len().saturating_sub(1)));
        let quantiles: Vec<String> =
            [10, 25, 50, 75, 90, 99, 100].iter().map(|&p| format!("{p}%: {}", at(p).unwrap_or(&0))).collect();
        println!("stored states  {}", quantiles.join("  "));
        for (kind, n) in &self.kinds {
            println!("{n:6} {kind}");
        }
        for (why, n) in &self.rejected {
            println!("{n:6} rejected: {why}");
        }
        for (why, n) in &self.silent {
            println!("{n:6} no answer: {why}");
        }
    }
}

/// Prints how one comparison ended.
pub fn print(seed: u64, outcome: &Outcome) {
    match outcome {
        Outcome::Agree(summary) => println!("seed {seed}: agree ({summary})"),
        Outcome::Skipped(reason) => println!("seed {seed}: skipped ({reason})"),
        Outcome::Disagree(difference, small, small_difference) => {
            println!("seed {seed}: DISAGREE: {difference}");
            println!("shrunk: {small_difference}");
            for line in small.to_promela().lines() {
                println!("    {line}");
            }
        }
    }
}

/// Saves a disagreement: the model, the shrunk model, and what differs in each.
pub fn save(
    dir: &Path,
    seed: u64,
    model: &Model,
    difference: &Difference,
    small: &Model,
    small_difference: &Difference,
) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    std::fs::write(dir.join(format!("{seed}.pml")), model.to_promela())?;
    std::fs::write(dir.join(format!("{seed}.small.pml")), small.to_promela())?;
    let text = format!("seed {seed}\nwhole model: {difference}\nshrunk model: {small_difference}\n");
    std::fs::write(dir.join(format!("{seed}.txt")), text)
}
