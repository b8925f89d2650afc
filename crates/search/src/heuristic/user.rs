//! An estimate that somebody wrote: the value of an expression over variables, channels and places of processes.

use super::look::Frames;
use super::{FAR, Heuristic};
use panoptes_model::{Expr, Model};

pub(crate) struct User<'m> {
    model: &'m Model,
    expr: &'m Expr,
    frames: Frames,
}

impl<'m> User<'m> {
    pub fn new(model: &'m Model, expr: &'m Expr) -> User<'m> {
        User { model, expr, frames: Frames::default() }
    }
}

impl Heuristic for User<'_> {
    /// Less than nothing is nothing; an expression without a value tells nothing.
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let look = self.frames.look(self.model, vector);
        let value = look.eval(0, self.expr).unwrap_or(0);
        u32::try_from(value).unwrap_or(0).min(FAR)
    }

    fn explain(&self) -> Vec<String> {
        vec!["the value of your expression".to_string()]
    }
}
