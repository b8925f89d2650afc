//! The shape of the state vector.
//!
//! ```text
//! hidden | process count | last | monitor | globals | global channels | frame 0 | frame 1 | …
//! ```
//!
//! The hidden part is not compared: two vectors that differ only there are the same state. A frame is
//! `type | priority | control state (2 bytes) | variables | channels`; a slim one has no priority, or one byte for the
//! control state. Processes are numbered from zero in the order of
//! their frames; only the last may end, so numbers never change. Channels are numbered from one in the order of the
//! vector; zero is no channel.

use crate::StateId;

pub const STATE_NUMBER_BYTES: usize = 2;

/// Where the fixed parts of the vector are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    pub hidden_bytes: u32,
    /// One byte, present only if the model asks for the last process.
    pub last: Option<u32>,
    /// Two bytes, present only if the model has a monitor.
    pub monitor: Option<u32>,
    /// The first byte after all that is global: where frame 0 starts.
    pub frames: u32,
}

impl Header {
    /// One byte: how many processes live.
    pub fn process_count(&self) -> usize {
        self.hidden_bytes as usize
    }

    /// The first byte after the fixed parts: where globals may start.
    pub fn globals(&self) -> u32 {
        let last = self.last.map(|offset| offset + 1);
        let monitor = self.monitor.map(|offset| offset + STATE_NUMBER_BYTES as u32);
        monitor.or(last).unwrap_or(self.hidden_bytes + 1)
    }
}

/// Where the fixed parts of a frame are; they come first and are the same for all process types of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameLayout {
    pub bytes: u32,
    /// There is no byte for a priority: the model has none.
    pub no_priority: bool,
    /// The control state takes one byte: no process type has more than 256.
    pub short_state: bool,
}

impl FrameLayout {
    pub const TYPE: usize = 0;
    /// If there is one.
    pub const PRIORITY: usize = 1;
    /// Where the variables start in a frame that is not slim.
    pub const FIXED_BYTES: u32 = 4;

    /// A frame with all fixed parts at full width.
    pub const fn wide(bytes: u32) -> FrameLayout {
        FrameLayout { bytes, no_priority: false, short_state: false }
    }

    #[inline]
    pub const fn state_at(self) -> usize {
        if self.no_priority { FrameLayout::PRIORITY } else { FrameLayout::PRIORITY + 1 }
    }

    pub const fn state_bytes(self) -> usize {
        if self.short_state { 1 } else { STATE_NUMBER_BYTES }
    }

    /// Where the variables start.
    pub const fn fixed_bytes(self) -> u32 {
        (self.state_at() + self.state_bytes()) as u32
    }

    /// The control state of a frame.
    #[inline]
    pub fn state(self, frame: &[u8]) -> StateId {
        let at = self.state_at();
        let low = frame[at];
        StateId(u32::from(if self.short_state {
            u16::from(low)
        } else {
            u16::from_le_bytes([low, frame[at + 1]])
        }))
    }

    #[inline]
    pub fn set_state(self, frame: &mut [u8], state: StateId) {
        let at = self.state_at();
        let bytes = (state.0 as u16).to_le_bytes();
        frame[at..at + self.state_bytes()].copy_from_slice(&bytes[..self.state_bytes()]);
    }

    /// The priority of a frame; zero where there is none.
    pub fn priority(self, frame: &[u8]) -> u8 {
        if self.no_priority { 0 } else { frame[FrameLayout::PRIORITY] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slim_frame_keeps_its_state() {
        for no_priority in [false, true] {
            for short_state in [false, true] {
                let layout = FrameLayout { bytes: 6, no_priority, short_state };
                let mut frame = [9; 6];
                layout.set_state(&mut frame, StateId(200));
                assert_eq!(layout.state(&frame), StateId(200));
                assert_eq!(
                    frame[layout.fixed_bytes() as usize..].iter().filter(|byte| **byte == 9).count(),
                    { 6 - layout.fixed_bytes() as usize }
                );
                assert_eq!(layout.priority(&frame), if no_priority { 0 } else { 9 });
            }
        }
        assert_eq!(FrameLayout::wide(4).fixed_bytes(), FrameLayout::FIXED_BYTES);
    }
}
