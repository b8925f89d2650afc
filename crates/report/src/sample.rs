//! What makes the states, as text and JSON: see [`panoptes_check::Sample`].

use crate::step::place;
use crate::wrap::{cut, hanging, one_line};
use crate::{Style, View, human};
use panoptes_check::{Sample, Suspect};
use serde::Serialize;

/// Lines of each table of the text.
const ROWS: usize = 8;
/// The width of the column with names.
const NAME_MIN: usize = 12;
const NAME_MAX: usize = 36;
/// Objects of each list of the JSON.
const OBJECTS: usize = 200;

impl View<'_> {
    /// Five small tables; empty if it was not asked for.
    pub(crate) fn sample_text(&self, style: &Style) -> String {
        let Some(sample) = &self.sample else { return String::new() };
        let of = match sample.is_all {
            true => format!("all {} states", human::count(sample.states)),
            false => format!("a sample of {} states", human::count(sample.states)),
        };
        let heading = style.heading("What makes the states");
        let mut out = format!("\n{heading} ({of} of the model as written)\n");
        let mut table = |title: [&str; 3], rows: Vec<[String; 3]>, all: usize| {
            if rows.is_empty() {
                return;
            }
            let widest = rows.iter().map(|[_, name, _]| name.chars().count()).max().unwrap_or(0);
            let width = widest.clamp(NAME_MIN, NAME_MAX);
            out += &row(title, width, style);
            out.extend(rows.iter().map(|[first, second, third]| row([first, second, third], width, style)));
            if all > rows.len() {
                out += &format!("  … and {} more\n", all - rows.len());
            }
        };
        let variables = sample.variables.iter().take(ROWS).map(|it| {
            let grows = if it.only_grows { ", only grows" } else { "" };
            [human::count(it.values as u64), it.name.clone(), format!("{} to {}{grows}", it.min, it.max)]
        });
        table(["values", "variable", ""], variables.collect(), sample.variables.len());
        let channels = sample.channels.iter().take(ROWS).map(|it| {
            [
                human::count(it.contents as u64),
                it.name.clone(),
                format!("up to {} of {} messages", it.longest, it.capacity),
            ]
        });
        table(["contents", "channel", ""], channels.collect(), sample.channels.len());
        let places = sample.places.iter().take(ROWS);
        let places = places.map(|it| {
            let share = 100.0 * it.states as f64 / sample.states.max(1) as f64;
            [
                human::count(it.states),
                it.process.clone(),
                format!("{} ({share:.0} %)", place(&it.location, &self.model)),
            ]
        });
        table(["states", "place", ""], places.collect(), sample.places.len());
        let steps = sample.steps.iter().take(ROWS).map(|it| {
            let text = format!("{} {}", place(&it.location, &self.model), one_line(&it.statement));
            [human::count(it.count), it.process.clone(), text]
        });
        table(["times", "step", ""], steps.collect(), sample.steps.len());
        let options = &sample.options;
        let never = options.never.iter().take(ROWS).map(|it| {
            let text = format!("{} {}", place(&it.location, &self.model), one_line(&it.statement));
            [if it.reached { "never" } else { "unreached" }.to_string(), it.process.clone(), text]
        });
        if options.all > 0 {
            let in_sample = if sample.is_all { "" } else { " in this sample" };
            let text = format!("options of choices: {} of {} taken{in_sample}", options.taken, options.all);
            table(["", "option", &text], never.collect(), options.never.len());
        }
        out
    }

    /// What may be why there are so many states.
    pub(crate) fn suspects_text(&self, style: &Style) -> String {
        let lines = self.suspects.iter().map(|suspect| hanging("  suspect: ", &suspect.why, style.width));
        let text: String = lines.collect();
        match text.is_empty() {
            true => text,
            false => format!("\n{text}"),
        }
    }
}

fn row([first, second, third]: [&str; 3], width: usize, style: &Style) -> String {
    let line = format!("  {first:>10}  {:<width$}  {third}", cut(second, width));
    cut(line.trim_end(), style.width.max(40)) + "\n"
}

/// What `--format json` says of it.
#[derive(Serialize)]
pub(crate) struct SampleObject<'a> {
    states: u64,
    complete: bool,
    variables: Vec<VariableObject<'a>>,
    channels: Vec<ChannelObject<'a>>,
    places: Vec<PlaceObject<'a>>,
    steps: Vec<StepObject<'a>>,
    options: OptionsObject<'a>,
}

#[derive(Serialize)]
struct VariableObject<'a> {
    name: &'a str,
    values: usize,
    min: i32,
    max: i32,
    only_grows: bool,
}

#[derive(Serialize)]
struct ChannelObject<'a> {
    name: &'a str,
    capacity: u16,
    longest: usize,
    contents: usize,
}

#[derive(Serialize)]
struct PlaceObject<'a> {
    process: &'a str,
    location: &'a str,
    states: u64,
}

#[derive(Serialize)]
struct StepObject<'a> {
    process: &'a str,
    location: &'a str,
    statement: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct OptionsObject<'a> {
    all: usize,
    taken: usize,
    never: Vec<NeverObject<'a>>,
}

#[derive(Serialize)]
struct NeverObject<'a> {
    process: &'a str,
    location: &'a str,
    statement: &'a str,
    reached: bool,
}

impl<'a> From<&'a Sample> for SampleObject<'a> {
    fn from(sample: &'a Sample) -> SampleObject<'a> {
        let variables = sample.variables.iter().take(OBJECTS).map(|it| VariableObject {
            name: &it.name,
            values: it.values,
            min: it.min,
            max: it.max,
            only_grows: it.only_grows,
        });
        let channels = sample.channels.iter().take(OBJECTS).map(|it| ChannelObject {
            name: &it.name,
            capacity: it.capacity,
            longest: it.longest,
            contents: it.contents,
        });
        let places = sample.places.iter().take(OBJECTS).map(|it| PlaceObject {
            process: &it.process,
            location: &it.location,
            states: it.states,
        });
        let steps = sample.steps.iter().take(OBJECTS).map(|it| StepObject {
            process: &it.process,
            location: &it.location,
            statement: &it.statement,
            count: it.count,
        });
        let never = sample.options.never.iter().take(OBJECTS).map(|it| NeverObject {
            process: &it.process,
            location: &it.location,
            statement: &it.statement,
            reached: it.reached,
        });
        let (all, taken) = (sample.options.all, sample.options.taken);
        SampleObject {
            states: sample.states,
            complete: sample.is_all,
            variables: variables.collect(),
            channels: channels.collect(),
            places: places.collect(),
            steps: steps.collect(),
            options: OptionsObject { all, taken, never: never.collect() },
        }
    }
}

#[derive(Serialize)]
pub(crate) struct SuspectObject<'a> {
    kind: &'static str,
    name: &'a str,
    message: &'a str,
}

impl<'a> From<&'a Suspect> for SuspectObject<'a> {
    fn from(suspect: &'a Suspect) -> SuspectObject<'a> {
        SuspectObject { kind: suspect.kind.name(), name: &suspect.name, message: &suspect.why }
    }
}
