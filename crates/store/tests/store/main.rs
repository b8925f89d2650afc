//! Stores beside plain maps and sets, alone and shared by threads. One program, so that it is linked once.

mod against_a_map;
mod flags;
mod images;
mod threads;
mod tree_against_a_set;
