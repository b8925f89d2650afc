//! Source text, spans and diagnostics: where something stands, and how to tell a person what is wrong there.
#![forbid(unsafe_code)]

mod diagnostic;
mod excerpt;
mod map;
mod nearest;
mod render;
mod warning;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use map::{Expansion, ExpansionId, ExpansionKind, FileId, Position, SourceFile, SourceMap, Span};
pub use nearest::{did_you_mean, nearest};
pub use render::render;
pub use warning::{Warning, Warnings};
