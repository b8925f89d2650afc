//! The mutants, their names, and which of them are tried.

use serde_json::Value;
use std::collections::HashMap;

pub struct Mutant {
    /// As cargo-mutants names it, with line and column.
    pub name: String,
    /// The name without line and column, and which of several equal ones it is in the file: it stays the same when
    /// something changes elsewhere.
    pub key: String,
    pub file: String,
    pub package: String,
    /// Which one it is of those that cargo-mutants takes when it is told the file and the name, and how many those are.
    /// (Mutants that delete the field of a struct are not left out by their names.)
    pub shard: (usize, usize),
}

/// Reads the list that cargo-mutants prints.
pub fn parse(json: &str) -> Result<Vec<Mutant>, String> {
    let unreadable = || "cannot read the list of cargo-mutants".to_string();
    let list: Value = serde_json::from_str(json).map_err(|error| format!("{}: {error}", unreadable()))?;
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut fields: HashMap<String, usize> = HashMap::new();
    let mutant = |value: &Value| {
        let text = |field: &str| Some(value.get(field)?.as_str()?.to_string());
        let (name, file, package) = (text("name")?, text("file")?, text("package")?);
        // The name is `FILE:LINE:COLUMN: WHAT`.
        let (_, what) = name.split_once(": ")?;
        let without_number = format!("{file}: {what}");
        let count = counts.entry(without_number.clone()).or_default();
        *count += 1;
        let before = fields.entry(file.clone()).or_default();
        let shard = (*before, 1);
        let is_field = text("genre")? == "StructField";
        *before += usize::from(is_field);
        Some((Mutant { key: format!("{without_number} #{count}"), name, file, package, shard }, is_field))
    };
    let mutants = list.as_array().ok_or_else(unreadable)?.iter().map(mutant).collect::<Option<Vec<_>>>();
    let with_count = |(mut mutant, is_field): (Mutant, bool)| {
        mutant.shard.1 = fields[&mutant.file] + usize::from(!is_field);
        mutant
    };
    Ok(mutants.ok_or_else(unreadable)?.into_iter().map(with_count).collect())
}

/// Sorts by a number that seed and key give: the first ones are the sample. When code is added or removed elsewhere, most
/// of the sample stays.
pub fn shuffle(mutants: &mut [Mutant], seed: u64) {
    mutants.sort_by_cached_key(|mutant| rank(seed, &mutant.key));
}

/// FNV-1a, and the finish of SplitMix64.
fn rank(seed: u64, key: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in format!("{seed}:{key}").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(lines: [u32; 3]) -> Vec<Mutant> {
        let entry = |line: u32, what: &str| {
            let genre = if what.starts_with("delete field") { "StructField" } else { "BinaryOperator" };
            format!(
                r#"{{"name":"a.rs:{line}:7: {what}","file":"a.rs","package":"panoptes-store","genre":"{genre}"}}"#
            )
        };
        let [first, second, third] = lines;
        let entries = [
            entry(first, "replace + with -"),
            entry(second, "delete field a: x"),
            entry(third, "replace + with -"),
        ];
        parse(&format!("[{}]", entries.join(","))).expect("a list")
    }

    #[test]
    fn keys_do_not_depend_on_lines() {
        let keys = |lines| list(lines).into_iter().map(|mutant| mutant.key).collect::<Vec<_>>();
        assert_eq!(keys([1, 2, 3]), keys([10, 20, 30]));
        assert_eq!(
            keys([1, 2, 3]),
            ["a.rs: replace + with - #1", "a.rs: delete field a: x #1", "a.rs: replace + with - #2"]
        );
    }

    #[test]
    fn mutants_of_fields_come_with_the_others() {
        let shards: Vec<_> = list([1, 2, 3]).into_iter().map(|mutant| mutant.shard).collect();
        assert_eq!(shards, [(0, 2), (0, 1), (1, 2)]);
    }

    #[test]
    fn the_seed_decides_about_the_order() {
        let order = |seed| {
            let mut list = list([1, 2, 3]);
            shuffle(&mut list, seed);
            list.into_iter().map(|mutant| mutant.key).collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert!((2..20).any(|seed| order(seed) != order(1)));
    }
}
