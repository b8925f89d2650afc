//! Formulas of linear temporal logic over numbered atoms, and how they are written.

/// An atom: its place in a list that the caller owns. A formula can be translated if its atoms are below
/// [`ATOMS_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// How many atoms a formula may have: a valuation is a word of 64 bits, with bit `i` for atom `i`.
pub const ATOMS_MAX: u32 = 64;

/// A formula. Each variant is one operator; `Formula::until(a, b)` and the like build them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    True,
    False,
    Atom(AtomId),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equiv(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    /// The right one holds at some time, and the left one until then.
    Until(Box<Formula>, Box<Formula>),
    /// As `Until`, but the right one may never hold if the left one always does.
    WeakUntil(Box<Formula>, Box<Formula>),
    /// The right one holds up to and including the time when the left one does, or always.
    Release(Box<Formula>, Box<Formula>),
}

macro_rules! constructors {
    ($($name:ident = $variant:ident ( $($operand:ident),* );)*) => {
        impl Formula {
            $(pub fn $name($($operand: Formula),*) -> Formula {
                Formula::$variant($(Box::new($operand)),*)
            })*
        }
    };
}

constructors! {
    negation = Not(operand);
    and = And(left, right);
    or = Or(left, right);
    implies = Implies(left, right);
    equiv = Equiv(left, right);
    next = Next(operand);
    always = Always(operand);
    eventually = Eventually(operand);
    until = Until(left, right);
    weak_until = WeakUntil(left, right);
    release = Release(left, right);
}

impl Formula {
    pub fn atom(index: u32) -> Formula {
        Formula::Atom(AtomId(index))
    }

    /// The operands, from left to right.
    pub fn operands(&self) -> impl Iterator<Item = &Formula> {
        let (first, second) = match self {
            Formula::True | Formula::False | Formula::Atom(_) => (None, None),
            Formula::Not(operand)
            | Formula::Next(operand)
            | Formula::Always(operand)
            | Formula::Eventually(operand) => (Some(&**operand), None),
            Formula::And(left, right)
            | Formula::Or(left, right)
            | Formula::Implies(left, right)
            | Formula::Equiv(left, right)
            | Formula::Until(left, right)
            | Formula::WeakUntil(left, right)
            | Formula::Release(left, right) => (Some(&**left), Some(&**right)),
        };
        first.into_iter().chain(second)
    }

    /// The formula and all formulas in it, with how deep they stand.
    pub fn subformulas(&self) -> impl Iterator<Item = (&Formula, usize)> {
        let mut open = vec![(self, 1)];
        std::iter::from_fn(move || {
            let (formula, depth) = open.pop()?;
            open.extend(formula.operands().map(|operand| (operand, depth + 1)));
            Some((formula, depth))
        })
    }

    /// One more than the largest atom; zero without atoms.
    pub fn atom_count(&self) -> u32 {
        let atoms = self.subformulas().filter_map(|(formula, _)| match formula {
            Formula::Atom(atom) => Some(atom.0.saturating_add(1)),
            _ => None,
        });
        atoms.max().unwrap_or(0)
    }

    /// Does it speak of the next step? What does not cannot tell a word from one that stutters.
    pub fn has_next(&self) -> bool {
        self.subformulas().any(|(formula, _)| matches!(formula, Formula::Next(_)))
    }

    /// The formula as text, with the caller's names of the atoms.
    pub fn to_text(&self, name: &dyn Fn(AtomId) -> String) -> String {
        let mut out = String::new();
        self.write(name, false, &mut out);
        out
    }

    /// Every operand that is not a single word stands in parentheses: precedences differ from tool to tool.
    fn write(&self, name: &dyn Fn(AtomId) -> String, inner: bool, out: &mut String) {
        let sign = match self {
            Formula::True => return out.push_str("true"),
            Formula::False => return out.push_str("false"),
            Formula::Atom(atom) => return write_atom(&name(*atom), inner, out),
            Formula::Not(_) => "!",
            Formula::Next(_) => "X ",
            Formula::Always(_) => "[] ",
            Formula::Eventually(_) => "<> ",
            Formula::And(..) => " && ",
            Formula::Or(..) => " || ",
            Formula::Implies(..) => " -> ",
            Formula::Equiv(..) => " <-> ",
            Formula::Until(..) => " U ",
            Formula::WeakUntil(..) => " W ",
            Formula::Release(..) => " V ",
        };
        let operands: Vec<&Formula> = self.operands().collect();
        match operands[..] {
            [operand] => {
                out.push_str(sign);
                operand.write(name, true, out);
            }
            _ => {
                out.push_str(if inner { "(" } else { "" });
                operands[0].write(name, true, out);
                out.push_str(sign);
                operands[1].write(name, true, out);
                out.push_str(if inner { ")" } else { "" });
            }
        }
    }
}

/// An atom can be an expression; as an operand it then needs parentheses.
fn write_atom(name: &str, inner: bool, out: &mut String) {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (open, close) = if inner && !is_word { ("(", ")") } else { ("", "") };
    out.push_str(&format!("{open}{name}{close}"));
}

/// With `p0`, `p1` and so on for the atoms.
impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_text(&|atom| format!("p{}", atom.0)))
    }
}
