//! The rules that simplify formulas while they are built: disjunctions, `U` and `X`. The rules for conjunctions and `R`
//! follow by duality.

use crate::nnf::{FALSE, Nnf, Shape, TRUE, Table};

impl Table {
    pub fn or(&mut self, operands: Vec<Nnf>) -> Nnf {
        let mut flat = Vec::new();
        for operand in operands {
            match self.shape(operand) {
                Shape::Or(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(operand),
            }
        }
        self.merge_alike(&mut flat);
        flat.sort_unstable();
        flat.dedup();
        self.drop_implied(&mut flat);
        match flat[..] {
            [] => FALSE,
            [single] => single,
            _ if self.covers_everything(&flat) => TRUE,
            _ => self.intern(Shape::Or(flat)),
        }
    }

    /// Makes one of operands that differ in one place: `X a || X b`, `a U b || a U c`, `a R c || b R c`,
    /// `[]<> a || []<> b`.
    fn merge_alike(&mut self, flat: &mut Vec<Nnf>) {
        let mut at = 0;
        while at < flat.len() {
            let mut other = at + 1;
            while other < flat.len() {
                match self.merged(flat[at], flat[other]) {
                    Some(merged) => {
                        flat.swap_remove(other);
                        match self.shape(merged).clone() {
                            // What a merged operand became may be a disjunction again, but a smaller one.
                            Shape::Or(inner) => {
                                flat.swap_remove(at);
                                flat.extend(inner);
                                (at, other) = (0, 1);
                            }
                            _ => {
                                flat[at] = merged;
                                other = at + 1;
                            }
                        }
                    }
                    None => other += 1,
                }
            }
            at += 1;
        }
    }

    fn merged(&mut self, f: Nnf, g: Nnf) -> Option<Nnf> {
        match (self.shape(f).clone(), self.shape(g).clone()) {
            (Shape::Next(a), Shape::Next(b)) => {
                let either = self.or(vec![a, b]);
                Some(self.next(either))
            }
            // What is suspendable stays alone: it costs nothing there.
            (Shape::Until(TRUE, b), Shape::Until(TRUE, d))
                if self.is_universal(b) != self.is_universal(d) =>
            {
                None
            }
            (Shape::Until(a, b), Shape::Until(c, d)) if a == c => {
                let either = self.or(vec![b, d]);
                Some(self.until(a, either))
            }
            (Shape::Release(a, b), Shape::Release(c, d)) if b == d => {
                let either = self.or(vec![a, c]);
                Some(self.release(either, b))
            }
            (Shape::Release(FALSE, b), Shape::Release(FALSE, d))
                if self.is_eventual(b) && self.is_eventual(d) =>
            {
                let either = self.or(vec![b, d]);
                Some(self.release(FALSE, either))
            }
            _ => None,
        }
    }

    /// Leaves out each operand that implies another.
    fn drop_implied(&mut self, flat: &mut Vec<Nnf>) {
        let mut at = 0;
        while at < flat.len() {
            let f = flat[at];
            let implied = (0..flat.len()).any(|other| other != at && self.implies(f, flat[other]));
            if implied {
                flat.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Does what is left of the one operand when another is false imply a third?
    fn covers_everything(&mut self, flat: &[Nnf]) -> bool {
        flat.iter().any(|f| {
            let not_f = self.not(*f);
            flat.iter().any(|g| g != f && self.implies(not_f, *g))
        })
    }

    pub fn next(&mut self, a: Nnf) -> Nnf {
        match a {
            _ if self.is_suspendable(a) => a,
            _ => self.intern(Shape::Next(a)),
        }
    }

    pub fn until(&mut self, a: Nnf, b: Nnf) -> Nnf {
        if a == FALSE || self.is_eventual(b) || self.implies(a, b) {
            return b;
        }
        let not_b = self.not(b);
        if a != TRUE && self.implies(not_b, a) {
            return self.until(TRUE, b);
        }
        match (self.shape(a).clone(), self.shape(b).clone()) {
            (Shape::Next(c), Shape::Next(d)) => {
                let until = self.until(c, d);
                return self.next(until);
            }
            (Shape::Constant(true), Shape::Next(d)) => {
                let until = self.until(TRUE, d);
                return self.next(until);
            }
            (Shape::Until(_, d), _) if d == b => return a,
            (_, Shape::Until(c, d)) => {
                if a == TRUE {
                    return self.until(TRUE, d);
                }
                if self.implies(a, c) {
                    return b;
                }
            }
            (Shape::Constant(true), Shape::Release(FALSE, d)) => {
                if let Some(simpler) = self.almost_always(d) {
                    return simpler;
                }
            }
            (_, Shape::And(operands)) => {
                // What holds at all times or at none need not wait.
                let (free, bound) = self.split(operands, Table::is_suspendable);
                if !free.is_empty() {
                    let bound = self.and(bound);
                    let until = self.until(a, bound);
                    return self.and([vec![until], free].concat());
                }
            }
            (_, Shape::Or(operands)) => {
                if a == TRUE
                    && let Some(simpler) = self.once(&operands)
                {
                    return simpler;
                }
                let inner = |table: &Table, operand: Nnf| match table.shape(operand) {
                    Shape::Until(c, d) if *c == a => *d,
                    _ => operand,
                };
                let shorter: Vec<Nnf> = operands.iter().map(|operand| inner(self, *operand)).collect();
                if shorter != operands {
                    let shorter = self.or(shorter);
                    return self.until(a, shorter);
                }
            }
            _ => {}
        }
        self.intern(Shape::Until(a, b))
    }

    /// `<>` of a disjunction of which a part needs no `<>`, or is suspendable with it.
    fn once(&mut self, operands: &[Nnf]) -> Option<Nnf> {
        let (eventual, rest) = self.split(operands.to_vec(), Table::is_eventual);
        let (universal, rest) = self.split(rest, Table::is_universal);
        if eventual.is_empty() && (universal.is_empty() || rest.is_empty()) {
            return None;
        }
        let (universal, rest) = (self.or(universal), self.or(rest));
        let parts = vec![self.until(TRUE, universal), self.until(TRUE, rest)];
        Some(self.or([parts, eventual].concat()))
    }

    /// `<>[] f`, if `f` is `a U b`, which is then `<>[](a || b) && []<> b`, or a disjunction of which a part needs no
    /// `<>[]`: what may come true once and for all, or what is true now if ever.
    fn almost_always(&mut self, f: Nnf) -> Option<Nnf> {
        let operands = match self.shape(f).clone() {
            Shape::Or(operands) => operands,
            // A temporal `b` would only be doubled.
            Shape::Until(a, b) if self.is_propositional(b) => {
                let either = self.or(vec![a, b]);
                let always = self.release(FALSE, either);
                let (almost_always, once) = (self.until(TRUE, always), self.until(TRUE, b));
                let again = self.release(FALSE, once);
                return Some(self.and(vec![almost_always, again]));
            }
            _ => return None,
        };
        let (universal, rest) = self.split(operands, Table::is_universal);
        let (eventual, rest) = self.split(rest, Table::is_eventual);
        if universal.is_empty() && eventual.is_empty() {
            return None;
        }
        let rest = self.or(rest);
        let always = self.release(FALSE, rest);
        let mut parts = vec![self.until(TRUE, always)];
        parts.extend(universal.into_iter().map(|operand| self.until(TRUE, operand)));
        parts.extend(eventual.into_iter().map(|operand| self.release(FALSE, operand)));
        Some(self.or(parts))
    }

    /// Is it about the current letter alone?
    fn is_propositional(&self, f: Nnf) -> bool {
        match self.shape(f) {
            Shape::Constant(_) | Shape::Literal(..) => true,
            Shape::And(operands) | Shape::Or(operands) => {
                operands.iter().all(|operand| self.is_propositional(*operand))
            }
            Shape::Next(_) | Shape::Until(..) | Shape::Release(..) => false,
        }
    }

    fn split(&self, operands: Vec<Nnf>, is: fn(&Table, Nnf) -> bool) -> (Vec<Nnf>, Vec<Nnf>) {
        operands.into_iter().partition(|operand| is(self, *operand))
    }

    /// Is it plain from the shapes that every word with the first has the second? `false` means that it is not known.
    pub fn implies(&mut self, f: Nnf, g: Nnf) -> bool {
        if f == g || f == FALSE || g == TRUE {
            return true;
        }
        if f == TRUE || g == FALSE {
            return false;
        }
        if let Some(known) = self.implications.get(&(f, g)) {
            return *known;
        }
        // Operands are smaller, so that this ends.
        let result = self.implies_by_shape(f, g);
        self.implications.insert((f, g), result);
        result
    }

    fn implies_by_shape(&mut self, f: Nnf, g: Nnf) -> bool {
        let (shape_f, shape_g) = (self.shape(f).clone(), self.shape(g).clone());
        match (&shape_f, &shape_g) {
            (Shape::Or(operands), _) => return operands.iter().all(|operand| self.implies(*operand, g)),
            (_, Shape::And(operands)) => return operands.iter().all(|operand| self.implies(f, *operand)),
            (Shape::Next(a), Shape::Next(b)) if self.implies(*a, *b) => return true,
            (Shape::Until(a, b), Shape::Until(c, d)) | (Shape::Release(a, b), Shape::Release(c, d))
                if self.implies(*a, *c) && self.implies(*b, *d) =>
            {
                return true;
            }
            _ => {}
        }
        let by_f = match &shape_f {
            Shape::And(operands) => operands.iter().any(|operand| self.implies(*operand, g)),
            Shape::Next(a) => self.is_eventual(g) && self.implies(*a, g),
            Shape::Until(a, b) => self.implies(*b, g) && (self.is_eventual(g) || self.implies(*a, g)),
            Shape::Release(_, b) => self.implies(*b, g),
            _ => false,
        };
        by_f || match &shape_g {
            Shape::Or(operands) => operands.iter().any(|operand| self.implies(f, *operand)),
            Shape::Next(b) => self.is_universal(f) && self.implies(f, *b),
            Shape::Until(_, d) => self.implies(f, *d),
            Shape::Release(c, d) => self.implies(f, *d) && (self.is_universal(f) || self.implies(f, *c)),
            _ => false,
        }
    }
}
