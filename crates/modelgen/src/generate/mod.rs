//! Generates a model from a seed: the plan of the whole; the submodules fill in the parts.

mod claims;
mod comm;
mod control;
mod data;
mod exprs;
mod procs;
mod scope;
mod stmts;
mod tidy;

use crate::ast::{Expr, Inline, Macro, Model, Ty};
use crate::profile::{Group, Mix, Profile};
use crate::rng::Rng;
use procs::ProcPlan;
use scope::{Scalar, Scope};

/// The model that `seed` and `profile` stand for: the first of a series that comes near no known fault of SPIN.
pub fn generate(seed: u64, profile: &Profile) -> Model {
    const ATTEMPTS: u64 = 40;
    let attempts = (0..ATTEMPTS).map(|attempt| generate_once(seed ^ (attempt << 40), profile));
    let mut models = attempts.skip_while(|model| !profile.is_free && model.is_pitfall());
    models.next().unwrap_or_default()
}

fn generate_once(seed: u64, profile: &Profile) -> Model {
    let mut rng = Rng::new(seed);
    let mut mix = profile.mix(&mut rng);
    if mix.has(Group::Priority) && !profile.is_free {
        // SPIN's verifier does not compile with both.
        mix.turn_off(if rng.chance(50) { Group::Rendezvous } else { Group::Priority });
    }
    let calm = rng.chance(55);
    let mut g = Gen {
        rng,
        mix,
        is_free: profile.is_free,
        calm,
        model: Model::default(),
        scope: Scope::default(),
        passed: vec![Ty::Byte],
        plans: Vec::new(),
        here: Here::default(),
        fresh: 0,
    };
    g.macros();
    g.data();
    g.inlines();
    g.procs(profile);
    g.exclusive();
    g.trace();
    g.claims();
    g.tidy();
    g.model
}

/// The generator at work.
struct Gen {
    rng: Rng,
    mix: Mix,
    /// See [`Profile::is_free`].
    is_free: bool,
    /// Whether blocking statements come with a way out, so that the model has a chance to be clean.
    calm: bool,
    model: Model,
    scope: Scope,
    /// The message type of every channel that is passed around.
    passed: Vec<Ty>,
    plans: Vec<ProcPlan>,
    here: Here,
    fresh: usize,
}

/// The process whose body is being generated.
#[derive(Clone, Debug, Default)]
struct Here {
    /// The index of its plan; none inside an inline.
    plan: Option<usize>,
    /// Labels that a `goto` may name.
    targets: Vec<String>,
    /// Whether some `goto` was generated, so that the targets must be placed.
    jumped: bool,
    /// Names of variables whose blocks have ended, free to be declared again.
    ended: Vec<String>,
    /// Whether nothing of other processes may be read here, as in `d_step` and `provided`.
    fixed: bool,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
struct Surroundings {
    /// How many more levels of nesting are allowed.
    depth: u32,
    /// Whether it may be executed again and again, so that updates must stay bounded.
    looping: bool,
    /// Whether `break` leaves a loop here.
    breakable: bool,
    /// Whether blocking is wrong here, as it is inside `d_step`.
    dstep: bool,
    atomic: bool,
}

impl Surroundings {
    fn deeper(self) -> Surroundings {
        Surroundings { depth: self.depth.saturating_sub(1), ..self }
    }
}

impl Gen {
    /// Whether to use a feature of the group here.
    fn on(&mut self, group: Group) -> bool {
        let share = self.mix.share(group);
        self.rng.chance(share)
    }

    fn has(&self, group: Group) -> bool {
        self.mix.has(group)
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh - 1)
    }

    fn macros(&mut self) {
        if !self.has(Group::Macros) {
            return;
        }
        for i in 0..self.rng.range(1, 2) {
            let value = self.rng.range(1, 4);
            self.model.macros.push(Macro { name: format!("K{i}"), params: vec![], body: Expr::Const(value) });
        }
        if self.rng.chance(70) {
            let op = *self.rng.pick(&["+", "*", "-", "|", "^"]);
            let inner = Expr::bin(op, Expr::sym("a"), Expr::Const(self.rng.range(1, 3)));
            let body = Expr::bin("%", inner, Expr::Const(self.rng.range(2, 5)));
            self.model.macros.push(Macro { name: "F".into(), params: vec!["a".into()], body });
        }
        if self.rng.chance(30) {
            let body = Expr::Cond(
                Box::new(Expr::bin("<", Expr::sym("a"), Expr::sym("b"))),
                Box::new(Expr::sym("a")),
                Box::new(Expr::sym("b")),
            );
            self.model.macros.push(Macro { name: "MIN".into(), params: vec!["a".into(), "b".into()], body });
        }
    }

    fn inlines(&mut self) {
        if !self.has(Group::Inline) {
            return;
        }
        for i in 0..self.rng.range(1, 2) {
            let before = self.scope.clone();
            let mut params = vec!["dst".to_string()];
            self.scope.scalars.push(Scalar::plain("dst", Ty::Byte, 3));
            if self.rng.chance(60) {
                params.push("src".into());
                self.scope.scalars.push(Scalar { writable: false, ..Scalar::plain("src", Ty::Byte, 3) });
            }
            self.here = Here::default();
            let place =
                Surroundings { depth: 1, looping: true, breakable: false, dstep: false, atomic: false };
            let count = self.rng.range(1, 3) as usize;
            let mut body = Vec::new();
            if self.on(Group::Scopes) {
                body.push(self.local_decl(false));
            }
            body.extend(self.seq(place, count));
            self.scope = before;
            self.model.inlines.push(Inline { name: format!("inl{i}"), params, body });
        }
    }
}
