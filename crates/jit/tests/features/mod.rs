//! One model for each thing that native code could leave to the reference executor: it must not.

use crate::{compare, load};
use panoptes_exec::{Condition, Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_jit::Jit;
use panoptes_model::{Action, BinaryOp, Expr, Model};
use panoptes_optimise::{Passes, optimise};
use panoptes_source::Span;
use std::collections::HashSet;
use std::path::Path;

/// Most calls that the reference executor may answer, in a hundred: of those in which something goes wrong.
const REFERENCE_MAX: u64 = 5;

/// Walks the model, as it is and optimised.
fn walk(name: &str, text: &str) {
    walk_with_faults(name, text, REFERENCE_MAX);
}

/// The same for a model in which so many calls, in a hundred, may go wrong.
fn walk_with_faults(name: &str, text: &str, reference_max: u64) {
    let model = load(name, text.to_string(), Path::new("feature.pml")).expect("a model");
    for (model, how) in [(&model, "as it is"), (&optimise(&model, Passes::ALL).model, "optimised")] {
        let (statistics, _) = compare(&format!("{name} {how}"), model, 4000);
        let (native, reference) = (statistics.native_calls, statistics.reference_calls);
        println!("{name} {how}: {native} of {} calls native", native + reference);
        assert!(native > 20, "{name} {how}: {native} native calls");
        assert!(
            reference * 100 <= (native + reference) * reference_max,
            "{name} {how}: {reference} by the reference"
        );
    }
}

#[test]
fn priorities() {
    walk(
        "priorities",
        "byte lock = 255, done[3];
        active [3] proctype Task() { byte k; do
            :: if :: set_priority(_pid, 1 + (_pid + k) % 3) :: set_priority((_pid + 1) % 4, 2) fi;
                atomic { lock == 255 -> lock = _pid };
                if :: get_priority((_pid + 1) % 3) > 1 -> done[_pid] = (done[_pid] + 1) % 3 :: else fi;
                lock = 255; k = (k + 1) % 2 od }
        active proctype Clock() priority 2 provided (done[0] != 2 || lock != 255) {
            byte t; do :: d_step { t = (t + 1) % 3; set_priority(_pid, 1 + t) } od }",
    );
}

/// Who receives in a rendezvous must be one who may run when the message has been sent.
#[test]
fn priorities_and_rendezvous() {
    walk(
        "rendezvous",
        "chan c = [0] of { byte }; byte a;
        active [2] proctype Send() priority 3 {
            do :: atomic { c!_pid; a = (a + 1) % 4 } :: set_priority(_pid, 1 + a % 3) od }
        active [2] proctype Receive() priority 2 { byte x;
            do :: c?x; set_priority(x, 1 + x) :: atomic { c?x; a = x } :: a == 3 -> set_priority(_pid, 4); a = 0 od }",
    );
}

/// Whoever sent could go on before it sent, and cannot afterwards: only then may somebody of a lower priority receive.
#[test]
fn a_sender_that_waits_lets_others_receive() {
    walk(
        "sender",
        "chan c = [0] of { byte }, back = [1] of { byte }; byte a, s;
        active proctype Send() priority 4 { byte x; do :: c!x; back?x; a = (a + x) % 5 :: c!7; a = 3; back?x od }
        active [2] proctype Receive() priority 2 { byte x, y;
            do :: c?x; y = (y + x + s) % 3; back!y :: len(back) == 0 && a == 3 -> a = 4; y = 2 od }
        active proctype Slow() priority 2 { do :: s = (s + 1) % 9 od }",
    );
}

/// Processes are created with priorities, and go on with the sequence that they were created in.
#[test]
fn created_with_priorities() {
    walk(
        "created",
        "byte n, a; proctype P(byte k) { do :: k > 0 -> k--; a = (a + k) % 5 :: k == 0 -> break od }
        active proctype Q() priority 2 { byte p;
            do :: _nr_pr < 5 -> atomic { n = (n + 1) % 3; p = 1 + n; run P(n) priority 3; a = p; run P(p) } :: a > 2 -> a = 0 od }",
    );
}

#[test]
fn questions_who_is_enabled() {
    walk(
        "enabled",
        "chan q = [1] of { byte, byte }; byte x[4]; active [3] proctype P() {
            do :: x[_pid] < 4 && (_pid > 0 -> enabled(_pid - 1) : 1) -> x[_pid]++
            :: x[_pid] == 4 && !enabled(3) -> x[_pid] = 0
            :: _pid < 2 && enabled(_pid + 1) && x[_pid] == 2 -> q!_pid, 1
            :: enabled(7) -> break od }
        active proctype R() { byte y; do
            :: atomic { q?0, y -> x[3] = 1 } :: d_step { q?1, y; x[3] = 0 }
            :: x[3] == 1 -> atomic { q??2, y; if :: enabled(0) -> x[3] = 2 :: else fi } od }",
    );
}

