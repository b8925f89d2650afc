//! The passes, each alone and all together. One program, so that it is linked once.

mod bytes;
mod passes;
mod same_verdict;
