//! Numbers as people read them.

/// `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 state`, `2 states`.
pub fn plural(number: u64, noun: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {noun}{end}", count(number))
}

/// `1 more process`, `2 more processes`.
pub fn more(number: u64, one: &str, many: &str) -> String {
    format!("{} more {}", count(number), if number == 1 { one } else { many })
}

/// `12.3 MiB`.
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return if unit == "bytes" { plural(number, "byte") } else { format!("{value:.1} {unit}") };
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

/// `0.25 ms`, `12 ms`, `1.5 s`, `2 min 3 s`.
pub fn seconds(seconds: f64) -> String {
    if seconds < 0.01 {
        format!("{:.2} ms", seconds * 1e3)
    } else if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

/// A word as a shell reads it.
pub fn shell_word(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,+".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([count(7), count(1234), count(1234567)], ["7", "1,234", "1,234,567"]);
        assert_eq!([plural(1, "state"), plural(0, "state")], ["1 state", "0 states"]);
        assert_eq!([bytes(100), bytes(2048), bytes(3 << 30)], ["100 bytes", "2.0 KiB", "3.0 GiB"]);
        assert_eq!([seconds(0.00025), seconds(0.0123)], ["0.25 ms", "12 ms"]);
        assert_eq!([seconds(1.23), seconds(123.0)], ["1.2 s", "2 min 3 s"]);
    }

    #[test]
    fn a_shell_reads_words_as_they_were() {
        assert_eq!(shell_word("-DN=3"), "-DN=3");
        assert_eq!(shell_word("my model.pml"), "'my model.pml'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
    }
}
