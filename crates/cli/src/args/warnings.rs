//! Which warnings about a model's text are told.

use clap::Args;
use panoptes_source::{Warning, Warnings, did_you_mean};

#[derive(Clone, Debug, Default, Args)]
pub struct WarningArgs {
    /// Tell this warning, or `all`, or `none`; after `--no-warn all`, only those named here; may be given several times
    #[arg(long, value_name = "NAME", value_parser = choice, help_heading = "Model")]
    warn: Vec<Choice>,

    /// Do not tell this warning (the name in brackets, as in `warning[always-false]`), or `all`; may be given several
    /// times
    #[arg(long, value_name = "NAME", value_parser = choice, help_heading = "Model")]
    no_warn: Vec<Choice>,
}

/// One warning, or all or none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    All,
    None,
    One(Warning),
}

impl WarningArgs {
    /// What is said about all of them counts first, then what is said about one; in doubt a warning is not told.
    pub fn wanted(&self) -> Warnings {
        let is_silent = self.no_warn.contains(&Choice::All) || self.warn.contains(&Choice::None);
        let mut wanted = if is_silent { Warnings::NONE } else { Warnings::ALL };
        for choice in &self.warn {
            if let Choice::One(warning) = choice {
                wanted = wanted.with(*warning);
            }
        }
        for choice in &self.no_warn {
            if let Choice::One(warning) = choice {
                wanted = wanted.without(*warning);
            }
        }
        wanted
    }
}

fn choice(name: &str) -> Result<Choice, String> {
    match name {
        "all" => Ok(Choice::All),
        "none" => Ok(Choice::None),
        _ => Warning::named(name).map(Choice::One).ok_or_else(|| no_such(name)),
    }
}

fn no_such(name: &str) -> String {
    let names: Vec<&str> = Warning::ALL.iter().map(|warning| warning.name()).collect();
    if let Some(meant) = did_you_mean(name, names.iter().copied()) {
        return format!("there is no warning `{name}`; {meant}");
    }
    format!("there is no warning `{name}`; there is all, none, {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(warn: &[&str], no_warn: &[&str]) -> Warnings {
        let choices = |names: &[&str]| names.iter().map(|name| choice(name).expect("a name")).collect();
        WarningArgs { warn: choices(warn), no_warn: choices(no_warn) }.wanted()
    }

    #[test]
    fn all_first_then_single_ones() {
        assert_eq!(wanted(&[], &[]), Warnings::ALL);
        assert_eq!(wanted(&[], &["all"]), Warnings::NONE);
        assert_eq!(wanted(&["none"], &[]), Warnings::NONE);
        assert_eq!(wanted(&["wide-bit"], &["all"]), Warnings::NONE.with(Warning::WideBit));
        assert_eq!(wanted(&["all"], &["wide-bit"]), Warnings::ALL.without(Warning::WideBit));
        assert_eq!(wanted(&["wide-bit"], &["wide-bit"]), Warnings::ALL.without(Warning::WideBit));
    }
}
