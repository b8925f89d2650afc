//! Random small Argos models: processes that send each other messages, with timers, procedures and values below zero.
//!
//! The text is made to be accepted (each channel has one reader, every name is declared) and to have few states: values stay
//! small, channels are short. Most models have mistakes of the kinds that a validator looks for: messages that are not
//! expected where they arrive, processes that wait for each other, assertions that do not hold.

use crate::Rng;
use std::fmt::Write;

/// The Argos model of a seed.
pub fn generate_argos(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xa2_605);
    let process_count = rng.range(2, 4) as usize;
    let messages: Vec<String> = ["ping", "pong", "data", "ack"][..rng.range(2, 4) as usize]
        .iter()
        .map(|name| name.to_string())
        .collect();
    let mut channels = Vec::new();
    for reader in 0..process_count {
        let count = 1 + usize::from(rng.chance(30));
        channels.extend((0..count).map(|number| Channel { name: format!("q{reader}{number}"), reader }));
    }
    Generator { rng, messages, channels, process_count, has_procedures: false, out: String::new() }.model()
}

struct Channel {
    name: String,
    /// The process that reads it.
    reader: usize,
}

struct Generator {
    rng: Rng,
    messages: Vec<String>,
    channels: Vec<Channel>,
    process_count: usize,
    has_procedures: bool,
    out: String,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Surroundings {
    process: usize,
    /// In a procedure, which may return.
    in_procedure: bool,
    in_loop: bool,
    depth: usize,
}

/// The small numbers that models compute with, some of them negative.
const NUMBERS: [&str; 5] = ["0", "1", "2", "-1", "-2"];

impl Generator {
    fn model(mut self) -> String {
        for index in 0..self.channels.len() {
            let size = self.rng.range(1, 2);
            let contents = match self.rng.chance(20) {
                true => format!(" = {{ {} }}", self.message(false)),
                false => String::new(),
            };
            let name = &self.channels[index].name;
            writeln!(self.out, "channel {name}[{size}]{contents};").expect("a string takes all");
        }
        // Each process has procedures of its own, since a channel has one reader.
        for process in 0..self.process_count {
            self.has_procedures = self.rng.chance(40);
            if self.has_procedures {
                self.procedure(process);
            }
            self.process(process);
        }
        if self.rng.chance(30) {
            self.assertion();
        }
        self.out
    }

    fn procedure(&mut self, process: usize) {
        let place = Surroundings { process, in_procedure: true, in_loop: false, depth: 1 };
        self.has_procedures = false;
        let locals = if self.rng.chance(30) { "var w = -1; " } else { "" };
        let before = self.statement(place);
        let after = self.statement(place);
        let returns = self.rng.chance(50);
        let guard = self.guard(place);
        let early = if returns { format!("if :: {guard} -> return :: skip fi; ") } else { String::new() };
        self.has_procedures = true;
        writeln!(self.out, "proc do{process}() {{ {locals}{before}; {early}{after} }}")
            .expect("a string takes all");
    }

    fn process(&mut self, process: usize) {
        let place = Surroundings { process, in_procedure: false, in_loop: false, depth: 0 };
        let first = *self.rng.pick(&NUMBERS);
        let mut body = Vec::new();
        for _ in 0..self.rng.below(2) {
            body.push(self.statement(place));
        }
        body.push(match self.rng.below(4) {
            0 => self.statement(place),
            1 => format!("again: {}; goto again", self.choice("if", "fi", place)),
            _ => self.choice("do", "od", Surroundings { in_loop: true, ..place }),
        });
        let body = body.join(";\n\t");
        writeln!(self.out, "proc p{process} {{ var v = {first};\n\t{body}\n}}").expect("a string takes all");
    }

    fn assertion(&mut self) {
        let (first, second) = (self.event(), self.event());
        writeln!(self.out, "assert order {{ do :: {first}; {second} od }}").expect("a string takes all");
    }

