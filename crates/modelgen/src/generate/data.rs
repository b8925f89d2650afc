//! Generates what a model declares: names, records, global and local variables, channels.

use super::Gen;
use super::scope::{Channel, Path, RecordVar, Scalar};
use crate::ast::*;
use crate::profile::Group;

impl Gen {
    /// All global data.
    pub(super) fn data(&mut self) {
        self.mtypes();
        if self.has(Group::ChannelPassing) {
            self.passed = (0..self.rng.range(1, 2)).map(|_| self.field_ty(false)).collect();
        }
        self.records();
        for _ in 0..self.rng.range(1, 3) {
            let name = self.fresh("g");
            let mut d = self.variable(name, true);
            if self.on(Group::Visibility) {
                // SPIN does not hide single bits.
                let words = [Vis::Local, Vis::Show, Vis::Hidden, Vis::Hidden];
                let bits = matches!(d.ty, Ty::Bit | Ty::Bool | Ty::Unsigned(_));
                d.vis = *self.rng.pick(if bits { &words[..2] } else { &words });
            }
            if self.on(Group::Macros) && self.rng.chance(50) {
                let conditions = ["1", "defined(K0)", "K0 > 0", "!defined(NO_SUCH) && K0 < 9"];
                d.pp_if = Some(self.rng.pick(&conditions).to_string());
            }
            self.enter(&d);
            self.model.globals.push(d);
        }
        self.channels();
    }

    fn mtypes(&mut self) {
        if !self.has(Group::Mtypes) {
            return;
        }
        let names = ["red", "amber", "green"][..self.rng.range(2, 3) as usize].iter().map(|s| s.to_string());
        self.model.mtypes.push(Mtype { sub: None, names: names.collect() });
        if self.rng.chance(40) {
            let names = vec!["apple".to_string(), "pear".to_string()];
            self.model.mtypes.push(Mtype { sub: Some("fruit".into()), names });
        }
    }

    fn records(&mut self) {
        if !self.has(Group::Records) {
            return;
        }
        for i in 0..self.rng.range(1, 2) {
            let mut fields = Vec::new();
            for j in 0..self.rng.range(1, 3) {
                let ty = self.scalar_ty();
                let single = matches!(ty, Ty::Unsigned(_));
                let size = (!single && self.on(Group::Arrays) && self.rng.chance(50)).then_some(2);
                fields.push(declared(ty, &format!("f{j}"), size));
            }
            if i > 0 && self.rng.chance(60) {
                let size = self.rng.chance(40).then_some(2);
                fields.push(declared(Ty::Record("Rec0".into()), "sub", size));
            }
            if self.on(Group::Channels) && self.rng.chance(60) {
                let mut d = declared(Ty::Chan, "ch", None);
                d.init = Some(Init::Chan { capacity: 1, fields: self.passed.clone() });
                fields.push(d);
            }
            self.model.records.push(Record { name: format!("Rec{i}"), fields });
        }
    }

    /// The channels every process can use.
    fn channels(&mut self) {
        let mut capacities = Vec::new();
        if self.has(Group::Channels) || self.has(Group::ChannelArrays) || self.has(Group::ChannelPassing) {
            capacities.extend((0..self.rng.range(1, 2)).map(|_| 1 + self.rng.below(2) as u32));
        }
        if self.has(Group::Rendezvous) {
            capacities.extend((0..self.rng.range(1, 2)).map(|_| 0));
        }
        for (i, &capacity) in capacities.iter().enumerate() {
            let name = self.fresh("q");
            let size = self.on(Group::ChannelArrays).then_some(2);
            let mut d = declared(Ty::Chan, &name, size);
            let fields = if i == 0 && self.has(Group::ChannelPassing) {
                self.passed.clone()
            } else if self.has(Group::Records) && self.has(Group::For) && self.rng.chance(60) {
                vec![self.field_ty(true)]
            } else {
                (0..self.rng.range(1, 2)).map(|_| self.field_ty(true)).collect()
            };
            let capacity = if fields.len() > 1 && self.rng.chance(70) { capacity.min(1) } else { capacity };
            d.init = Some(Init::Chan { capacity, fields });
            self.enter(&d);
            self.model.globals.push(d);
        }
    }

    /// The type of a message field.
    fn field_ty(&mut self, compound: bool) -> Ty {
        if compound && self.on(Group::ChannelPassing) {
            return Ty::Chan;
        }
        if compound
            && self.on(Group::Records)
            && self.scope.records.iter().any(|r| self.is_message(&r.record))
        {
            let records: Vec<String> = self.scope.records.iter().map(|r| r.record.clone()).collect();
            let records: Vec<String> = records.into_iter().filter(|r| self.is_message(r)).collect();
            return Ty::Record(self.rng.pick(&records).clone());
        }
        match self.scalar_ty() {
            Ty::Unsigned(_) => Ty::Byte,
            ty => ty,
        }
    }

    /// Whether a record has only scalar fields, so that it can be sent.
    pub(super) fn is_message(&self, record: &str) -> bool {
        let fields = self.model.records.iter().find(|r| r.name == record).map(|r| &r.fields);
        fields.is_some_and(|f| {
            f.iter().all(|d| !matches!(d.ty, Ty::Chan | Ty::Record(_) | Ty::Unsigned(_)) && d.size.is_none())
        })
    }

