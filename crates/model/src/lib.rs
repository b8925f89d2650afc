//! The language-neutral model: control-flow automata over one flat state vector.
