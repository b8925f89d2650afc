//! Checkpoints: a search is written down so that another process can go on with it.
//!
//! A search that is asked to pause, or meets a limit, stops where all that it holds fits together: what was taken from the frontier and not
//! finished is put back, and of a state whose successors were followed in part it is noted which ones. So the same code goes on after a
//! pause, and in another process after its parts were read.

use crate::limits::Limits;
use crate::program::Program;
use crate::saved::{Saved, identity};
use crate::stop::Stop;
use crate::worker::Worker;
use crate::{Limit, Observer};
use panoptes_store::{ImageReader, ImageWriter, damaged};
use std::io;

/// A search that can be written and read.
pub(crate) trait Resumable {
    /// What kind of search it is, on what kind of store.
    fn kind(&self) -> String;

    /// Can it be written down, so that it goes on from there?
    fn is_whole(&self) -> bool;

    fn observer(&mut self) -> &mut dyn Observer;

    /// What it takes in memory.
    fn bytes(&self) -> usize;

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()>;

    /// Takes over what was saved, into a search that has not begun.
    fn load(&mut self, image: &mut ImageReader) -> io::Result<()>;
}

/// Writes the search down, if that is wanted.
pub(crate) fn save(search: &mut impl Resumable, program: &Program<'_>) {
    if !search.is_whole() {
        return;
    }
    let Some(mut image) = search.observer().begin_checkpoint() else { return };
    let mut write = || {
        search.kind().save(&mut image)?;
        identity(program.model).save(&mut image)?;
        search.bytes().save(&mut image)?;
        search.save(&mut image)
    };
    let written = write();
    search.observer().end_checkpoint(written.map(|()| image));
}

/// To be called before a search begins: lets it pause, and goes on where another process was, if there was one. When that cannot be,
/// the search has ended.
pub(crate) fn begin(search: &mut impl Resumable, program: &Program<'_>, limits: &Limits) -> Result<(), Stop> {
    if !search.is_whole() || !search.observer().keeps_checkpoints() {
        return Ok(());
    }
    limits.allow_pauses();
    let Some(image) = search.observer().saved() else { return Ok(()) };
    let loaded = load(search, program, limits, image);
    let is_loaded = loaded.is_ok();
    search.observer().resumed(loaded);
    if is_loaded { Ok(()) } else { Err(Stop::Limit(Limit::Stopped)) }
}

fn load(
    search: &mut impl Resumable,
    program: &Program<'_>,
    limits: &Limits,
    mut image: ImageReader,
) -> io::Result<()> {
    if String::load(&mut image)? != search.kind() {
        return Err(damaged("it is of another kind of search or store"));
    }
    if u64::load(&mut image)? != identity(program.model) {
        return Err(damaged("it is of another model, or the model was prepared in another way"));
    }
    let bytes = usize::load(&mut image)?;
    if bytes > limits.allowed() {
        let needed = bytes.div_ceil(1 << 20);
        let message =
            format!("the search takes {needed} MiB by now, and `--memory` leaves less: give it more");
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, message));
    }
    search.load(&mut image)?;
    image.finish()
}

/// What a worker has counted and found by the way.
pub(crate) fn save_worker(worker: &mut Worker<'_>, image: &mut ImageWriter) -> io::Result<()> {
    worker.expander.executor().settled().save(image)?;
    worker.tally.statistics.save(image)?;
    worker.expander.executed.save(image)?;
    worker.expander.given_up.save(image)
}

pub(crate) fn load_worker(worker: &mut Worker<'_>, image: &mut ImageReader) -> io::Result<()> {
    worker.expander.executor().settle(Saved::load(image)?);
    worker.tally.statistics = Saved::load(image)?;
    worker.expander.executed.union(&Saved::load(image)?);
    worker.expander.given_up = Saved::load(image)?;
    Ok(())
}
