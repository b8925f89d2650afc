//! A run in which the user makes the choices. Commands come from standard input, a line each, so that a script can
//! choose, too.

use super::{finish, internal, show_step};
use crate::args::SimulateArgs;
use crate::failure::Status;
use crate::input::Input;
use crate::output;
use crate::random::Random;
use panoptes_check::Excerpt;
use panoptes_report::{Paint, Style, failure_text, place, snapshot_text, trace_text};
use panoptes_trace::{Choice, Choices, Position, TraceStep, Walk};
use std::io::BufRead;
use std::path::Path;

const HELP: &str = "\
  N        take step N of the list (Enter: the only one)
  r [N]    take one random step, or N
  u N      go on at random until step N is taken
  b [N]    go back one step, or N
  v        variables, channels and where the processes stand
  t        the steps so far, as a table
  l        the list of steps again
  w FILE   save the steps so far as a trace
  q        quit
";

pub fn run(args: &SimulateArgs, input: &Input, walk: Walk<'_>) -> anyhow::Result<Status> {
    let seed = args.seed.unwrap_or_else(Random::fresh_seed);
    let mut session =
        Session { args, input, walk, random: Random::new(seed), history: Vec::new(), choices: Choices::End };
    output::to_stdout(&format!("{} by hand, h for help (random steps: --seed {seed})\n", input.name))?;
    session.look()?;
    session.list()?;
    session.prompt()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if matches!(line.trim(), "q" | "quit" | "exit") {
            return session.end();
        }
        session.command(line.trim())?;
        session.prompt()?;
    }
    output::to_stdout("\n")?;
    session.end()
}

struct Session<'a, 'w> {
    args: &'a SimulateArgs,
    input: &'a Input,
    walk: Walk<'w>,
    random: Random,
    /// Where the walk was before each step, and whether that step went wrong.
    history: Vec<(Position, bool)>,
    choices: Choices,
}

