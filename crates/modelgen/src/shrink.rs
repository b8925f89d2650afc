//! Makes a model smaller, one cut at a time, without knowing what about it is interesting.
//!
//! Every place where something can be cut counts down; the cut is made where the count reaches zero. So the
//! candidates of a model are simply: cut number 0, cut number 1, and so on until no place is left.

mod cut;

use crate::ast::*;
use crate::visit::{self, Visitor};
use cut::Cut;

impl Model {
    /// Models with one thing less, every one of them smaller by [`Model::measure`]; big cuts come first.
    pub fn shrink_candidates(&self) -> Vec<Model> {
        let measure = self.measure();
        let mut candidates: Vec<(usize, Model)> = Vec::new();
        for number in 0.. {
            let mut model = self.clone();
            let mut cut = Cut::new(number);
            model.cut(&mut cut);
            if !cut.made() {
                break;
            }
            let smaller = model.measure();
            if smaller < measure {
                candidates.push((smaller.0, model));
            }
        }
        candidates.sort_by_key(|(size, _)| *size);
        candidates.into_iter().map(|(_, m)| m).collect()
    }

    /// How big the model is: by the length of its text without blanks, then by the text itself.
    pub fn measure(&self) -> (usize, String) {
        let text = self.to_promela();
        (text.chars().filter(|c| !c.is_whitespace()).count(), text)
    }

    /// Makes one cut somewhere in the model.
    fn cut(&mut self, cut: &mut Cut) {
        let used = Used::of(self);
        cut.drop_one(&mut self.claims, |_| true);
        cut.drop_option(&mut self.trace);
        self.drop_process(cut);
        self.drop_parameter(cut);
        cut.drop_one(&mut self.macros, |m| !used.has(&m.name));
        cut.drop_one(&mut self.mtypes, |m| !m.names.iter().any(|n| used.has(n)));
        cut.drop_one(&mut self.records, |r| !used.has(&r.name));
        cut.drop_one(&mut self.globals, |d| !used.has(&d.name));
        cut.drop_one(&mut self.inlines, |i| !used.has(&i.name));
        for m in &mut self.mtypes {
            cut.drop_one(&mut m.names, |n| !used.has(n));
        }
        for r in &mut self.records {
            cut.drop_one(&mut r.fields, |d| !used.has(&d.name));
            r.fields.iter_mut().for_each(|d| cut.decl(d));
        }
        self.globals.iter_mut().for_each(|d| cut.decl(d));
        for i in &mut self.inlines {
            cut.seq(&mut i.body, &used);
        }
        for p in &mut self.procs {
            cut.proc(p, &used);
        }
        if let Some(t) = &mut self.trace {
            cut.seq(&mut t.body, &used);
            if t.negated && cut.here() {
                t.negated = false;
            }
        }
        self.macros.iter_mut().for_each(|m| cut.expr(&mut m.body));
    }

    /// Drops a process and every `run` of it.
    fn drop_process(&mut self, cut: &mut Cut) {
        for i in 0..self.procs.len() {
            if self.procs.len() > 1 && cut.here() {
                let name = self.procs.remove(i).name;
                self.procs.iter_mut().for_each(|p| cut::drop_runs(&mut p.body, &name));
                return;
            }
            if self.procs[i].active.is_none() && self.procs[i].params.is_empty() && cut.here() {
                // Let it run from the start instead.
                self.procs[i].active = Some(1);
                let name = self.procs[i].name.clone();
                self.procs.iter_mut().for_each(|p| cut::drop_runs(&mut p.body, &name));
                return;
            }
        }
    }

    /// Drops a parameter that the body does not use, and the argument of every `run`.
    fn drop_parameter(&mut self, cut: &mut Cut) {
        for i in 0..self.procs.len() {
            for j in 0..self.procs[i].params.len() {
                let mut used = Used::default();
                visit::seq(&self.procs[i].body, &mut used);
                if !used.has(&self.procs[i].params[j].1) && cut.here() {
                    let name = self.procs[i].name.clone();
                    self.procs[i].params.remove(j);
                    self.procs.iter_mut().for_each(|p| cut::drop_argument(&mut p.body, &name, j));
                    return;
                }
            }
        }
    }
}

/// Every name that is used somewhere, not counting its declaration.
#[derive(Default)]
pub(crate) struct Used(std::collections::BTreeSet<String>);

impl Used {
    pub(crate) fn of(m: &Model) -> Used {
        let mut used = Used::default();
        visit::model(m, &mut used);
        m.procs.iter().flat_map(|p| &p.params).for_each(|(ty, _)| used.ty(ty));
        m.globals.iter().filter_map(|d| d.pp_if.as_ref()).for_each(|c| {
            used.0.extend(m.macros.iter().map(|x| x.name.clone()).filter(|n| c.contains(n.as_str())));
        });
        used
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    fn add(&mut self, name: &str) {
        self.0.insert(name.to_string());
    }

    fn ty(&mut self, ty: &Ty) {
        match ty {
            Ty::Record(name) => self.add(name),
            Ty::Mtype(_) => {}
            _ => {}
        }
    }
}

impl Visitor for Used {
    fn lvalue(&mut self, v: &LValue) {
        v.segs.iter().for_each(|(n, _)| self.add(n));
    }

    fn decl(&mut self, d: &VarDecl) {
        self.ty(&d.ty);
        if let Some(Init::Chan { fields, .. }) = &d.init {
            fields.iter().for_each(|t| self.ty(t));
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Name(n) | Expr::Call(n, _) => self.add(n),
            Expr::RemoteLabel { label, .. } => self.add(label),
            _ => {}
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Goto(l) => self.add(l),
            Stmt::InlineCall(name, _) => self.add(name),
            Stmt::Exclusive(_, q) => self.add(q),
            _ => {}
        }
    }
}
