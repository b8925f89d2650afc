//! Actions, guards and whole rules in words.

use super::expr::Names;
use crate::{Action, Block, Guard, Model};

/// An action for people: `x := x + 1`, `q ! 1, x`, `block 3`.
pub fn action_text(action: &Action, model: &Model) -> String {
    Names::of(model).action(action)
}

/// A rule's guard and actions in one line, without its control states: `[x > 0] q ! 1; x := 0`.
pub fn rule_text(guard: &Guard, actions: &[Action], model: &Model) -> String {
    Names::of(model).rule(guard, actions)
}

impl Names<'_> {
    pub(crate) fn rule(self, guard: &Guard, actions: &[Action]) -> String {
        let guard = match guard {
            Guard::Always => String::new(),
            Guard::When(e) => format!("[{}]", self.expr(e)),
            Guard::Otherwise => "[otherwise]".to_owned(),
        };
        let actions = actions.iter().map(|action| self.action(action)).collect::<Vec<_>>().join("; ");
        match (guard.is_empty(), actions.is_empty()) {
            (true, true) => "skip".to_owned(),
            (true, false) => actions,
            (false, true) => guard,
            (false, false) => format!("{guard} {actions}"),
        }
    }

    pub(crate) fn action(self, action: &Action) -> String {
        match action {
            Action::Assign { place, value } => format!("{} := {}", self.place(place), self.expr(value)),
            Action::Assert { condition, text, requirement } => {
                // Errors are told apart by this text.
                let text = if self.addresses { format!(", {text:?}") } else { String::new() };
                match requirement {
                    None => format!("assert({}{text})", self.expr(condition)),
                    Some(index) => format!("require({index}, {}{text})", self.expr(condition)),
                }
            }
            Action::Print { format, args } => {
                let args: String = args.iter().map(|arg| format!(", {}", self.expr(arg))).collect();
                format!("print({format:?}{args})")
            }
            Action::PrintName(e) => format!("print_name({})", self.expr(e)),
            Action::Send(send) => {
                let operator = if send.sorted { "!!" } else { "!" };
                let args = send.args.iter().enumerate();
                let args = args
                    .map(|(field, arg)| self.field(&send.channel, field, arg))
                    .collect::<Vec<_>>()
                    .join(", ");
                format!("{} {operator} {args}", self.channel(&send.channel)).trim_end().to_owned()
            }
            Action::Receive(receive) => self.receive(receive),
            Action::Spawn(spawn) => self.spawn(spawn),
            Action::SetPriority { pid, priority } => {
                format!("priority({}) := {}", self.expr(pid), self.expr(priority))
            }
            Action::Block(id) => match self.model.filter(|_| self.addresses) {
                Some(model) => {
                    let block = model.block(*id);
                    // One level is enough to tell blocks apart; a block inside it keeps its number.
                    let steps = Names { model: None, ..self }.block_lines(block).join("; ");
                    format!("block {{ {}: {steps} }}", block.entry)
                }
                None => format!("block {}", id.0),
            },
            Action::Exit => "exit".to_owned(),
            Action::Observe(observe) => {
                let verb = if observe.sent { "sent" } else { "received" };
                let patterns = self.patterns(&observe.channel, &observe.patterns);
                format!("{verb}({}: {patterns})", self.channel(&observe.channel))
            }
        }
    }

    /// One line a step: `node --rule--> next`.
    pub(crate) fn block_lines(self, block: &Block) -> Vec<String> {
        let steps =
            block.nodes.iter().enumerate().flat_map(|(at, node)| node.steps.iter().map(move |s| (at, s)));
        let line = |(at, step): (usize, &crate::BlockStep)| {
            let next = step.next.map_or("done".to_owned(), |next| next.to_string());
            format!("{at} --{}--> {next}", self.rule(&step.guard, &step.actions))
        };
        steps.map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{assign, constant, global, sample, send};
    use crate::{BlockId, Expr, ProcId, ScalarType, Spawn};

    fn check(action: Action, expected: &str) {
        assert_eq!(action_text(&action, &sample().0), expected);
    }

    #[test]
    fn actions_read_like_a_protocol() {
        let x = || global("x", 5, ScalarType::BYTE);
        check(assign(x(), Expr::binary(crate::BinaryOp::Add, Expr::load(x()), constant(1))), "x := x + 1");
        check(send(1, vec![constant(2), Expr::load(x())]), "data ! ack, x");
        check(send(9, vec![]), "#9 !");
        let spawn = Spawn { process: ProcId(0), args: vec![constant(1)], priority: Some(constant(3)) };
        check(Action::Spawn(spawn.clone()), "spawn sender(1) priority 3");
        check(assign(x(), Expr::Spawn(Box::new(spawn))), "x := spawn sender(1) priority 3");
        check(
            Action::Print { format: "x \"%d\"\n".to_owned(), args: vec![constant(1)] },
            r#"print("x \"%d\"\n", 1)"#,
        );
        check(Action::Block(BlockId(4)), "block 4");
    }

    #[test]
    fn a_rule_shows_its_guard_first() {
        let model = sample().0;
        assert_eq!(rule_text(&Guard::Always, &[], &model), "skip");
        assert_eq!(rule_text(&Guard::Otherwise, &[], &model), "[otherwise]");
        assert_eq!(rule_text(&Guard::When(Expr::Timeout), &[Action::Exit], &model), "[timeout] exit");
    }
}
