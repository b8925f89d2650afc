//! The report for people: the verdict first, then what was checked, the numbers, the code that nothing reached, and
//! for a violation the trace.

use crate::scope::{partial_text, scope_text};
use crate::wrap::{cut, hanging, one_line};
use crate::{Paint, StepSource, Style, View, human, meaning, trace_text, write_trace};
use panoptes_check::{
    CheckpointReport, Engine, ErrorReport, Fairness, Filled, Named, PropertyReport, SecondLook, Sought,
    SoughtKind, StoreSpec, Strategy, SymmetryUse, VerdictKind, WhyIncomplete,
};
use panoptes_exec::FaultKind;
use panoptes_search::{Estimates, FindingKind, Limit, Reduction};
use std::io;

/// More errors than this are counted, not listed.
const ERRORS_SHOWN: usize = 20;
/// More processes than this are counted, not named.
const STUCK_SHOWN: usize = 6;
/// More unreached statements of one process than this are counted, not listed.
const UNREACHED_SHOWN: usize = 12;

impl View<'_> {
    /// The verdict and what it rests on, on one line.
    pub fn one_line(&self, style: &Style) -> String {
        let verdict = self.verdict_line(style);
        let why = match self.verdict {
            VerdictKind::Verified | VerdictKind::Violated
                if self.errors.is_empty() && self.sought.is_some() =>
            {
                self.sought.as_ref().map(|sought| {
                    let file = sought.witness.as_ref().and_then(|witness| witness.trace_file.as_ref());
                    let saved = file.map(|file| format!(", trace in {file}"));
                    format!("{}{}", self.sought_line(sought), saved.unwrap_or_default())
                })
            }
            VerdictKind::Verified => None,
            VerdictKind::Violated => self.errors.first().map(|error| {
                let saved = error.trace_file.as_ref().map(|file| format!(", trace in {file}"));
                let more = match self.errors.len() {
                    0 | 1 => String::new(),
                    count => format!(" ({})", human::more(count as u64 - 1, "error", "errors")),
                };
                format!("{}{}{more}", error_line(error, false), saved.unwrap_or_default())
            }),
            VerdictKind::Inconclusive => Some(self.limits_in_short()),
        };
        let line = why.map_or(verdict.clone(), |why| format!("{}: {why}\n", verdict.trim_end()));
        match self.unmet(style) {
            Some(unmet) => format!("{} ({unmet})\n", line.trim_end()),
            None => line,
        }
    }

    fn limits_in_short(&self) -> String {
        let short = |why: &WhyIncomplete| match why {
            WhyIncomplete::UncheckedProperties => format!("not checked: {}", self.unchecked.join(", ")),
            WhyIncomplete::Limit(limit) => format!("limit: {}", limit.name()),
        };
        let mut all: Vec<String> = self.limits.iter().map(short).collect();
        let checkpoint = self.checkpoint.as_ref().filter(|checkpoint| checkpoint.is_resumable);
        all.extend(checkpoint.map(to_go_on));
        all.join("; ")
    }

    /// What to say if another verdict was expected.
    fn unmet(&self, style: &Style) -> Option<String> {
        let expected = self.expected.filter(|expected| *expected != self.verdict)?;
        let text = format!("NOT AS EXPECTED: {} was expected", expected.name());
        Some(style.paint(Paint::Bad, &text))
    }

    /// The verdict and nothing else, on one line.
    pub fn verdict_line(&self, style: &Style) -> String {
        let (paint, word) = match self.verdict {
            VerdictKind::Verified => (Paint::Good, "VERIFIED"),
            VerdictKind::Violated => (Paint::Bad, "VIOLATED"),
            VerdictKind::Inconclusive => (Paint::Unsure, "INCONCLUSIVE"),
        };
        format!("{}  {}\n", style.paint(paint, word), self.model)
    }

    pub fn to_text(&self, style: &Style) -> String {
        let mut out = self.above_trace(style);
        if let Some(error) = self.shown_error()
            && let Some(trace) = &error.trace
        {
            out.push('\n');
            out += &trace_text(trace, style);
            out += &self.below_trace(error, trace.left_out() > 0, style);
        }
        out
    }

    /// [`Self::to_text`] with all steps of a trace that is too long to be held, which `steps` has.
    pub fn write_full(
        &self,
        out: &mut dyn io::Write,
        steps: &mut dyn StepSource,
        style: &Style,
    ) -> io::Result<()> {
        let Some((error, trace)) =
            self.shown_error().and_then(|error| error.trace.as_ref().map(|trace| (error, trace)))
        else {
            return out.write_all(self.to_text(style).as_bytes());
        };
        writeln!(out, "{}", self.above_trace(style))?;
        write_trace(out, trace, steps, style)?;
        out.write_all(self.below_trace(error, false, style).as_bytes())
    }

    /// Everything but the trace.
    pub(crate) fn summary_text(&self, style: &Style) -> String {
        self.above_trace(style)
    }

    /// The same.
    fn above_trace(&self, style: &Style) -> String {
        let mut out = self.verdict_line(style);
        if let Some(unmet) = self.unmet(style) {
            out += &format!("  {unmet}\n");
        }
        if let Some(before) = self.unsearched {
            return out + &self.unsearched_text(before, style) + &self.checkpoint_text(style);
        }
        out += &self.reasons(style);
        out += &self.lost_traces_text(style);
        out.push('\n');
        out += &self.numbers(style);
        out += &self.stages_text(style);
        out += &self.recurrence_text(style);
        out += &self.sample_text(style);
        out += &self.suspects_text(style);
        out += &self.advice(style);
        out += &self.checkpoint_text(style);
        out += &self.unreached_text(style);
        out
    }

    /// Which limit did not allow to keep the traces of errors.
    fn lost_traces_text(&self, style: &Style) -> String {
        let lost: Vec<Limit> = self.errors.iter().filter_map(|error| error.trace_limit).collect();
        let Some(limit) = lost.first() else { return String::new() };
        let why = match *limit {
            Limit::Memory => "--memory allows no more",
            Limit::Time => "--time allows no longer",
            Limit::Stopped => "it was interrupted",
            Limit::Disk => "the disk could not be read",
            other => other.name(),
        };
        let text = match (lost.len(), self.errors.len()) {
            (1, 1) => format!("its trace was not kept: {why}"),
            (count, all) => format!(
                "of {} {} were not kept: {why}",
                human::plural(all as u64, "trace"),
                human::count(count as u64)
            ),
        };
        hanging("  ", &text, style.width)
    }

    /// How to go on.
    fn checkpoint_text(&self, style: &Style) -> String {
        match self.checkpoint.as_ref().filter(|checkpoint| checkpoint.is_resumable) {
            Some(checkpoint) => {
                let text = to_go_on(checkpoint);
                format!("\n{}", hanging("  ", &text, style.width))
            }
            None => String::new(),
        }
    }

    /// What there is for a model that is too large for the search that was made.
    fn advice(&self, style: &Style) -> String {
        let is_too_large =
            self.limits.iter().any(|why| matches!(why, WhyIncomplete::Limit(Limit::Memory | Limit::Time)));
        let is_plain = !self.strategy.is_partial() && self.sought.is_none();
        if self.verdict != VerdictKind::Inconclusive || !is_too_large || !is_plain {
            return String::new();
        }
        let mut text = "too large? --search escalate tries likely errors first".to_string();
        if self.store == StoreSpec::Exact {
            text += ", --store compressed takes less memory";
        }
        text += " (docs/partial-search.md, docs/memory.md)";
        format!("\n{}", hanging("  ", &text, style.width))
    }

    /// What a search for one execution shows.
    fn sought_line(&self, sought: &Sought) -> String {
        let name = &sought.name;
        match (sought.kind, &sought.witness, self.searched_all) {
            (SoughtKind::Performed, Some(witness), _) => format!(
                "`{name}` can be performed, after {}: {}",
                human::plural(witness.length as u64, "step"),
                witness.message,
            ),
            (SoughtKind::Performed, None, true) => {
                format!("`{name}` cannot be performed: no execution that follows it completes it")
            }
            (SoughtKind::Performed, None, false) => {
                format!("no execution was found that performs `{name}`")
            }
            (SoughtKind::Reached, Some(witness), _) => match witness.length {
                0 => format!("`{name}` is true in the initial state"),
                length => {
                    format!("`{name}` becomes true, after {}", human::plural(length as u64, "step"))
                }
            },
            (SoughtKind::Reached, None, true) => {
                format!("`{name}` is never true: it is false in every reachable state")
            }
            (SoughtKind::Reached, None, false) => {
                format!("no state was found in which `{name}` is true")
            }
        }
    }

    /// Why the verdict is what it is.
    fn reasons(&self, style: &Style) -> String {
        if let Some(sought) = self.sought.as_ref().filter(|_| self.errors.is_empty()) {
            let line = hanging("  ", &self.sought_line(sought), style.width);
            let not_seen = match self.verdict {
                VerdictKind::Inconclusive => &self.limits[..],
                _ => &[],
            };
            let not_seen = not_seen.iter().map(|limit| hanging("  - ", &self.why_text(*limit), style.width));
            return line + &not_seen.collect::<String>();
        }
        match self.verdict {
            VerdictKind::Verified => {
                let states = self.everything().unwrap_or_else(|count| match count {
                    1 => "the only reachable state".to_string(),
                    _ => format!("any of the {} reachable states", human::count(count)),
                });
                format!("  nothing wrong in {states}\n")
            }
            VerdictKind::Violated => self.errors_text(style),
            VerdictKind::Inconclusive if self.searched_all => {
                let states = self.everything().unwrap_or_else(|count| match count {
                    1 => "the only state".to_string(),
                    _ => format!("all {} states", human::count(count)),
                });
                let text = format!("safety holds in {states}; {}", self.unchecked_text());
                hanging("  ", &text, style.width)
            }
            VerdictKind::Inconclusive => {
                let mut out = "  nothing wrong was found, but not everything was looked at:\n".to_string();
                for limit in &self.limits {
                    out += &hanging("  - ", &self.why_text(*limit), style.width);
                }
                out
            }
        }
    }

    /// What a search to the end has seen, in words where it did not store every state there is; else how many there are.
    fn everything(&self) -> Result<String, u64> {
        // Of several searches the last one saw everything.
        match self.stages.last().map_or(self.distinct(), |stage| stage.statistics.stored) {
            1 if self.has_fewer_states() => {
                let one = "1 state, which stands for all that can be reached";
                Ok(format!("{one} (--exact counts them one by one)"))
            }
            1 => Err(1),
            _ if self.loop_states => Ok("all that can be reached".to_string()),
            count if self.has_fewer_states() => {
                let about = if self.is_estimate() { "about " } else { "" };
                Ok(format!("{about}{} states, which stand for all that can be reached", human::count(count)))
            }
            count if self.is_estimate() => {
                Ok(format!("about {} states, all that can be reached", human::count(count)))
            }
            count => Err(count),
        }
    }

    /// Was something left out that makes no difference, so that a state stands for several?
    fn has_fewer_states(&self) -> bool {
        let is_ordered = matches!(self.symmetry, SymmetryUse::Used { .. });
        self.reduction == Reduction::Por
            || is_ordered
            || self.optimisations.iter().any(|pass| *pass != "pack")
    }

    fn unchecked_text(&self) -> String {
        format!(
            "{} {} not checked: docs/properties.md says when that is so (`--property safety` leaves {} out)",
            self.unchecked.join(", "),
            if self.unchecked.len() == 1 { "was" } else { "were" },
            if self.unchecked.len() == 1 { "it" } else { "them" },
        )
    }

    fn why_text(&self, why: WhyIncomplete) -> String {
        match why {
            WhyIncomplete::UncheckedProperties => self.unchecked_text(),
            WhyIncomplete::Limit(limit) => self.limit_text(limit),
        }
    }

    fn limit_text(&self, limit: Limit) -> String {
        let (stored, expanded) = (self.statistics.stored, self.statistics.expanded);
        let share = match expanded < stored {
            true => format!(
                "{} of the {} met {} explored; how many lie beyond is unknown",
                human::count(expanded),
                human::plural(stored, "state"),
                if expanded == 1 { "was" } else { "were" },
            ),
            false => format!("{} met; how many lie beyond is unknown", human::plural(stored, "state")),
        };
        match limit {
            Limit::Depth => format!("some paths are longer than --depth allows; {share}"),
            Limit::Bitstate | Limit::HashCompact => self.confusion_text(),
            Limit::Memory if self.has_memory_limit => {
                format!("the search needs more than --memory allows; {share}")
            }
            Limit::Memory => format!("the search needs more memory than there is; {share}"),
            Limit::Time => format!("the search takes longer than --time allows; {share}"),
            Limit::DStep => self.given_up_text(),
            Limit::EndlessAtomic => {
                "executions that stay inside an atomic sequence for ever were not followed".to_string()
            }
            Limit::Stopped => format!("it was interrupted; {share}"),
            Limit::Disk => format!("the disk is full, or it fails; {share}"),
            other => partial_text(other, self.0),
        }
    }

    /// Which deterministic steps were given up.
    fn given_up_text(&self) -> String {
        let (message, place) = match self.given_up.first() {
            Some(first) => first,
            None => return "a deterministic step was given up".to_string(),
        };
        let more = match self.given_up.len() {
            0 | 1 => String::new(),
            count => format!(" ({})", human::more(count as u64 - 1, "such step", "such steps")),
        };
        format!("{message}, at {place}{more}; what comes after it was not looked at")
    }

    fn errors_text(&self, style: &Style) -> String {
        let mut out = String::new();
        for error in self.errors.iter().take(ERRORS_SHOWN) {
            out += &error_text(error, self.errors.len() > 1, style);
        }
        if let [error] = &self.errors[..] {
            out += &stuck_text(error, style);
        }
        let more = self.errors.len().saturating_sub(ERRORS_SHOWN);
        if more > 0 {
            out += &format!(
                "  … and {} (--format json lists them all)\n",
                human::plural(more as u64, "more error")
            );
        }
        if !self.unchecked.is_empty() {
            out += &hanging("  ", &self.unchecked_text(), style.width);
        }
        out
    }

    fn numbers(&self, style: &Style) -> String {
        let statistics = &self.statistics;
        let how = match (self.strategy, statistics.estimates) {
            (Strategy::Bfs { shortest: true }, Some(_)) => {
                "by A* with a projection, which spares states here"
            }
            (strategy, _) => strategy.facts().how,
        };
        let how = match (&self.scope, self.heuristic) {
            (Some(scope), _) => format!("{how} ({})", scope_text(scope)),
            (None, Some(heuristic)) => format!("{how} (heuristic {heuristic})"),
            (None, None) => how.to_string(),
        };
        let limits: Vec<&str> = self
            .limits
            .iter()
            .filter(|why| **why != WhyIncomplete::UncheckedProperties)
            .map(|why| why.name())
            .collect();
        let end = match (self.searched_all, self.verdict, &limits[..]) {
            (true, ..) => "to the end".to_string(),
            (false, VerdictKind::Verified, _) => "up to the first execution that shows it".to_string(),
            (false, VerdictKind::Violated, limits) if self.stopped_at_error || limits.is_empty() => {
                "up to the first error (--all-errors goes on)".to_string()
            }
            (false, _, limits) => format!("up to a limit: {}", limits.join(", ")),
        };
        let states = format!(
            "{} stored, {} matched, {}, depth {}",
            human::count(statistics.stored),
            human::count(statistics.matched),
            human::plural(statistics.transitions, "transition"),
            human::count(statistics.max_depth),
        );
        let memory = format!(
            "{}; {:.1} bytes a state, vectors of up to {}",
            self.peak_memory_bytes.map_or_else(|| "unknown".to_string(), human::bytes),
            statistics.bytes_per_state,
            human::plural(statistics.vector_bytes as u64, "byte"),
        );
        let compiling = match self.engine {
            Engine::Jit => format!(" {} to compile it,", human::seconds(self.seconds.compile)),
            _ => String::new(),
        };
        let mut time = format!(
            "{} to read the model,{compiling} {} to search it",
            human::seconds(self.seconds.front_end),
            human::seconds(self.seconds.search),
        );
        if self.seconds.search > 0.1 {
            let rate = statistics.stored as f64 / self.seconds.search;
            time += &format!(" ({} states a second)", human::count(rate as u64));
        }
        let stored = self.store_text();
        let bound = match self.depth_max {
            Some(depth) => format!(", no path longer than {}", human::plural(depth, "step")),
            None => String::new(),
        };
        // Of products it is said with their properties.
        let is_of_product =
            !self.properties.is_empty() && self.properties.iter().all(|property| property.product.is_some());
        let reduction = if is_of_product { String::new() } else { reduction_text(self.reduction) };
        let symmetry = symmetry_text(&self.symmetry);
        let threads = if self.swarm.is_some() { String::new() } else { threads_text(self.threads) };
        let mut rows = vec![("checked", self.checked.join(", "))];
        rows.extend(self.meaning.iter().flat_map(|meaning| meaning::rows(meaning, self.judges_ends)));
        rows.extend([
            ("search", format!("{how}{threads}{reduction}{symmetry}{bound}, {stored}, {end}")),
            ("states", states),
        ]);
        if let Some(Estimates { initial, min, max, .. }) = statistics.estimates {
            let (expanded, generated) =
                (human::count(statistics.expanded), human::count(statistics.generated));
            let reopened = human::count(statistics.reopened);
            rows.push((
                "directed",
                format!(
                    "{expanded} expanded, {generated} generated, {reopened} re-opened; the estimate is {initial} at first, \
                     and from {min} to {max}"
                ),
            ));
        }
        rows.extend(self.owner_rows());
        rows.extend(self.filled_row());
        if let Some(SecondLook { strategy, statistics, has_found }) = &self.second_look {
            let expanded = human::plural(statistics.expanded, "state");
            let found = if *has_found { "which found this error" } else { "which found nothing" };
            rows.push(("then", format!("{}, {expanded} expanded, {found}", strategy.facts().how)));
        }
        rows.extend(self.temporal_rows());
        rows.extend(self.account_rows());
        rows.extend([("memory", memory), ("time", time)]);
        let rows = rows.into_iter().chain(self.partial_rows());
        rows.map(|(name, value)| hanging(&format!("  {name:<9}"), &value, style.width)).collect()
    }

    /// Why the search began again, and what its answer means.
    fn filled_row(&self) -> Option<(&'static str, String)> {
        let Filled { store, stored } = self.filled?;
        let states = human::plural(stored, "state");
        let means = match self.store {
            StoreSpec::Disk(_) => "which keeps every state: the answer means the same",
            StoreSpec::HashCompact => {
                "which keeps 64 bits of each state: an error is one, but that there is none is not certain"
            }
            _ => {
                "which keeps a few bits of each state: an error is one, but some states may have been left out"
            }
        };
        Some((
            "full",
            format!(
                "memory was full after {states} (`--store {store}`); began again with `--store {}`, {means}",
                self.store
            ),
        ))
    }

    /// What was found of each temporal property.
    fn temporal_rows(&self) -> Vec<(&'static str, String)> {
        let fairness = match self.fairness {
            Some(Fairness::Weak) => ", weakly fair executions only",
            Some(Fairness::Strong) => ", strongly fair executions only",
            _ => "",
        };
        let row = |property: &PropertyReport| {
            let (states, automaton) = property.product?;
            let states = human::plural(states, "state");
            let automaton = human::plural(automaton as u64, "state");
            let (name, verdict) = (&property.name, property.verdict);
            let search = property.search.map_or(String::new(), |search| format!(" ({search})"));
            let reduction = reduction_text(property.reduction);
            Some((
                "property",
                format!(
                    "{name}: {verdict}, {states} with its automaton of {automaton}{search}{fairness}{reduction}"
                ),
            ))
        };
        self.properties.iter().filter_map(row).collect()
    }

    fn unreached_text(&self, style: &Style) -> String {
        if self.unreached.is_empty() {
            return String::new();
        }
        let count = human::plural(self.unreached.len() as u64, "statement");
        let mut out =
            format!("\n{}\n", style.heading(&format!("Unreached: {count} that no execution gets to")));
        for process in self.unreached.chunk_by(|left, right| left.process == right.process) {
            out += &format!("  {}\n", process[0].process);
            for statement in process.iter().take(UNREACHED_SHOWN) {
                let place = format!("    {}:{}  ", statement.position.file, statement.position.line);
                let room = style.width.saturating_sub(place.chars().count()).max(20);
                out += &format!(
                    "{}{}\n",
                    style.paint(Paint::Faint, &place),
                    cut(&one_line(&statement.text), room)
                );
            }
            if process.len() > UNREACHED_SHOWN {
                out += &format!("    … and {} more\n", process.len() - UNREACHED_SHOWN);
            }
        }
        out
    }

    /// What stands below the trace: the error again, and where it is saved.
    fn below_trace(&self, error: &ErrorReport, is_shortened: bool, style: &Style) -> String {
        let Some(trace) = &error.trace else { return String::new() };
        let paint = if error.kind.is_witness() { Paint::Good } else { Paint::Bad };
        let mut out = format!("\n{}", style.paint(paint, &error_text(error, false, style)));
        if let Some(file) = &error.trace_file {
            let which = error.trace_number.map_or_else(String::new, |number| format!(" --error {number}"));
            let hint = match is_shortened {
                true => format!("`panoptes explain {file}{which}` shows all {} steps", trace.length()),
                false => format!("see its chart with `panoptes explain {file}{which}`"),
            };
            // A command stays on one line, so that it can be copied.
            let hint = format!("saved in {file}: {hint}");
            let parts: Vec<String> = hint
                .split('`')
                .enumerate()
                .map(|(index, part)| if index == 1 { part.replace(' ', "\u{a0}") } else { part.to_string() })
                .collect();
            out += &hanging("  ", &parts.join("`"), style.width).replace('\u{a0}', " ");
        } else if is_shortened {
            out += "  `--full-trace` shows all steps\n";
        }
        out
    }
}

