//! `golden.tsv`: what SPIN said of each model, reduced to what we compare.
//!
//! SPIN's breadth-first search misses deadlocks behind a rendezvous, so for a model with rendezvous its length
//! (`bfs_steps`) is only an upper bound; `short_steps` is the corrected length and wins where it is given.

use std::collections::{BTreeSet, HashMap};

/// The kinds of error of `--format json` that SPIN can tell apart.
pub type Kinds = BTreeSet<&'static str>;

#[derive(Debug)]
pub struct Row {
    /// The model, relative to `models/`.
    pub path: String,
    pub spin: Spin,
}

#[derive(Debug)]
pub enum Spin {
    Accepts {
        exact: Exact,
        shortest: Option<Shortest>,
        temporal: Vec<Temporal>,
    },
    /// The model is wrong and we must say so too.
    Rejects,
    /// SPIN's own peculiarity: accepting the model is as good as rejecting it.
    MayReject,
}

/// What SPIN's exhaustive search without reductions found.
#[derive(Debug)]
pub struct Exact {
    pub extent: Extent,
    pub states: u64,
    pub transitions: u64,
    pub kinds: Kinds,
    /// What its default search stored, with all its reductions.
    pub reduced_states: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it: the counts must be equal.
    Complete,
    /// A limit was reached: SPIN's counts are lower bounds and the errors it found are there.
    Partial,
    /// The model broke SPIN's verifier at run time: only the error is known.
    StoppedAtError,
    /// SPIN accepts the model but cannot verify it: nothing is known.
    Unknown,
}

/// The shortest error.
#[derive(Debug)]
pub struct Shortest {
    pub steps: u64,
    /// `steps` is only an upper bound.
    pub at_most: bool,
    /// An error of any of these kinds is as short.
    pub kinds: Kinds,
    /// How many states a breadth-first search stores before it finds the error, at most.
    pub states: u64,
}

/// What SPIN said of a temporal property.
#[derive(Debug, PartialEq, Eq)]
pub struct Temporal {
    /// As `--property` names it.
    pub property: String,
    /// Only weakly fair executions counted.
    pub fair: bool,
    pub violated: bool,
    /// The states that SPIN stored.
    pub states: u64,
}

pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines().enumerate();
    let (_, header) = lines.next().ok_or("golden.tsv is empty")?;
    let columns: HashMap<&str, usize> = header.split('\t').enumerate().map(|(i, name)| (name, i)).collect();
    lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(i, line)| {
            let record = Record { columns: &columns, fields: line.split('\t').collect() };
            record.row().map_err(|problem| format!("golden.tsv:{}: {problem}", i + 1))
        })
        .collect()
}

struct Record<'a> {
    columns: &'a HashMap<&'a str, usize>,
    fields: Vec<&'a str>,
}

impl Record<'_> {
    fn row(&self) -> Result<Row, String> {
        let spin = match (self.field("spin")?, self.field("reject_class")?) {
            ("accept", _) => Spin::Accepts {
                exact: self.exact()?,
                shortest: self.shortest()?,
                // A corpus need not have these.
                temporal: temporal(&["live", "np"].map(|column| self.field(column).unwrap_or("")))?,
            },
            ("reject", "must") => Spin::Rejects,
            ("reject", "may") => Spin::MayReject,
            (spin, class) => return Err(format!("spin=`{spin}` with reject_class=`{class}`")),
        };
        Ok(Row { path: self.field("path")?.to_string(), spin })
    }

    fn exact(&self) -> Result<Exact, String> {
        let extent = match self.field("exact_status")? {
            "complete" => Extent::Complete,
            "timeout" | "depth-truncated" => Extent::Partial,
            "stopped-at-error" => Extent::StoppedAtError,
            "spin-fails" => Extent::Unknown,
            status => return Err(format!("unknown exact_status `{status}`")),
        };
        let states = self.number("exact_states")?;
        let transitions = self.number("exact_trans")?;
        if extent == Extent::Complete && (states.is_none() || transitions.is_none()) {
            return Err("a complete row without counts".to_string());
        }
        Ok(Exact {
            extent,
            states: states.unwrap_or(0),
            transitions: transitions.unwrap_or(0),
            kinds: kinds(self.field("exact_kinds")?)?,
            reduced_states: match self.field("def_status")? {
                "complete" => self.number("def_states")?,
                _ => None,
            },
        })
    }

    fn shortest(&self) -> Result<Option<Shortest>, String> {
        let bfs_states = self.number("bfs_states")?;
        let all_states = self.number("exact_states")?;
        if let Some(steps) = self.number("short_steps")? {
            return Ok(Some(Shortest {
                steps,
                at_most: self.field("short_status")? != "complete",
                kinds: self.kinds_as_short("short_kind", steps)?,
                states: all_states.unwrap_or(u64::MAX),
            }));
        }
        let Some(steps) = self.number("bfs_steps")? else { return Ok(None) };
        Ok(Some(Shortest {
            steps,
            at_most: self.field("features")?.split(',').any(|feature| feature == "rendezvous"),
            kinds: self.kinds_as_short("bfs_kind", steps)?,
            states: bfs_states.or(all_states).unwrap_or(u64::MAX),
        }))
    }

    /// The kind in `column`, and those that SPIN found at the same depth when it looked for nothing else.
    fn kinds_as_short(&self, column: &str, steps: u64) -> Result<Kinds, String> {
        let mut kinds = kinds(self.field(column)?)?;
        if self.number("bfs_assert_steps")? == Some(steps) {
            kinds.insert("assertion");
        }
        if self.number("bfs_endstate_steps")? == Some(steps) {
            kinds.insert("deadlock");
        }
        Ok(kinds)
    }

    fn number(&self, column: &str) -> Result<Option<u64>, String> {
        match self.field(column)? {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| format!("{column}=`{text}` is not a number")),
        }
    }

    fn field(&self, column: &str) -> Result<&str, String> {
        let index = self.columns.get(column).ok_or_else(|| format!("no column `{column}`"))?;
        Ok(self.fields.get(*index).copied().unwrap_or(""))
    }
}

