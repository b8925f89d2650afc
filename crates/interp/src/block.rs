//! How long a deterministic step is: when it is given up, and how one that never ends is recognised.
//!
//! A deterministic step depends on nothing but the vector and where it stands. So one that comes back to both goes round for
//! ever. A vector is kept now and then, each time twice as far on as before, and compared with those that follow (Brent's
//! way to find a cycle): that costs little, and only in steps that are long already.

use crate::working_state::{Outcome, WorkingState, trouble};
use panoptes_exec::FaultKind;

/// Statements of deterministic steps, of all steps together, between two looks at the clock.
pub(crate) const LOOK_EVERY: u32 = 1 << 16;

/// A step that is shorter is not watched for coming back.
const LONG: u64 = 100_000;

/// How far a deterministic step has come.
#[derive(Default)]
pub(crate) struct Length {
    statements: u64,
    mark: Option<Mark>,
}

/// Where it was once.
struct Mark {
    statements: u64,
    node: u32,
    state: Vec<u8>,
}

impl WorkingState<'_> {
    /// Counts a statement of a block, which is about to be tried at `node`.
    #[inline]
    pub fn note_statement(&mut self, length: &mut Length, node: u32) -> Outcome<()> {
        length.statements += 1;
        self.until_look -= 1;
        if length.statements >= LONG || self.until_look == 0 { self.look(length, node) } else { Ok(()) }
    }

    fn look(&mut self, length: &mut Length, node: u32) -> Outcome<()> {
        if self.until_look == 0 {
            self.until_look = LOOK_EVERY;
            if self.patience.is_over() {
                return trouble(FaultKind::Interrupted, "a deterministic step was interrupted");
            }
        }
        if length.statements < LONG {
            return Ok(());
        }
        if length.statements > self.patience.statements_max {
            let message =
                format!("a deterministic step takes more than {} statements", self.patience.statements_max);
            return trouble(FaultKind::EndlessBlock, message);
        }
        match &mut length.mark {
            Some(mark) if mark.node == node && mark.state == self.state => trouble(
                FaultKind::EndlessBlock,
                "a deterministic step never ends: it comes back to where it was",
            ),
            Some(mark) if length.statements < 2 * mark.statements => Ok(()),
            mark => {
                let state = self.state.clone();
                *mark = Some(Mark { statements: length.statements, node, state });
                Ok(())
            }
        }
    }
}