/// Told if there were several.
/// The command that goes on with a search.
fn to_go_on(checkpoint: &CheckpointReport) -> String {
    format!("to go on: panoptes resume {}", human::shell_word(&checkpoint.file))
}

fn threads_text(threads: u32) -> String {
    if threads > 1 { format!(", {threads} threads") } else { String::new() }
}

fn reduction_text(reduction: Reduction) -> String {
    match reduction {
        Reduction::NotWanted => String::new(),
        Reduction::Por => ", partial order reduction".to_string(),
        Reduction::NotPossible(why_not) => format!(", no partial order reduction ({why_not})"),
    }
}

/// Told where there are processes that are alike.
fn symmetry_text(symmetry: &SymmetryUse) -> String {
    match symmetry {
        SymmetryUse::NotWanted | SymmetryUse::NoTwins | SymmetryUse::Idle(None) => String::new(),
        SymmetryUse::Used { processes, .. } => {
            format!(", symmetry reduction (the processes {} change places)", processes.join(", "))
        }
        SymmetryUse::Idle(Some(why)) | SymmetryUse::NotPossible(why) => {
            format!(", no symmetry reduction ({why})")
        }
    }
}

/// `deadlock after 8 steps: no process can move`; in a list with more to tell it from the others.
fn error_text(error: &ErrorReport, in_list: bool, style: &Style) -> String {
    let line = format!("{}{}", error_line(error, in_list), shortest_note(error));
    hanging(if in_list { "  - " } else { "  " }, &line, style.width)
}

