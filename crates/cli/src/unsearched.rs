//! The answer when a limit is met before there is anything to search.

use crate::args::{CheckArgs, Format};
use crate::expectation::{self, Expect};
use crate::failure::Status;
use crate::resume::Resumed;
use crate::watch::{RunLimits, Watch};
use crate::{input, output};
use panoptes_check::{Before, CheckSettings, CheckpointReport, Language, Report, Seconds, process};
use panoptes_report::View;
use panoptes_search::Limit;
use std::time::Instant;

/// Watches over the limits from now until the search begins; if one is met, gives the answer and ends the process.
pub fn watch(
    args: &CheckArgs,
    settings: &CheckSettings,
    limits: RunLimits,
    resumed: Option<&Resumed>,
) -> Watch {
    let name = input::name(&args.model);
    let language = input::language(&args.model).unwrap_or(Language::Promela);
    let settings = settings.clone();
    // The file that the search was to go on from is still there.
    let file = resumed.map(|resumed| &resumed.path).or(args.checkpoint.as_ref().map(|asked| &asked.path));
    let checkpoint = file.map(|file| CheckpointReport {
        file: file.display().to_string(),
        written: 0,
        is_resumed: false,
        is_resumable: resumed.is_some(),
    });
    let (format, quiet, start) = (args.format, args.quiet, Instant::now());
    let (is_one_of_many, expect) = (args.only.is_some(), args.expect);
    Watch::start(limits, move |limit: Limit, before: Before| {
        let seconds = Seconds { front_end: start.elapsed().as_secs_f64(), ..Seconds::default() };
        let mut report = Report::unsearched(&name, language, &settings, (limit, before), seconds);
        report.checkpoint.clone_from(&checkpoint);
        report.peak_memory_bytes = process::peak_memory_bytes();
        let report = View(&report);
        let style = output::stdout_style();
        let text = match format {
            Format::Json if is_one_of_many => report.to_json_line(),
            Format::Json => report.to_json(),
            Format::Text if quiet => report.one_line(&style),
            Format::Text => report.to_text(&style),
        };
        // The status stands even if nobody reads the rest.
        let _ = output::to_stdout(&text);
        let status = match expect {
            None => Status::Partial,
            // What a model expects of itself is not known before it is read, and rarely that nothing is known.
            Some(expect) => expectation::status(expect == Expect::Inconclusive),
        };
        std::process::exit(status as i32);
    })
}