    fn event(&mut self) -> String {
        let sign = if self.rng.chance(60) { '!' } else { '?' };
        let (channel, message) = (self.rng.below(self.channels.len()), self.rng.below(self.messages.len()));
        format!("{}{sign}{}", self.channels[channel].name, self.messages[message])
    }

    fn statement(&mut self, place: Surroundings) -> String {
        let is_deep = place.depth >= 2;
        match self.rng.weighted(&[
            30,
            22,
            12,
            6,
            if is_deep { 0 } else { 16 },
            if is_deep { 0 } else { 6 },
            8,
        ]) {
            0 => self.send(),
            1 => self.receive(place),
            2 => self.assignment(),
            3 => self.condition(),
            4 => self.choice("if", "fi", place),
            5 => self.choice("do", "od", Surroundings { in_loop: true, ..place }),
            _ if self.has_procedures => format!("do{}()", place.process),
            _ => "skip".to_string(),
        }
    }

    fn choice(&mut self, open: &str, close: &str, place: Surroundings) -> String {
        let inner = Surroundings { depth: place.depth + 1, ..place };
        let options: Vec<String> = (0..self.rng.range(1, 3)).map(|_| self.option(inner)).collect();
        format!("{open} {} {close}", options.join(" "))
    }

    fn option(&mut self, place: Surroundings) -> String {
        let guard = self.guard(place);
        let mut rest = String::new();
        for _ in 0..self.rng.below(3) {
            let next = self.statement(place);
            write!(rest, "; {next}").expect("a string takes all");
        }
        if place.in_loop && self.rng.chance(25) {
            rest += "; break";
        } else if place.in_procedure && self.rng.chance(10) {
            rest += "; return";
        }
        format!(":: {guard}{}", rest.replacen(';', " ->", 1))
    }

    fn guard(&mut self, place: Surroundings) -> String {
        match self.rng.weighted(&[45, 15, 15, 12, 4, 4]) {
            0 => self.receive(place),
            1 => format!("{}?timeout", self.own(place)),
            2 => self.send(),
            3 => self.condition(),
            4 => format!("{}?default", self.own(place)),
            _ => "skip".to_string(),
        }
    }

    /// A channel that the process reads.
    fn own(&mut self, place: Surroundings) -> String {
        let own: Vec<&Channel> =
            self.channels.iter().filter(|channel| channel.reader == place.process).collect();
        self.rng.pick(&own).name.clone()
    }

    fn receive(&mut self, place: Surroundings) -> String {
        let channel = self.own(place);
        let message = self.rng.below(self.messages.len());
        let value = if self.rng.chance(30) { "(v)" } else { "" };
        format!("{channel}?{}{value}", self.messages[message])
    }

    fn send(&mut self) -> String {
        let channel = self.rng.below(self.channels.len());
        let message = self.message(true);
        format!("{}!{message}", self.channels[channel].name)
    }

    fn message(&mut self, may_compute: bool) -> String {
        let message = self.rng.below(self.messages.len());
        let value = match self.rng.below(6) {
            0 => format!("({})", self.rng.pick(&NUMBERS)),
            1 if may_compute => "(-v)".to_string(),
            _ => String::new(),
        };
        format!("{}{value}", self.messages[message])
    }

    fn assignment(&mut self) -> String {
        match self.rng.below(4) {
            0 => format!("v = {}", self.rng.pick(&NUMBERS)),
            1 => "v = (v + 1) % 3".to_string(),
            2 => "v = (v - 1) % 3".to_string(),
            _ => "v = -v".to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let sign = *self.rng.pick(&["<", "<=", "==", "!=", ">=", ">"]);
        format!("(v {sign} {})", self.rng.pick(&NUMBERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_model() {
        assert_eq!(generate_argos(7), generate_argos(7));
        assert_ne!(generate_argos(7), generate_argos(8));
    }

    #[test]
    fn models_have_what_they_are_for() {
        let all: String = (0..200).map(generate_argos).collect();
        for part in ["?timeout", "?default", "return", "(-1)", "assert", "goto", "= {", "do0()", "(-v)"] {
            assert!(all.contains(part), "{part}");
        }
    }
}
