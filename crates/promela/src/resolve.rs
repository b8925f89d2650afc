//! Names and types: what each name of the text stands for, and how many bytes it takes.

use crate::ast::{self, Name};
use panoptes_model::{Display, EnumId, ProcId, Region, ScalarType};
use panoptes_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The type of a variable, field or parameter (without its array length).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Scalar(ScalarType, Display),
    Record(usize),
}

/// A variable of the model or of a process.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: Name,
    pub ty: Type,
    pub array: Option<u32>,
    pub region: Region,
    pub offset: u32,
    pub span: Span,
    /// An array of bits, whose elements take and keep a byte each.
    pub wide_bits: bool,
    /// How many fields its messages have, if it is declared as a channel of its own.
    pub message_fields: Option<usize>,
    /// Numbers of the channels it is declared with, if global.
    pub channel_numbers: Vec<u8>,
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub name: Name,
    pub fields: Vec<Field>,
    pub bytes: u32,
    /// How many scalars it consists of.
    pub values: u32,
    /// How many records stand inside each other in it, with itself.
    pub depth: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: Name,
    pub ty: Type,
    pub array: Option<u32>,
    pub offset: u32,
    pub wide_bits: bool,
    pub init: Option<ast::Init>,
}

/// What is known of a process type before its body is read.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub id: ProcId,
    pub params: usize,
    pub span: Span,
}

/// What remote references need to know of a process type's body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anatomy {
    /// Label to number of its control state; none if no process ever stands there.
    pub labels: FxHashMap<Name, Option<u16>>,
    pub locals: FxHashMap<Name, Var>,
}

/// Everything global.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    pub records: Vec<Record>,
    pub record_names: FxHashMap<Name, usize>,
    /// Types whose declaration was wrong: using them is no second mistake.
    pub broken_records: FxHashSet<Name>,
    /// Symbolic constants: value and the set they belong to.
    pub constants: FxHashMap<Name, (i32, EnumId)>,
    /// Global variables with the index of the item that declares them: no use before that.
    pub globals: FxHashMap<Name, (usize, Var)>,
    pub processes: FxHashMap<Name, Signature>,
    /// Variables whose declaration was wrong: using them is no second mistake.
    pub broken: FxHashSet<Name>,
    /// By process name; complete in the second pass, which there is when the model has remote references.
    pub anatomy: FxHashMap<Name, Anatomy>,
    /// Process and label of every remote reference: a jump with such a label is a place to stand.
    pub remote_labels: FxHashSet<(Name, Name)>,
}

impl Symbols {
    pub fn type_bytes(&self, ty: Type) -> u32 {
        match ty {
            Type::Scalar(scalar, _) => scalar.bytes() as u32,
            Type::Record(index) => self.records[index].bytes,
        }
    }

    /// Bytes of a variable or field with its array length.
    pub fn total_bytes(&self, ty: Type, array: Option<u32>) -> u32 {
        self.type_bytes(ty).saturating_mul(array.unwrap_or(1))
    }

    /// How many scalars a value of this type consists of.
    pub fn component_count(&self, ty: Type) -> u32 {
        match ty {
            Type::Scalar(..) => 1,
            Type::Record(index) => self.records[index].values,
        }
    }

    /// How many records stand inside each other in a value of this type.
    pub fn depth(&self, ty: Type) -> u32 {
        match ty {
            Type::Scalar(..) => 0,
            Type::Record(index) => self.records[index].depth,
        }
    }

    /// The scalars a value of this type consists of, in the order in which a message carries them.
    pub fn components(&self, ty: Type) -> Vec<(ScalarType, Display)> {
        match ty {
            Type::Scalar(scalar, display) => vec![(scalar, display)],
            Type::Record(index) => self.records[index]
                .fields
                .iter()
                .flat_map(|field| {
                    let one = self.components(field.ty);
                    (0..field.array.unwrap_or(1)).flat_map(move |_| one.clone())
                })
                .collect(),
        }
    }
}

/// The scopes of one process, innermost last. A name may not hide another one that is still visible.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    stack: Vec<FxHashMap<Name, Var>>,
}

impl Scopes {
    pub fn open(&mut self) {
        self.stack.push(FxHashMap::default());
    }

    pub fn close(&mut self) {
        self.stack.pop();
    }

    pub fn declare(&mut self, var: Var) {
        if let Some(scope) = self.stack.last_mut() {
            scope.insert(var.name.clone(), var);
        }
    }

    /// The names of all variables that can be seen.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.stack.iter().flat_map(|scope| scope.keys().map(|name| &**name))
    }

    pub fn find(&self, name: &str) -> Option<&Var> {
        self.stack.iter().rev().find_map(|scope| scope.get(name))
    }
}
