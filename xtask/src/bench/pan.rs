//! Reading what SPIN's verifier prints.

const MEGABYTE: f64 = 1024.0 * 1024.0;

#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    pub stored: u64,
    pub transitions: u64,
    pub errors: u64,
    /// Some path was longer than `-m` allows.
    pub too_shallow: bool,
    /// The search ended before its end: what was counted is a part.
    pub partial: bool,
    /// What states and hash table take.
    pub state_bytes: f64,
}

impl Output {
    pub fn bytes_per_state(&self) -> f64 {
        self.state_bytes / self.stored as f64
    }
}

/// The numbers in the verifier's output; none if it did not get to print them.
pub fn read(text: &str) -> Option<Output> {
    let mut errors = None;
    let (mut stored, mut transitions) = (None, None);
    let (mut equivalent, mut actual, mut table) = (None, None, 0.0);
    for line in text.lines() {
        if let Some((_, count)) = line.split_once("errors: ") {
            errors = count.trim().parse().ok();
        } else if line.contains("states, stored") {
            stored = leading_number(line);
        } else if line.contains(" transitions (= ") {
            transitions = leading_number(line);
        } else if line.contains("equivalent memory usage for states") {
            equivalent = leading_number(line);
        } else if line.contains("actual memory usage for states") {
            actual = leading_number(line);
        } else if line.contains("memory used for hash table") {
            table = leading_number(line)?;
        }
    }
    Some(Output {
        stored: stored? as u64,
        transitions: transitions? as u64,
        errors: errors?,
        too_shallow: text.contains("max search depth too small"),
        partial: text.contains("Search not completed"),
        // The verifier leaves out the actual usage where it saves nothing.
        state_bytes: (actual.or(equivalent).unwrap_or(0.0) + table) * MEGABYTE,
    })
}

/// The verifier prints large numbers with an exponent, such as `1.0582e+07`.
fn leading_number(line: &str) -> Option<f64> {
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
pan:1: invalid end state (at depth 24315)

State-vector 116 byte, depth reached 434031, errors: 1
   531440 states, stored
  3720077 states, matched
  4251517 transitions (= stored+matched)

Stats on memory usage (in Megabytes):
   68.928\tequivalent memory usage for states (stored*(State-vector + overhead))
   29.427\tactual memory usage for states (compression: 42.69%)
    8.000\tmemory used for hash table (-w20)
   90.849\ttotal actual memory usage
";

    #[test]
    fn reads_counts_and_memory() {
        let output = read(OUTPUT).unwrap();
        assert_eq!((output.stored, output.transitions, output.errors), (531440, 4251517, 1));
        assert!(!output.too_shallow && !output.partial);
        assert!((output.bytes_per_state() - 37.427 * MEGABYTE / 531440.0).abs() < 1e-9);
    }

    /// A nested search visits some states twice.
    #[test]
    fn reads_the_counts_of_nested_searches() {
        let text = OUTPUT.replace("states, stored", "states, stored (948459 visited)");
        let output = read(&text.replace("(= stored+matched)", "(= visited+matched)")).unwrap();
        assert_eq!((output.stored, output.transitions), (531440, 4251517));
    }

    #[test]
    fn takes_the_equivalent_memory_where_there_is_no_other() {
        let text = OUTPUT.replace("29.427\tactual memory usage for states", "");
        assert!((read(&text).unwrap().state_bytes - 76.928 * MEGABYTE).abs() < 1e-3);
    }

    #[test]
    fn notices_searches_that_are_not_whole() {
        assert!(read(&format!("error: max search depth too small\n{OUTPUT}")).unwrap().too_shallow);
        assert!(read(&format!("Warning: Search not completed\n{OUTPUT}")).unwrap().partial);
        assert_eq!(read("pan: out of memory\n"), None);
    }
}
