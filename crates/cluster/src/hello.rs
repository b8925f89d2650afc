//! What two processes of a cluster tell each other before anything else, and how it differs.
//!
//! A hello is a list of named values. All but the process's own number and its secret must be equal on both sides: the version of the
//! program, the model, what is asked, how many processes there are.

use std::fmt;
use std::io::{self, Read, Write};

/// Everything that is said begins with this.
const MAGIC: &[u8; 16] = b"panoptes-owners\n";
/// A hello is no longer than this.
const BYTES_MAX: usize = 1 << 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    pub process: u32,
    /// Known to the processes of one run alone, if one program starts them all; else empty.
    pub secret: String,
    /// What must be the same: what it is, in words, and its value.
    pub facts: Vec<(String, String)>,
}

/// What two processes do not agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub what: String,
    pub here: String,
    pub there: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { what, here, there } = self;
        write!(f, "{what} differs: here {here}, there {there}")
    }
}

impl Hello {
    /// The hello of the same process on a connection that tells that it lives.
    pub fn of_pulse(&self) -> Hello {
        Hello { secret: format!("{} pulse", self.secret), ..self.clone() }
    }

    /// The first thing on which another does not agree.
    pub fn difference(&self, other: &Hello) -> Option<Difference> {
        let value = |hello: &Hello, what: &str| {
            let found = hello.facts.iter().find(|(name, _)| name == what);
            found.map_or_else(|| "nothing".to_string(), |(_, value)| value.clone())
        };
        let names = self.facts.iter().chain(&other.facts).map(|(name, _)| name);
        names
            .map(|name| (name, value(self, name), value(other, name)))
            .find(|(_, here, there)| here != there)
            .map(|(what, here, there)| Difference { what: what.clone(), here, there })
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut text = |text: &str| {
            bytes.extend_from_slice(&(text.len() as u32).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        };
        text(&self.secret);
        text(&self.process.to_string());
        for (what, value) in &self.facts {
            text(what);
            text(value);
        }
        if bytes.len() > BYTES_MAX {
            return Err(io::Error::other("there is too much to say"));
        }
        let mut all = MAGIC.to_vec();
        all.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        all.extend_from_slice(&bytes);
        out.write_all(&all)?;
        out.flush()
    }

    /// Fails if it is something else that is said.
    pub fn read(from: &mut impl Read) -> io::Result<Hello> {
        let strange = || io::Error::new(io::ErrorKind::InvalidData, "this is no process of a cluster");
        let (mut magic, mut length) = ([0; MAGIC.len()], [0; 4]);
        from.read_exact(&mut magic)?;
        from.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length) as usize;
        if magic != *MAGIC || length > BYTES_MAX {
            return Err(strange());
        }
        let mut bytes = vec![0; length];
        from.read_exact(&mut bytes)?;
        let mut rest = &bytes[..];
        let mut texts = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk::<4>().ok_or_else(strange)?;
            let (text, after) =
                after.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or_else(strange)?;
            texts.push(String::from_utf8(text.to_vec()).map_err(|_| strange())?);
            rest = after;
        }
        let mut texts = texts.into_iter();
        let (secret, process) = texts.next().zip(texts.next()).ok_or_else(strange)?;
        let process = process.parse().map_err(|_| strange())?;
        let mut facts = Vec::new();
        while let Some((what, value)) = texts.next().zip(texts.next()) {
            facts.push((what, value));
        }
        Ok(Hello { process, secret, facts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(facts: &[(&str, &str)]) -> Hello {
        let facts = facts.iter().map(|(what, value)| (what.to_string(), value.to_string())).collect();
        Hello { process: 3, secret: "s".to_string(), facts }
    }

    #[test]
    fn what_is_said_is_heard() {
        let said = hello(&[("the version", "0.1.0"), ("the model", "77")]);
        let mut bytes = Vec::new();
        said.write(&mut bytes).unwrap();
        assert_eq!(Hello::read(&mut &bytes[..]).unwrap(), said);
        assert!(Hello::read(&mut &bytes[..bytes.len() - 1]).is_err());
        bytes[0] ^= 1;
        assert!(Hello::read(&mut &bytes[..]).is_err());
        assert!(Hello::read(&mut &b"GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n"[..]).is_err());
    }

    #[test]
    fn the_first_difference_is_told() {
        let here = hello(&[("the version", "1"), ("the model", "77")]);
        assert_eq!(here.difference(&here), None);
        let there = hello(&[("the version", "1"), ("the model", "78")]);
        assert_eq!(here.difference(&there).unwrap().to_string(), "the model differs: here 77, there 78");
        let newer = hello(&[("the version", "1"), ("the model", "77"), ("the weather", "fine")]);
        assert_eq!(
            here.difference(&newer).unwrap().to_string(),
            "the weather differs: here nothing, there fine"
        );
    }
}
