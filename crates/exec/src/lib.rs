//! What an executor offers: initial state, successors, and the events of one step.
