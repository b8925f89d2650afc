//! Random formulas and words for the tests.
#![allow(dead_code, reason = "each test uses some of it")]

use panoptes_ltl::{Atoms, Formula, Lasso, parse};
use panoptes_source::SourceMap;

/// A small generator of random numbers (splitmix64): the same seed always gives the same tests.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A formula with so many operators and atoms.
    pub fn formula(&mut self, operators: u64, atoms: u64) -> Formula {
        if operators == 0 {
            return match self.below(12) {
                0 => Formula::True,
                1 => Formula::False,
                _ => Formula::atom(self.below(atoms) as u32),
            };
        }
        let kind = self.below(13);
        if kind < 5 {
            let operand = self.formula(operators - 1, atoms);
            return match kind {
                0 => Formula::negation(operand),
                1 => Formula::next(operand),
                2 => Formula::always(operand),
                3 => Formula::eventually(operand),
                _ => Formula::always(Formula::eventually(operand)),
            };
        }
        let left = self.below(operators);
        let (left, right) = (self.formula(left, atoms), self.formula(operators - 1 - left, atoms));
        match kind {
            5 | 6 => Formula::and(left, right),
            7 => Formula::or(left, right),
            8 => Formula::implies(left, right),
            9 => Formula::equiv(left, right),
            10 => Formula::until(left, right),
            11 => Formula::weak_until(left, right),
            _ => Formula::release(left, right),
        }
    }

    /// A word over so many atoms. Half of the letters repeat the one before, as words of models do.
    pub fn lasso(&mut self, atoms: u64) -> Lasso {
        let mut letter = self.below(1 << atoms);
        let mut letters = |random: &mut Random, count: u64| -> Vec<u64> {
            let mut letters = Vec::new();
            for _ in 0..count {
                letter = if random.below(2) == 0 { letter } else { random.below(1 << atoms) };
                letters.push(letter);
            }
            letters
        };
        let (prefix, cycle) = (self.below(5), 1 + self.below(5));
        let prefix = letters(self, prefix);
        let cycle = letters(self, cycle);
        Lasso::new(&prefix, &cycle)
    }
}

/// Reads a formula that is known to be right.
pub fn read(text: &str) -> (Formula, Atoms) {
    let mut sources = SourceMap::default();
    let file = sources.add_file("formula", text.to_string(), None);
    let mut atoms = Atoms::default();
    let formula =
        parse(&sources, file, &mut atoms).unwrap_or_else(|error| panic!("{text}: {}", error.message));
    (formula, atoms)
}