/// What comes of them is known where they are created, also of several in one step.
#[test]
fn processes_created_anywhere() {
    walk(
        "anywhere",
        "byte total, last; chan out = [2] of { byte };
        proctype Child(byte n; chan to) { chan own = [1] of { byte }; byte k = n;
            do :: k > 0 -> k--; total = (total + 1) % 4 :: k == 0 && nfull(to) -> to!own; break :: k == 0 -> break od }
        active [2] proctype Parent() { byte i, c, x[3];
            do :: _nr_pr < 5 && i < 2 -> atomic { c = i; i++; run Child(c, out); last = _pid }
            :: _nr_pr < 5 && i < 2 -> i++; x[_nr_pr % 3] = run Child(i, out) + _nr_pr
            :: _nr_pr < 4 && i < 2 -> i++; last = (i == 1 -> run Child(0, out) * 2 + run Child(1, out) : _nr_pr)
            :: i == 2 -> i = 0 :: out?c -> c = 0 od }",
    );
}

/// A step that goes wrong when it has created processes leaves nothing behind; one that asks about them finds them.
#[test]
fn processes_created_in_steps_that_go_wrong() {
    walk_with_faults(
        "created in vain",
        "byte last, a[3]; proctype Child() { chan own = [1] of { byte }; byte k; own!k; k = 2; own?k }
        active proctype Other() { chan own = [1] of { byte }; do :: own!_nr_pr; own?a[_nr_pr % 3] od }
        active proctype Parent() { byte i; do
            :: _nr_pr < 4 -> last = 6 / (run Child() - 2)
            :: _nr_pr < 5 -> a[i] = run Child() + enabled(3) + enabled(_nr_pr - 1)
            :: _nr_pr < 4 -> a[2] = (run Child() + run Child()) % last
            :: last = 1 - last :: i = (i + 1) % 3 od }",
        60,
    );
}

/// Optimised, a step that creates a process also sets the variables back that it was given.
#[test]
fn processes_created_before_variables_are_set_back() {
    let text = "byte total; proctype Ack(short a, b) { if
        :: a == 0 -> total = (total + 1) % 5 :: a > 0 -> b = b + a; a--; run Ack(a, b % 3) fi }
        init { byte k; do :: _nr_pr < 4 -> k = total % 3; run Ack(k, 1) od }";
    walk("set back", text);
    let model = load("set back", text.to_string(), Path::new("feature.pml")).expect("a model");
    let model = optimise(&model, Passes::ALL).model;
    let is_meant = |actions: &[Action]| matches!(actions, [Action::Spawn(_), _, ..]);
    assert!(model.transitions.iter().any(|transition| is_meant(&transition.actions)));
}

#[test]
fn trace_assertions_with_variables() {
    walk(
        "trace",
        "byte next, want[2] = 1; chan q = [2] of { byte, byte };
        trace { end: do :: q!next, _ :: q?_, eval(want[next % 2] * 1) od }
        active proctype S() { byte v; do :: atomic { v = (next + 1) % 3; q!next, 1; next = v } od }
        active [2] proctype R() { byte a, b, c; do :: atomic { q?a, b; c = (c + a) % 9 } :: c > 3 -> c = c - 2 od }",
    );
}