/// SPIN's messages, separated by commas, as our kinds.
fn kinds(text: &str) -> Result<Kinds, String> {
    text.split(',')
        .filter(|message| !message.is_empty())
        .map(|message| match message {
            "invalid end state" => Ok("deadlock"),
            "assertion violated" => Ok("assertion"),
            other if other.starts_with("other:") => Ok("runtime"),
            unknown => Err(format!("unknown kind of error `{unknown}`")),
        })
        .collect()
}

/// Reads `property=verdict|extent|states=N|…`, with ` ;; ` between runs. Runs that SPIN did not finish say nothing.
fn temporal(columns: &[&str]) -> Result<Vec<Temporal>, String> {
    let mut known = Vec::new();
    for run in columns.iter().flat_map(|column| column.split(" ;; ")).filter(|run| !run.is_empty()) {
        let (name, told) = run.split_once('=').ok_or_else(|| format!("`{run}` has no verdict"))?;
        let mut told = told.split('|');
        let violated = match (told.next(), told.next()) {
            (Some("none"), Some("complete")) => false,
            // An assertion of the model says nothing about the property.
            (Some("none" | "?" | "assertion violated"), _) => continue,
            (Some(_), Some(_)) => true,
            _ => return Err(format!("`{run}` has no verdict")),
        };
        let states = told.find_map(|part| part.strip_prefix("states=")?.parse().ok());
        let (name, fair) = name.strip_suffix("/fair").map_or((name, false), |name| (name, true));
        let property = if name == "(np)" { "progress" } else { name }.to_string();
        known.push(Temporal { property, fair, violated, states: states.unwrap_or(u64::MAX) });
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_one(fields: &[(&str, &str)]) -> Result<Row, String> {
        let columns = "path spin reject_class exact_status exact_states exact_trans exact_kinds def_status def_states bfs_kind bfs_steps \
                       bfs_states bfs_assert_steps bfs_endstate_steps short_status short_kind short_steps live np features";
        let value =
            |column: &str| fields.iter().find(|(name, _)| *name == column).map_or("", |(_, value)| *value);
        let header: Vec<&str> = columns.split_whitespace().collect();
        let line: Vec<&str> = header.iter().map(|column| value(column)).collect();
        let mut rows = parse(&format!("{}\n{}\n", header.join("\t"), line.join("\t")))?;
        Ok(rows.remove(0))
    }

    fn shortest_of(more: &[(&str, &str)]) -> Shortest {
        let mut fields = vec![
            ("spin", "accept"),
            ("exact_status", "complete"),
            ("exact_states", "10"),
            ("exact_trans", "12"),
            ("bfs_kind", "invalid end state"),
            ("bfs_steps", "9"),
            ("bfs_states", "7"),
        ];
        fields.extend_from_slice(more);
        match parse_one(&fields).unwrap().spin {
            Spin::Accepts { shortest: Some(shortest), .. } => shortest,
            other => panic!("no shortest error in {other:?}"),
        }
    }

    #[test]
    fn corrected_length_wins_over_breadth_first_length() {
        let shortest = shortest_of(&[
            ("short_steps", "5"),
            ("short_status", "complete"),
            ("short_kind", "assertion violated"),
            ("features", "rendezvous"),
        ]);
        assert_eq!((shortest.steps, shortest.at_most, shortest.states), (5, false, 10));
        assert_eq!(shortest.kinds, Kinds::from(["assertion"]));
    }

    #[test]
    fn breadth_first_length_is_a_bound_with_rendezvous() {
        assert!(!shortest_of(&[("features", "atomic")]).at_most);
        assert!(shortest_of(&[("features", "atomic,rendezvous")]).at_most);
    }

    #[test]
    fn truncated_correction_is_a_bound() {
        assert!(shortest_of(&[("short_steps", "5"), ("short_status", "depth-truncated")]).at_most);
    }

    #[test]
    fn kinds_of_the_same_length_are_as_good() {
        let shortest = shortest_of(&[("bfs_assert_steps", "9"), ("bfs_endstate_steps", "11")]);
        assert_eq!(shortest.kinds, Kinds::from(["assertion", "deadlock"]));
    }

    #[test]
    fn unknown_words_are_errors_with_their_line() {
        let problem = parse_one(&[("spin", "accept"), ("exact_status", "lost")]).unwrap_err();
        assert_eq!(problem, "golden.tsv:2: unknown exact_status `lost`");
    }

    #[test]
    fn temporal_runs() {
        let live = "p=none|complete|states=7 ;; p/fair=acceptance cycle|stopped-at-error|states=9|depth=3 ;; q=?|timeout|states=1 ;; q=assertion violated|stopped-at-error|states=3";
        let known = temporal(&[live, "(np)=none|complete|states=4"]).unwrap();
        let run = |property: &str, fair, violated, states| Temporal {
            property: property.to_string(),
            fair,
            violated,
            states,
        };
        let expected = [run("p", false, false, 7), run("p", true, true, 9), run("progress", false, false, 4)];
        assert_eq!(known, expected);
        assert!(temporal(&["p"]).is_err());
    }
}
