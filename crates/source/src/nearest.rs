//! "Did you mean": the known name that a mistyped one most likely stands for.

/// Longer names are compared no further: nobody mistypes them, programs write them.
const LENGTH_MAX: usize = 64;

/// The known name nearest to a mistyped one, if one is near enough to be meant: one slip for each three letters, or the
/// same letters in another case.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() > LENGTH_MAX {
        return None;
    }
    let slips_max = letters.len() / 3;
    let rated = known.into_iter().filter(|other| *other != name).filter_map(|other| {
        let slips = match other.eq_ignore_ascii_case(name) {
            true => 0,
            // A letter more or less is a slip, whatever the others are; a letter is at most four bytes.
            false if other.len() > name.len() + 4 * slips_max => return None,
            false => slips(&letters, other),
        };
        let longer = other.len().abs_diff(name.len());
        (slips <= slips_max).then_some((slips, longer, other))
    });
    // Of equally near ones that of the same length, and the first by name: the answer does not depend on the order.
    rated.min().map(|(_, _, other)| other)
}

/// A sentence for a help line: "did you mean `start`?"
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|meant| format!("did you mean `{meant}`?"))
}

/// How many letters have to be put in, left out, changed, or swapped with their neighbour.
fn slips(letters: &[char], other: &str) -> usize {
    let other: Vec<char> = other.chars().take(LENGTH_MAX + 1).collect();
    let width = other.len() + 1;
    // Rows of the table of distances between the beginnings of both: the last two, and the one being filled.
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (row, letter) in letters.iter().enumerate() {
        let mut next = vec![row + 1; width];
        for (column, with) in other.iter().enumerate() {
            let changed = last[column] + usize::from(letter != with);
            let mut best = changed.min(last[column + 1] + 1).min(next[column] + 1);
            let swapped = row > 0 && column > 0 && *letter == other[column - 1] && letters[row - 1] == *with;
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            next[column + 1] = best;
        }
        before = std::mem::replace(&mut last, next);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> usize {
        slips(&a.chars().collect::<Vec<_>>(), b)
    }

    #[test]
    fn slips_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("start", "start", 0),
            ("strat", "start", 1),
            ("whlie", "while", 1),
            ("conut", "count", 1),
            ("sender", "sendr", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn only_what_may_be_meant() {
        let known = ["start", "stop", "n", "ack", "nak"];
        assert_eq!(nearest("strat", known), Some("start"));
        assert_eq!(nearest("N", known), Some("n"));
        assert_eq!(nearest("ACK", known), Some("ack"));
        assert_eq!(nearest("m", known), None, "every other letter is as near");
        assert_eq!(nearest("elsewhere", known), None);
        assert_eq!(nearest("start", ["start"]), None, "it is known already");
        assert_eq!(nearest("bck", ["zck", "ack"]), Some("ack"));
    }
}