/// Of a deadlock: where each process stands that may not end there, and whether an `end` label may be missing.
fn stuck_text(error: &ErrorReport, style: &Style) -> String {
    let end = error.trace.as_ref().and_then(|trace| trace.trace.end.as_ref());
    let Some(end) = end.filter(|_| error.kind == FindingKind::Deadlock) else { return String::new() };
    let stuck: Vec<String> = end
        .processes
        .iter()
        .filter(|process| !process.may_end)
        .map(|process| {
            let name = crate::step::process_name(&process.process, process.pid);
            format!("{name} at {}", process.location)
        })
        .collect();
    let more = stuck.len().saturating_sub(STUCK_SHOWN);
    let mut text = stuck[..stuck.len() - more].join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    let mut out = if text.is_empty() { String::new() } else { hanging("  stuck: ", &text, style.width) };
    if end.hint.is_some() {
        let text = "an `end` label may be all that is missing: see the hint below the trace";
        out += &hanging("  hint: ", text, style.width);
    }
    out
}

/// What is known of the length of a violation of a temporal property, if a shortest one was asked for.
fn shortest_note(error: &ErrorReport) -> &'static str {
    match error.is_shortest {
        Some(true) => " (none is shorter)",
        Some(false) => " (there may be a shorter one: a limit was met before that was known)",
        None => "",
    }
}

