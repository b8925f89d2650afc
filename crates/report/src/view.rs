//! A report as it is looked at: the methods of a [`View`] are the ways to write it.

use panoptes_check::Report;
use std::ops::Deref;

/// A report on its way to text or JSON.
#[derive(Clone, Copy)]
pub struct View<'a>(pub &'a Report);

impl Deref for View<'_> {
    type Target = Report;

    fn deref(&self) -> &Report {
        self.0
    }
}