impl Session<'_, '_> {
    fn command(&mut self, line: &str) -> anyhow::Result<()> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let count = rest.parse::<usize>();
        match (word, count) {
            ("", _) if self.steps().len() == 1 => self.choose(1),
            ("", _) => self.list(),
            ("h" | "?" | "help", _) => output::to_stdout(HELP),
            ("v", _) => self.values(),
            ("l", _) => self.list(),
            ("t", _) => self.table(),
            ("r", _) if rest.is_empty() => self.at_random(1),
            ("r", Ok(count)) => self.at_random(count),
            ("u", Ok(target)) => self.at_random(target.saturating_sub(self.walk.length())),
            ("b", _) if rest.is_empty() => self.back(1),
            ("b", Ok(count)) => self.back(count),
            ("w", _) if !rest.is_empty() => self.write(Path::new(rest)),
            ("w", _) => self.say(Paint::Unsure, "w FILE saves the steps so far: which file?"),
            ("u", _) => self.say(Paint::Unsure, "u N goes on until step N is taken: give its number"),
            ("r" | "b", _) => {
                self.say(Paint::Unsure, &format!("{word} N takes a number of steps, not `{rest}`"))
            }
            _ => match word.parse::<usize>() {
                Ok(number) if rest.is_empty() => self.choose(number),
                _ => self.say(Paint::Unsure, &format!("what is `{line}`? h for help")),
            },
        }
    }

    fn steps(&self) -> &[Choice] {
        if let Choices::Steps(steps) = &self.choices { steps } else { &[] }
    }

    fn look(&mut self) -> anyhow::Result<()> {
        self.choices = self.walk.choices().map_err(internal)?;
        Ok(())
    }

    /// The steps that can be taken, numbered.
    fn list(&self) -> anyhow::Result<()> {
        let mut out = String::new();
        for (number, choice) in (1..).zip(self.steps()) {
            let text = choice.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let who = format!("{}[{}]", choice.process, choice.step.pid);
            out += &format!("{number:>4}  {who:<14} {:<6} {text}", place(&choice.location, &self.input.name));
            if let Some(partner) = &choice.partner {
                out += &format!("  with {}[{}]: {}", partner.process, partner.pid, partner.text);
            }
            out.push('\n');
        }
        output::to_stdout(&out)?;
        match &self.choices {
            Choices::Steps(_) => Ok(()),
            Choices::End => self.say(Paint::Good, "ended: every process is where it may end"),
            Choices::Deadlock(error) => self.say(Paint::Bad, &failure_text(error)),
            Choices::Fault => self.say(Paint::Bad, "the last step went wrong: there is no way on"),
        }
    }

    fn choose(&mut self, number: usize) -> anyhow::Result<()> {
        let Some(choice) = number.checked_sub(1).and_then(|index| self.steps().get(index)) else {
            return self.say(Paint::Unsure, &format!("there is no step {number} in the list"));
        };
        let choice = choice.clone();
        self.take(&choice)?;
        self.list()
    }

    fn at_random(&mut self, count: usize) -> anyhow::Result<()> {
        for _ in 0..count {
            let steps = self.steps().len();
            if steps == 0 {
                break;
            }
            let index = self.random.below(steps);
            let choice = self.steps()[index].clone();
            if self.take(&choice)? {
                break;
            }
        }
        self.list()
    }

    /// Takes a step; true if it went wrong.
    fn take(&mut self, choice: &Choice) -> anyhow::Result<bool> {
        let before = self.walk.place();
        let taken: TraceStep = self.walk.take(choice).map_err(internal)?;
        let is_faulty = taken.fault.is_some();
        self.history.push((before, is_faulty));
        show_step(self.args, &self.input.name, &taken)?;
        self.look()?;
        Ok(is_faulty)
    }

    fn back(&mut self, count: usize) -> anyhow::Result<()> {
        let target = self.history.len().saturating_sub(count);
        if target == self.history.len() {
            return self.say(Paint::Unsure, "this is where it starts");
        }
        let (place, _) = self.history.swap_remove(target);
        self.history.truncate(target);
        self.walk.return_to(place);
        self.look()?;
        self.list()
    }

    fn values(&self) -> anyhow::Result<()> {
        let snapshot = self.walk.snapshot().map_err(internal)?;
        let stuck = matches!(self.choices, Choices::Deadlock(_));
        output::to_stdout(&snapshot_text(&snapshot, &self.input.name, stuck, &output::stdout_style()))
    }

    fn table(&mut self) -> anyhow::Result<()> {
        let trace = self.walk.trace(self.input.loaded.origin.clone()).map_err(internal)?;
        let style = Style { full: true, ..output::stdout_style() };
        output::to_stdout(&trace_text(&Excerpt::whole(trace), &style))
    }

    fn write(&mut self, path: &Path) -> anyhow::Result<()> {
        match finish::save(&mut self.walk, self.input.loaded.origin.clone(), path) {
            Ok(()) => self.say(Paint::Good, &format!("saved in {}", path.display())),
            Err(error) => self.say(Paint::Bad, &error.to_string()),
        }
    }

    fn prompt(&self) -> anyhow::Result<()> {
        let wrong = self.history.last().is_some_and(|(_, is_faulty)| *is_faulty);
        let wrong = if wrong { ", which went wrong" } else { "" };
        output::to_stdout(&format!("step {}{wrong} > ", self.walk.length()))
    }

    fn say(&self, paint: Paint, text: &str) -> anyhow::Result<()> {
        output::to_stdout(&format!("{}\n", output::stdout_style().paint(paint, text)))
    }

    fn end(mut self) -> anyhow::Result<Status> {
        if let Some(path) = &self.args.trace_out {
            finish::save(&mut self.walk, self.input.loaded.origin.clone(), path)?;
        }
        let is_wrong = matches!(self.choices, Choices::Deadlock(_))
            || self.history.iter().any(|(_, is_faulty)| *is_faulty);
        Ok(if is_wrong { Status::Violation } else { Status::Success })
    }
}