/// `ltl p violated: after 3 steps, 2 steps are repeated for ever`.
fn cycle_line(error: &ErrorReport, in_list: bool) -> String {
    let Some(start) = error.cycle_start else {
        return format!("{}: a limit keeps the execution from being shown", error.message);
    };
    let when = match start {
        0 => "from the initial state on".to_string(),
        start => format!("after {}", human::plural(start as u64, "step")),
    };
    let what = match error.length - start {
        0 => "nothing happens any more".to_string(),
        1 => "1 step is repeated for ever".to_string(),
        count => format!("{count} steps are repeated for ever"),
    };
    let mut text = match (&error.location, error.kind) {
        (Some(location), FindingKind::Fault(FaultKind::Stuck)) => {
            format!("{} at {location}: {when}, {what}", error.message)
        }
        _ => format!("{}: {when}, {what}", error.message),
    };
    if let Some(file) = error.trace_file.as_ref().filter(|_| in_list) {
        text += &format!(" [{file}]");
    }
    text
}

fn error_line(error: &ErrorReport, in_list: bool) -> String {
    let after = match error.length {
        0 => "in the initial state".to_string(),
        length => format!("after {}", human::plural(length as u64, "step")),
    };
    let (what, why) = match error.kind {
        FindingKind::Deadlock if !in_list => ("deadlock", "no process can move"),
        FindingKind::Fault(FaultKind::Assertion) => {
            ("assertion violated", error.message.trim_start_matches("assertion violated: "))
        }
        FindingKind::Fault(FaultKind::Requirement | FaultKind::Unfulfilled) => {
            ("assertion violated", error.message.as_str())
        }
        FindingKind::Fault(FaultKind::UnspecifiedReception) => {
            ("unspecified reception", error.message.as_str())
        }
        FindingKind::Fault(FaultKind::Invariant) => ("invariant violated", error.message.as_str()),
        FindingKind::Fault(kind) if kind.is_of_cycle() => return cycle_line(error, in_list),
        FindingKind::Fault(FaultKind::ClaimViolated) => ("property violated", error.message.as_str()),
        FindingKind::Fault(FaultKind::Monitor) => ("trace assertion violated", error.message.as_str()),
        FindingKind::Witness => match error.location {
            Some(_) => ("performed", error.message.as_str()),
            None => ("reached", error.message.as_str()),
        },
        FindingKind::Fault(_) => ("run-time error", error.message.as_str()),
        FindingKind::Deadlock => ("deadlock", error.message.as_str()),
    };
    let mut text = format!("{what} {after}: {why}");
    if let Some(location) = error.location.as_ref().filter(|_| error.kind != FindingKind::Deadlock) {
        text += &format!(", at {location}");
    }
    if error.count() > 1 {
        text += &format!(" (met {} times)", human::count(error.count()));
    }
    if let Some(file) = error.trace_file.as_ref().filter(|_| in_list) {
        text += &format!(" [{file}]");
    }
    text
}
