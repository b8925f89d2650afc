//! What can be named at a place in the model: scalar variables, channels and records.

use crate::ast::{LValue, Ty};

/// A way to a variable: names, each with the size of its array if it is one.
pub type Path = Vec<(String, Option<u32>)>;

/// A scalar that can be read and perhaps written.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub path: Path,
    pub ty: Ty,
    /// Updates inside loops keep the value below this.
    pub modulus: i64,
    pub readable: bool,
    pub writable: bool,
}

/// A channel that can be used.
#[derive(Clone, Debug)]
pub struct Channel {
    pub path: Path,
    pub fields: Vec<Ty>,
    /// The capacity, unless a channel variable hides it.
    pub capacity: Option<u32>,
    /// Whether it is a variable that another channel can be stored in.
    pub variable: bool,
}

/// A whole record, which can be a message field.
#[derive(Clone, Debug)]
pub struct RecordVar {
    pub path: Path,
    pub record: String,
}

/// Everything in scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub scalars: Vec<Scalar>,
    pub channels: Vec<Channel>,
    pub records: Vec<RecordVar>,
}

impl Scope {
    /// Forgets everything reached through `name`, because a new declaration hides it.
    pub fn hide(&mut self, name: &str) {
        self.scalars.retain(|s| s.path[0].0 != name);
        self.channels.retain(|c| c.path[0].0 != name);
        self.records.retain(|r| r.path[0].0 != name);
    }

    /// Forbids or allows to write to what begins with `name`.
    pub fn set_writable(&mut self, name: &str, writable: bool) {
        self.scalars.iter_mut().filter(|s| s.path[0].0 == name).for_each(|s| s.writable = writable);
    }
}

impl Scalar {
    /// A plain variable named `name`.
    pub fn plain(name: &str, ty: Ty, modulus: i64) -> Scalar {
        Scalar { path: vec![(name.to_string(), None)], ty, modulus, readable: true, writable: true }
    }

    /// Whether it is one variable, without an index anywhere.
    pub fn is_plain(&self) -> bool {
        self.path.len() == 1 && self.path[0].1.is_none()
    }

    /// Whether it can be the variable of a `for` or `select`: not the parameter of an inline.
    pub fn can_index(&self) -> bool {
        self.is_plain() && self.readable && self.path[0].0 != "dst"
    }

    /// Whether it counts: neither a truth value nor a name.
    pub fn is_number(&self) -> bool {
        matches!(self.ty, Ty::Byte | Ty::Pid | Ty::Short | Ty::Int | Ty::Unsigned(_))
    }

    /// Whether its value is never negative, so that a remainder of it can be an index.
    pub fn is_unsigned(&self) -> bool {
        matches!(self.ty, Ty::Bit | Ty::Bool | Ty::Byte | Ty::Pid | Ty::Unsigned(_))
    }
}

/// A path without any array as a variable.
pub fn plain(path: &Path) -> LValue {
    LValue { segs: path.iter().map(|(n, _)| (n.clone(), None)).collect() }
}
