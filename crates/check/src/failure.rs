//! Why a check has no report.

use crate::{Contradiction, Loaded, Temporal, Unfollowed};
use panoptes_search::{Unfit, UnknownPart};
use panoptes_source::Diagnostic;
use panoptes_trace::ReplayError;
use std::fmt;

#[derive(Debug)]
pub enum CheckError {
    /// Settings do not go together.
    Contradiction(Contradiction),
    /// The model has no such part to fold.
    UnknownPart(UnknownPart),
    /// The heuristic does not lead to what is looked for.
    Unfit(Unfit),
    /// No files can be written in the directory of the store that an option asks for.
    Disk { dir: String, option: &'static str, why: std::io::Error },
    /// The search found something that its path does not show: a mistake of the search or of its executor, never of the
    /// model.
    NotShown { message: String, why: ReplayError },
    /// A temporal property that no search here can follow: its name, the place, and why.
    Unfollowed { property: String, location: String, diagnostic: Box<Diagnostic> },
}

impl CheckError {
    pub(crate) fn unfollowed(loaded: &Loaded, property: Temporal, why: Unfollowed) -> CheckError {
        let title = property.title(&loaded.model);
        let location = loaded.sources.user_position(why.span).to_string();
        let message = format!("{title} cannot be checked: {}", why.why);
        let wrong = Diagnostic::error(why.span, message).code("unfollowed");
        let diagnostic = Box::new(wrong.help("`--property safety` checks the rest"));
        CheckError::Unfollowed { property: title, location, diagnostic }
    }
}

impl From<Contradiction> for CheckError {
    fn from(found: Contradiction) -> CheckError {
        CheckError::Contradiction(found)
    }
}

impl From<Unfit> for CheckError {
    fn from(unfit: Unfit) -> CheckError {
        CheckError::Unfit(unfit)
    }
}

impl From<UnknownPart> for CheckError {
    fn from(part: UnknownPart) -> CheckError {
        CheckError::UnknownPart(part)
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Contradiction(found) => found.fmt(f),
            CheckError::Unfit(unfit) => write!(f, "the heuristic does not fit: {unfit}"),
            CheckError::UnknownPart(part) => {
                let known = match part.known.is_empty() {
                    true => format!("it has no {}", part.what),
                    false => format!("there is {}", first_of(&part.known)),
                };
                write!(f, "the model has no {} `{}` to fold; {known}", part.what, part.name)
            }
            CheckError::Disk { dir, option, why } => {
                write!(f, "no files can be written in `{dir}`, which `{option} disk:{dir}` needs: {why}")
            }
            CheckError::Unfollowed { location, diagnostic, .. } => {
                write!(f, "{location}: {}", diagnostic.message)
            }
            CheckError::NotShown { message, why } => {
                write!(f, "the search found “{message}”, but its path does not show it: {why}")
            }
        }
    }
}

impl std::error::Error for CheckError {}

/// The first names of a list, and how many more there are.
fn first_of(names: &[String]) -> String {
    const SHOWN_MAX: usize = 24;
    let more = names.len().saturating_sub(SHOWN_MAX);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
