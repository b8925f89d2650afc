//! The shape of the state vector.
//!
//! ```text
//! hidden | process count | last | monitor | globals | global channels | frame 0 | frame 1 | …
//! ```
//!
//! The hidden part is not compared: two vectors that differ only there are the same state. A frame is
//! `type | priority | control state (2 bytes) | variables | channels`. Processes are numbered from zero in the order of
//! their frames; only the last may end, so numbers never change. Channels are numbered from one in the order of the
//! vector; zero is no channel.

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

/// Where the fixed parts of a frame are; they come first and are the same for all process types.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameLayout {
    pub bytes: u32,
}

impl FrameLayout {
    pub const TYPE: usize = 0;
    pub const PRIORITY: usize = 1;
    pub const STATE: usize = 2;
    /// Where the variables start.
    pub const FIXED_BYTES: u32 = 4;
}
