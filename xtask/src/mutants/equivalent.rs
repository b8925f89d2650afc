//! The mutants that no test can notice: `xtask/mutants-equivalent.txt`.
//!
//! An entry is the name of a mutant on a line of its own, and below it, indented, the reason. Lines that start with `#`
//! and empty lines are for the reader.

use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug)]
pub struct Equivalents(BTreeMap<String, String>);

impl Equivalents {
    pub fn read() -> Result<Equivalents, String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutants-equivalent.txt");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Equivalents::parse(&text)
    }

    fn parse(text: &str) -> Result<Equivalents, String> {
        let mut entries: BTreeMap<String, String> = BTreeMap::new();
        let mut last: Option<String> = None;
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            if line.starts_with(' ') {
                let key = last.as_ref().ok_or("mutants-equivalent.txt: a reason without a mutant")?;
                let reason = entries.get_mut(key).expect("it was put there");
                reason.push_str(line.trim());
                reason.push(' ');
                continue;
            }
            let key = line.trim().to_string();
            if entries.insert(key.clone(), String::new()).is_some() {
                return Err(format!("mutants-equivalent.txt: twice: {key}"));
            }
            last = Some(key);
        }
        match entries.iter().find(|(_, reason)| reason.is_empty()) {
            Some((key, _)) => Err(format!("mutants-equivalent.txt: no reason for: {key}")),
            None => Ok(Equivalents(entries)),
        }
    }

    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_read() {
        Equivalents::read().expect("a list with reasons");
    }

    #[test]
    fn every_mutant_needs_a_reason() {
        let list =
            Equivalents::parse("# why\n\na.rs: replace + #1\n    it is\n    zero\nb.rs: x #1\n    same\n");
        let list = list.expect("two entries");
        assert!(list.has("a.rs: replace + #1") && list.has("b.rs: x #1") && !list.has("it is"));
        assert_eq!(list.0["a.rs: replace + #1"], "it is zero ");
        assert!(
            Equivalents::parse("a.rs: x #1\nb.rs: y #1\n  r\n").unwrap_err().contains("no reason for: a.rs")
        );
        assert!(Equivalents::parse("  r\n").is_err());
        assert!(Equivalents::parse("a #1\n  r\na #1\n  r\n").unwrap_err().contains("twice"));
    }
}
