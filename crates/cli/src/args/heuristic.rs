//! `--heuristic NAME`, or `--heuristic user:FILE`.

use crate::input;
use panoptes_check::Heuristic;
use std::path::PathBuf;
use std::str::FromStr;

/// What leads a directed search, and where it is written.
#[derive(Clone, Debug)]
pub struct HeuristicArg {
    pub heuristic: Heuristic,
    file: Option<PathBuf>,
}

impl FromStr for HeuristicArg {
    type Err = String;

    fn from_str(given: &str) -> Result<HeuristicArg, String> {
        match given.split_once(':').unwrap_or((given, "")) {
            ("user", "") => Err("`user` needs a file to read: `--heuristic user:FILE`".to_string()),
            ("user", file) => Ok(HeuristicArg { heuristic: Heuristic::User, file: Some(file.into()) }),
            _ => {
                let heuristic =
                    given.parse().map_err(|error: panoptes_check::NameError| error.to_string())?;
                Ok(HeuristicArg { heuristic, file: None })
            }
        }
    }
}

impl HeuristicArg {
    /// What is written in the file, and what to call it.
    pub fn text(&self) -> anyhow::Result<Option<(String, String)>> {
        self.file.as_deref().map(input::text).transpose()
    }
}