/// What claims ask of processes from outside, also of the first one.
#[test]
fn conditions_of_claims() {
    let text =
        "byte x; active [2] proctype P() priority 2 { do :: x < 4 && x % 2 == _pid -> x++ :: x == 4 -> x = 0;
        set_priority(_pid, 1 + _pid) od } active proctype Q() { do :: x == 9 -> x = 1 od }";
    let model = load("claims", text.to_string(), Path::new("feature.pml")).expect("a model");
    let reference = || Interpreter::new(&model, InterpreterOptions::default());
    let (mut interpreter, mut jit) = (reference(), Jit::new(&model, Box::new(reference())));
    let number = |pid| Box::new(Expr::Const(pid));
    let asked = [0, 1, 2, 7].map(|pid| Expr::Enabled(number(pid)));
    let others = [
        Expr::Timeout,
        Expr::NonProgress,
        Expr::binary(BinaryOp::Eq, Expr::Priority(number(1)), Expr::Const(2)),
    ];
    let list: Vec<Condition> =
        asked.into_iter().chain(others).map(|expr| Condition::Holds(expr, Span::default())).collect();
    interpreter.set_conditions(&list);
    jit.set_conditions(&list);
    let all = (1 << list.len()) - 1;
    let (mut state, mut out) = (interpreter.initial().expect("a state"), Successors::default());
    let mut answers = HashSet::new();
    for step in 0..2000 {
        let expected = interpreter.conditions(&state, all);
        assert_eq!(jit.conditions(&state, all), expected);
        answers.insert(expected.expect("an answer"));
        interpreter.successors(&state, None, &mut out);
        state = out.state(&out.items[step % out.items.len()]).to_vec();
    }
    assert!(answers.len() > 2, "{answers:?}");
    let native = jit.statistics().native_conditions;
    assert!(native > 1500, "{native} of 2000 answers native");
}

/// A channel that a variable names may have one of many shapes.
#[test]
fn channels_of_many_shapes() {
    let types = ["byte", "short", "int"];
    let fields = |index: usize| {
        (0..1 + index % 4).map(move |field| types[(index / 4 + field) % 3]).collect::<Vec<_>>()
    };
    let channels: String = (0..20)
        .map(|i| format!("chan c{i} = [{}] of {{ {} }};\n", 1 + i / 12, fields(i).join(", ")))
        .collect();
    let text = format!(
        "{channels} byte turn; proctype P(chan p; byte n) {{ byte a, b; do :: turn == n -> p!n, 1; turn = 1 - n
            :: p?a, b -> n = (n + 1) % 2 :: nfull(p) -> a = (a + 1) % 4 :: len(p) == 1 -> b = (b + 1) % 3 :: p??[0, _] -> a = 0 od }}
        proctype Q(chan p) {{ byte a; do :: len(p) == 0 -> p!a, 0, 1, 70000 :: p?_, a, _, _ :: full(p) -> a = 1 od }}
        init {{ atomic {{ run P(c9, 0); run P(c13, 1); run Q(c19) }} }}"
    );
    let model = load("shapes", text.clone(), Path::new("feature.pml")).expect("a model");
    let shapes: std::collections::HashSet<_> =
        model.channels.iter().map(|channel| format!("{} {:?}", channel.capacity, channel.fields)).collect();
    assert!(shapes.len() > 16, "{} shapes", shapes.len());
    walk("shapes", &text);
    // Messages of four fields do not go where two are meant.
    walk_with_faults("wrong shapes", &text.replace("run P(c13, 1)", "run P(c19, 1)"), 90);
}

/// What of these things the models have that were walked.
#[derive(Debug, Default)]
pub struct Seen {
    priorities: usize,
    enabled: usize,
    created_within: usize,
    watched_variables: usize,
}

impl Seen {
    pub fn add(&mut self, model: &Model) {
        let mut asks = false;
        model.walk_rules(&mut |expr| asks |= matches!(expr, Expr::Enabled(_)));
        let is_within = |action: &Action| match action {
            Action::Assign { value: Expr::Spawn(_), .. } => false,
            Action::Assign { value, .. } => value.any(&|part| matches!(part, Expr::Spawn(_))),
            _ => false,
        };
        let mut actions = model.transitions.iter().flat_map(|transition| &transition.actions);
        let watches = |action: &Action| match action {
            Action::Observe(observe) => {
                let is_read = |expr: &Expr| expr.any(&|part| matches!(part, Expr::Load(_)));
                let patterns = &observe.patterns;
                patterns
                    .iter()
                    .any(|pattern| matches!(pattern, panoptes_model::Pattern::Match(expr) if is_read(expr)))
            }
            _ => false,
        };
        self.watched_variables += usize::from(actions.clone().any(watches));
        self.created_within += usize::from(actions.any(is_within));
        self.enabled += usize::from(asks);
        self.priorities += usize::from(model.uses_priorities);
    }

    /// None of them is missing.
    pub fn check(&self) {
        println!("{self:?}");
        let Seen { priorities, enabled, created_within, watched_variables } = *self;
        assert!(
            [priorities, enabled, created_within, watched_variables].iter().all(|count| *count > 2),
            "{self:?}"
        );
    }
}
