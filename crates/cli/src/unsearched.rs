//! The answer when a limit is met before there is anything to search.

use crate::args::{CheckArgs, Format};
use crate::failure::Status;
use crate::watch::{Limits, Watch};
use crate::{input, output, process};
use panoptes_check::{CheckOptions, Language};
use panoptes_report::{Before, Report, Seconds};
use panoptes_search::Limit;
use std::time::Instant;

/// Watches over the limits from now until the search begins; if one is met, gives the answer and ends the process.
pub fn watch(args: &CheckArgs, limits: Limits) -> Watch {
    let name = input::name(&args.model);
    let language = input::language(&args.model).unwrap_or(Language::Promela);
    let options = CheckOptions {
        search: args.search_kind(),
        store: args.store.kind(),
        store_settings: args.store.settings(args.seed),
        memory_bytes: args.memory,
        ..CheckOptions::default()
    };
    let (format, quiet, seed, start) = (args.format, args.quiet, args.seed, Instant::now());
    Watch::start(limits, move |limit: Limit, before: Before| {
        let seconds = Seconds { front_end: start.elapsed().as_secs_f64(), ..Seconds::default() };
        let mut report = Report::unsearched(&name, language, &options, limit, before, seconds);
        report.seed = seed;
        report.peak_memory_bytes = process::peak_memory_bytes();
        let style = output::stdout_style();
        let text = match format {
            Format::Json => report.to_json(),
            Format::Text if quiet => report.one_line(&style),
            Format::Text => report.to_text(&style),
        };
        // The status stands even if nobody reads the rest.
        let _ = output::to_stdout(&text);
        std::process::exit(Status::Partial as i32);
    })
}
