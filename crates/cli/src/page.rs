//! Pages: of a saved trace (`explain --format html`) and of a check (`check --report`).

use crate::failure::usage;
use crate::input::Input;
use crate::of_trace;
use crate::output;
use crate::saved::Saved;
use panoptes_check::Excerpt;
use panoptes_report::{Chart, ChartOptions, Page, PageState, PageTrace, StepSource, Story, View};
use panoptes_trace::{Trace, TraceStep};
use std::io;
use std::path::Path;

/// A page shows no more steps than this, unless a range is asked for.
pub const PAGE_STEPS: usize = 2_000;

/// What of a trace a page shows, held in memory.
pub struct Part {
    pub head: Trace,
    chart: Chart,
    before: PageState,
    steps: Vec<TraceStep>,
    story: Story,
}

impl Part {
    /// Reads the part of a trace that is asked for.
    pub fn read(
        head: &Trace,
        steps: &mut dyn StepSource,
        options: &ChartOptions,
        input: Result<&Input, &str>,
    ) -> io::Result<Part> {
        let mut excerpt = Excerpt::new(0);
        excerpt.trace = head.clone();
        steps.each(&mut |step| {
            excerpt.push(step.clone());
            Ok(())
        })?;
        let chart = Chart::build(head, &excerpt.survey, steps, options)?;
        let (mut before, mut held) = (PageState::initial(head), Vec::new());
        steps.each(&mut |step| {
            if step.number < *chart.range.start() {
                before.take(step);
            } else if chart.range.contains(&step.number) {
                held.push(step.clone());
            }
            Ok(())
        })?;
        let chance = of_trace::chance(input, head, steps);
        let story = Story::of(head, chance.as_ref());
        Ok(Part { head: head.clone(), chart, before, steps: held, story })
    }

    fn on_page(&self) -> PageTrace<'_> {
        PageTrace {
            head: &self.head,
            chart: &self.chart,
            story: &self.story,
            before: self.before.clone(),
            steps: self.steps.clone(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let range = self.chart.range_text();
        range
            .map(|range| format!("The page shows {range}; `--from` and `--to` choose others."))
            .into_iter()
            .collect()
    }
}

/// The page of a saved trace; without its model there is no text beside it.
pub fn of_trace(part: &Part, input: Option<&Input>) -> String {
    let files = input.map_or_else(Vec::new, of_trace::files);
    let model = part.head.origin.model.clone();
    Page { model, files, report: None, trace: Some(part.on_page()), notes: part.notes() }.to_html()
}

/// A search may take hours: whether its page can be written is found out before.
pub fn refuse_unwritable(path: &Path) -> anyhow::Result<()> {
    output::try_to_write(path).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> anyhow::Error {
    usage(format!("cannot write the report to {}: {error}", path.display()))
}

/// Writes the page of a check.
pub fn of_check(path: &Path, input: &Input, report: View<'_>) -> anyhow::Result<()> {
    let part = shown_part(input, report);
    let mut notes = part.as_ref().map_or_else(Vec::new, Part::notes);
    if part.is_none() && report.shown_error().is_some() {
        notes.push("The trace was not kept, so it is not shown.".to_string());
    }
    let trace = part.as_ref().map(Part::on_page);
    let page =
        Page { model: input.name.clone(), files: of_trace::files(input), report: Some(report), trace, notes };
    std::fs::write(path, page.to_html()).map_err(|error| unwritable(path, &error))
}

/// The trace of the first error: as the report holds it or, if it is longer, from its file.
fn shown_part(input: &Input, report: View<'_>) -> Option<Part> {
    let error = report.shown_error()?;
    let excerpt = error.trace.as_ref()?;
    let options = |length: usize| ChartOptions {
        from: (length > PAGE_STEPS).then(|| length + 1 - PAGE_STEPS),
        ..ChartOptions::default()
    };
    if excerpt.left_out() == 0 {
        let steps: Vec<TraceStep> = excerpt.first.iter().chain(&excerpt.last).cloned().collect();
        let head = Trace { length: steps.len(), ..excerpt.trace.clone() };
        return Part::read(&head, &mut &steps[..], &options(head.length), Ok(input)).ok();
    }
    let saved = Saved::open(Path::new(error.trace_file.as_ref()?)).ok()?;
    let mut chosen = saved.choose(error.trace_number.map(|number| number as u64)).ok()?;
    let head = chosen.head.clone();
    Part::read(&head, &mut chosen, &options(head.length), Ok(input)).ok()
}
