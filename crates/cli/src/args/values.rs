//! Values with units, and definitions.

use panoptes_check::{EndStates, Timeouts};
use std::time::Duration;

/// `NAME` or `NAME=VALUE`.
pub fn define(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if starts && characters.all(|character| character.is_ascii_alphanumeric() || character == '_') {
        Ok((name.to_string(), value))
    } else {
        Err(format!("`{name}` is not a macro name"))
    }
}

pub fn timeouts(text: &str) -> Result<Timeouts, String> {
    match text {
        "free" => Ok(Timeouts::Free),
        "lock-only" => Ok(Timeouts::LockOnly),
        _ => Err("it is `free` or `lock-only`".to_string()),
    }
}

pub fn end_states(text: &str) -> Result<EndStates, String> {
    match text {
        "rest" => Ok(EndStates::Rest),
        "strict" => Ok(EndStates::Strict),
        _ => Err("it is `rest` or `strict`".to_string()),
    }
}

/// A whole number that is not negative.
pub fn number(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.chars().all(|character| character.is_ascii_digit());
    match text.parse() {
        Ok(number) if is_number => Ok(number),
        _ if is_number => Err(format!("it is more than {}", u64::MAX)),
        _ => Err("it must be a whole number, zero or more".to_string()),
    }
}

/// `1048576`, `512M`, `1GiB`: K, M, G, T and KiB … are powers of 1024, KB … powers of 1000.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let scale = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(format!("`{unit}` is no unit of memory; try 512M, 2G or 1GiB")),
    };
    Ok((number * scale) as u64)
}

/// `10s`, `2m`, `500ms`, `1h`; seconds without a unit.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "" | "s" | "sec" => 1.0,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(format!("`{unit}` is no unit of time; try 500ms, 10s, 2m or 1h")),
    };
    Duration::try_from_secs_f64(number * scale).map_err(|_| "that is too long".to_string())
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    let end =
        text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
    let number = text[..end]
        .parse()
        .map_err(|_| "it must be a number, zero or more, and perhaps a unit".to_string())?;
    Ok((number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("1GiB"), Ok(1 << 30));
        assert_eq!(size("1.5 kB"), Ok(1500));
        assert!(size("M").is_err() && size("1x").is_err() && size("-1").is_err());
    }

    #[test]
    fn numbers() {
        assert_eq!(number("12"), Ok(12));
        for wrong in ["", "-3", "+3", "abc", "1.5", "99999999999999999999"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert!(duration("soon").is_err() && duration("1y").is_err() && duration("").is_err());
    }

    #[test]
    fn definitions() {
        assert_eq!(define("N"), Ok(("N".to_string(), None)));
        assert_eq!(define("N=a=b"), Ok(("N".to_string(), Some("a=b".to_string()))));
        assert!(define("=1").is_err() && define("3N").is_err() && define("").is_err());
    }
}