    pub(super) fn scalar_ty(&mut self) -> Ty {
        if self.on(Group::Mtypes) {
            let subs: Vec<Option<String>> = self.model.mtypes.iter().map(|m| m.sub.clone()).collect();
            return Ty::Mtype(self.rng.pick(&subs).clone());
        }
        if self.on(Group::Widths) {
            let bits = self.rng.range(1, 5) as u8;
            let wide = [Ty::Short, Ty::Int, Ty::Unsigned(bits), Ty::Pid];
            return self.rng.pick(&wide).clone();
        }
        [Ty::Byte, Ty::Byte, Ty::Bit, Ty::Bool][self.rng.weighted(&[5, 3, 2, 2])].clone()
    }

    /// A declaration of a scalar, an array or a record.
    fn variable(&mut self, name: String, global: bool) -> VarDecl {
        if self.on(Group::Records) && !self.model.records.is_empty() {
            let names: Vec<String> = self.model.records.iter().map(|r| r.name.clone()).collect();
            let record = self.rng.pick(&names).clone();
            let size = (global && self.rng.chance(25)).then_some(2);
            return declared(Ty::Record(record), &name, size);
        }
        let ty = self.scalar_ty();
        // There are no arrays of `unsigned`.
        let single = matches!(ty, Ty::Unsigned(_));
        let longest = if global { 3 } else { 2 };
        let size = (!single && self.on(Group::Arrays)).then(|| self.rng.range(2, longest) as u32);
        let mut d = declared(ty, &name, size);
        if self.rng.chance(40) {
            d.init = Some(match d.size {
                Some(n) if self.rng.chance(50) => {
                    Init::List((0..n).map(|_| self.not_negative(&d.ty)).collect())
                }
                _ => Init::Expr(self.constant(&d.ty)),
            });
        }
        d
    }

    /// A constant for a list, where SPIN's grammar has no sign.
    fn not_negative(&mut self, ty: &Ty) -> Expr {
        match self.constant(ty) {
            Expr::Const(n) => Expr::Const(n.abs()),
            e => e,
        }
    }

    /// A declaration inside a process; what it declares is in scope from here on.
    pub(super) fn local_decl(&mut self, outermost: bool) -> Stmt {
        let mut name = self.fresh("v");
        if !outermost && self.on(Group::Scopes) {
            // A name that was declared in a block before; SPIN refuses to hide one that is still in scope.
            name = self.here.ended.pop().unwrap_or(name);
        }
        let fixed = std::mem::replace(&mut self.here.fixed, true);
        let d = self.local(name, outermost);
        self.here.fixed = fixed;
        self.enter(&d);
        Stmt::Decl(d)
    }

    fn local(&mut self, name: String, outermost: bool) -> VarDecl {
        if outermost && self.on(Group::ChannelPassing) && self.rng.chance(30) {
            let mut d = declared(Ty::Chan, &name, None);
            d.init = Some(Init::Chan { capacity: self.rng.below(2) as u32 + 1, fields: self.passed.clone() });
            return d;
        }
        let mut d = self.variable(name, false);
        if !outermost && matches!(d.init, Some(Init::List(_))) {
            d.init = None;
        }
        if d.size.is_none()
            && d.init.is_some()
            && matches!(d.ty, Ty::Byte | Ty::Short | Ty::Int)
            && self.rng.chance(30)
        {
            d.init = Some(Init::Expr(self.int_expr(1)));
        }
        if self.on(Group::Visibility) && self.rng.chance(30) {
            d.vis = *self.rng.pick(&[Vis::Local, Vis::Show]);
        }
        d
    }

    /// Puts what a declaration declares in scope.
    pub(super) fn enter(&mut self, d: &VarDecl) {
        self.scope.hide(&d.name);
        let readable = d.vis != Vis::Hidden;
        self.enter_path(vec![(d.name.clone(), d.size)], d, readable);
    }

    fn enter_path(&mut self, path: Path, d: &VarDecl, readable: bool) {
        match &d.ty {
            Ty::Chan => {
                if let Some(Init::Chan { capacity, fields }) = &d.init {
                    let (fields, capacity) = (fields.clone(), Some(*capacity));
                    self.scope.channels.push(Channel { path, fields, capacity, variable: false });
                }
            }
            Ty::Record(name) => {
                if !readable {
                    return;
                }
                self.scope.records.push(RecordVar { path: path.clone(), record: name.clone() });
                let record = self.model.records.iter().find(|r| r.name == *name).cloned();
                for f in record.into_iter().flat_map(|r| r.fields) {
                    let mut field = path.clone();
                    field.push((f.name.clone(), f.size));
                    self.enter_path(field, &f, readable);
                }
            }
            ty => {
                let modulus = match ty {
                    Ty::Bit | Ty::Bool => 2,
                    Ty::Unsigned(bits) => (1i64 << bits).min(5),
                    _ => self.rng.range(2, 4),
                };
                self.scope.scalars.push(Scalar { path, ty: ty.clone(), modulus, readable, writable: true });
            }
        }
    }
}

/// A declaration without an initialiser.
pub(super) fn declared(ty: Ty, name: &str, size: Option<u32>) -> VarDecl {
    VarDecl { vis: Vis::Plain, ty, name: name.to_string(), size, init: None, pp_if: None }
}
