//! Verdicts, statistics and traces for people and scripts.
//!
//! A [`Report`](panoptes_check::Report) sums up one check; a [`View`] of it is written as text ([`View::to_text`]) or JSON
//! ([`View::to_json`]). A trace is
//! written as a table with a column for each process ([`trace_text`]) or each queue ([`queues_text`]), or as a message
//! sequence chart ([`Chart`]) for a terminal, as SVG, Mermaid or PlantUML.
#![forbid(unsafe_code)]

mod account;
mod diagnostics;
mod estimate;
mod json;
mod meaning;
mod owners;
mod recurrence;
mod sample;
mod scope;
mod summary;
mod unsearched;
mod view;
mod waiting;

mod chart;
mod markup;
mod page;
mod queues;
mod state;
mod state_at;
mod step;
mod story;
mod trace_table;

mod grid;
pub mod human;
mod style;
mod wrap;

pub use chart::{Chart, ChartOptions, SVG_STYLE, SvgParts};
pub use diagnostics::broken_json;
pub use estimate::{estimate_json, estimate_text};
pub use markup::escape;
pub use page::{Page, PageState, PageTrace};
pub use queues::{QueueTable, queues_text};
pub use scope::scope_text;
pub use state::{snapshot_text, values_text};
pub use state_at::StateAt;
pub use step::{failure_text, paint_of, place, step_lines};
pub use story::Story;
pub use style::{Paint, Style};
pub use trace_table::{StepSource, trace_text, write_chart, write_explanation, write_range, write_trace};
pub use view::View;
