//! Values with units, and definitions.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use panoptes_check::{Folding, Named, named};
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

/// One of the names of a type; the help lists them.
pub fn choice<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(T::name))
        .map(|name| named(&name).expect("only these names are possible"))
}

/// One of two names, for an option whose help tells what they mean.
pub fn either<T: Named>(text: &str) -> Result<T, String> {
    named(text).map_err(|_| {
        let names: Vec<String> = T::ALL.iter().map(|choice| format!("`{}`", choice.name())).collect();
        format!("it is {}", names.join(" or "))
    })
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

/// A number of at least one, or `all` for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<u32>);

pub fn limit(text: &str) -> Result<Limit, String> {
    if text == "all" {
        return Ok(Limit(None));
    }
    match number(text) {
        Ok(0) => Err("with a limit of zero there is nothing to follow; give 1 or more, or `all`".to_string()),
        Ok(number) => Ok(Limit(Some(u32::try_from(number).unwrap_or(u32::MAX)))),
        Err(_) => Err("it must be a whole number, 1 or more, or `all`".to_string()),
    }
}

/// A number of at least one.
pub fn count(text: &str) -> Result<u32, String> {
    match number(text).map(u32::try_from) {
        Ok(Ok(count)) if count > 0 => Ok(count),
        _ => Err("it must be a whole number, 1 or more".to_string()),
    }
}

/// `process=NAME`, `channel=NAME`, `variable=NAME`.
pub fn folding(text: &str) -> Result<Folding, String> {
    let part = text.split_once('=').filter(|(_, name)| !name.trim().is_empty());
    match part.map(|(what, name)| (what.trim(), name.trim().to_string())) {
        Some(("process", name)) => Ok(Folding::Process(name)),
        Some(("channel", name)) => Ok(Folding::Channel(name)),
        Some(("variable", name)) => Ok(Folding::Variable(name)),
        _ => Err("say what to fold: process=NAME, channel=NAME or variable=NAME".to_string()),
    }
}

/// `1000000`, `512M`, `1G`: a number of bits; K, M, G, T are powers of 1024.
pub fn bits(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(format!("`{unit}` is no unit of bits; try 512M or 1G, which is 2^30 bits")),
    };
    match (number * (1u64 << shift) as f64) as u64 {
        0 => Err("an array has at least one bit".to_string()),
        // Nobody wants so few, but SPIN's `-w28` means 2^28.
        power @ 10..=49 => Err(format!(
            "an array of {power} bits holds next to nothing; SPIN's `-w{power}`, 2^{power} bits, is `--bits {}{}` here",
            1 << (power % 10),
            ["K", "M", "G", "T"][power as usize / 10 - 1],
        )),
        // The length of an array in memory is less than 2^47 bytes on the machines there are.
        bits if bits > 1 << 50 => Err("no memory has so many bits".to_string()),
        bits => Ok(bits),
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
    match (number * scale) as u64 {
        0 => Err(
            "with no memory at all nothing can be searched; give some, as in 512M, or leave the limit out"
                .to_string(),
        ),
        bytes => Ok(bytes),
    }
}

/// `10s`, `2m`, `500ms`, `1h`, `1h30m`; seconds without a unit.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (mut seconds, mut rest, mut is_first) = (0.0, text, true);
    loop {
        let (number, after) = split(rest)?;
        let (unit, more) = after.split_at(after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len()));
        let scale = match unit.trim() {
            "" if is_first && more.is_empty() => 1.0,
            "s" | "sec" => 1.0,
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            "" => return Err("each number needs a unit; try 500ms, 10s, 2m or 1h30m".to_string()),
            unit => return Err(format!("`{unit}` is no unit of time; try 500ms, 10s, 2m or 1h30m")),
        };
        seconds += number * scale;
        (rest, is_first) = (more, false);
        if rest.is_empty() {
            break;
        }
    }
    match Duration::try_from_secs_f64(seconds) {
        Ok(Duration::ZERO) => {
            Err("with no time at all nothing can be searched; give some, as in 500ms or 10s, or leave the limit out"
                .to_string())
        }
        Ok(time) => Ok(time),
        Err(_) => Err("that is too long".to_string()),
    }
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
        assert!(["M", "1x", "-1", "0", "0G", "0.5"].iter().all(|wrong| size(wrong).is_err()));
    }

    #[test]
    fn numbers_of_bits() {
        assert_eq!(bits("4096"), Ok(4096));
        assert_eq!(bits("1G"), Ok(1 << 30));
        assert_eq!(bits("1.5k"), Ok(1536));
        assert!(["0", "1GiB", "-1", "", "99999T"].iter().all(|wrong| bits(wrong).is_err()));
        for (power, is) in [("10", "1K"), ("28", "256M"), ("30", "1G"), ("49", "512T")] {
            assert!(bits(power).is_err_and(|why| why.contains(&format!("`--bits {is}`"))), "{power}");
            assert_eq!(bits(is), Ok(1 << power.parse::<u32>().expect("a number")));
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(number("12"), Ok(12));
        for wrong in ["", "-3", "+3", "abc", "1.5", "99999999999999999999"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(limit("3"), Ok(Limit(Some(3))));
        assert_eq!(limit("all"), Ok(Limit(None)));
        assert!(limit("0").is_err() && limit("-1").is_err() && limit("many").is_err());
    }

    #[test]
    fn foldings() {
        assert_eq!(folding("channel=q"), Ok(Folding::Channel("q".to_string())));
        assert_eq!(folding("variable=P:x"), Ok(Folding::Variable("P:x".to_string())));
        assert!(folding("q").is_err() && folding("queue=q").is_err() && folding("process=").is_err());
    }

    #[test]
    fn durations() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("1m 0.5s"), Ok(Duration::from_millis(60_500)));
        assert!(["1h30", "10 20", "1h30x", "m", "1h m"].iter().all(|wrong| duration(wrong).is_err()));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert!(["0", "0s", "0.0h"].iter().all(|wrong| duration(wrong).is_err()));
        assert!(duration("soon").is_err() && duration("1y").is_err() && duration("").is_err());
    }

    #[test]
    fn definitions() {
        assert_eq!(define("N"), Ok(("N".to_string(), None)));
        assert_eq!(define("N=a=b"), Ok(("N".to_string(), Some("a=b".to_string()))));
        assert!(define("=1").is_err() && define("3N").is_err() && define("").is_err());
    }
}
