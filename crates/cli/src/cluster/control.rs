//! What a process of a cluster tells the command that started it: lines on its standard output that no answer has.

use std::io::Write;
use std::time::Duration;

/// Such a line begins with this.
const MARK: char = '\u{1}';
/// How often a process says that it is there.
const EVERY: Duration = Duration::from_secs(1);
/// A process that says nothing for so long is taken for lost.
pub const SILENCE_MAX: Duration = Duration::from_secs(30);

/// The status of a process that lost another, and said so.
pub const LOST: i32 = 75;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// It waits for others at this port.
    Port(u16),
    Alive,
    /// It cannot go on without another one: why.
    Lost(String),
}

impl Word {
    /// The word on a line, if it is no part of the answer.
    pub fn read(line: &str) -> Option<Word> {
        let line = line.strip_prefix(MARK)?.trim_end();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "port" => rest.parse().ok().map(Word::Port),
            "lost" => Some(Word::Lost(rest.to_string())),
            _ => Some(Word::Alive),
        }
    }

    pub fn say(&self) {
        let text = match self {
            Word::Port(port) => format!("port {port}"),
            Word::Alive => "alive".to_string(),
            Word::Lost(why) => format!("lost {}", why.replace('\n', " ")),
        };
        let mut out = std::io::stdout().lock();
        // If nobody listens, the end of the input tells that.
        let _ = writeln!(out, "{MARK}{text}").and_then(|()| out.flush());
    }
}

/// Says now and then that this process is there.
pub fn keep_telling() {
    std::thread::spawn(|| {
        loop {
            Word::Alive.say();
            std::thread::sleep(EVERY);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_answers() {
        assert_eq!(Word::read("\u{1}port 7000\n"), Some(Word::Port(7000)));
        assert_eq!(Word::read("\u{1}alive\n"), Some(Word::Alive));
        assert_eq!(Word::read("\u{1}lost process 1\n"), Some(Word::Lost("process 1".to_string())));
        assert_eq!(Word::read("VERIFIED  m.pml\n"), None);
    }
}
