//! Rows of the corpus in which SPIN is wrong, each with the model of ours that shows the fault.

use super::golden::{Exact, Extent, Shortest};

/// Path of the row, and the minimal model.
const SPIN_WRONG: &[(&str, &str)] = &[
    ("spins/case_studies/fluke/src/test/syntax/ipcFunc.pr", "models/spin_wrong/index_goes_on.pml"),
    ("spins/case_studies/fluke/src/test/big/big.pr", "models/spin_wrong/index_goes_on.pml"),
];

/// The model that shows why SPIN's counts for this row mean nothing.
pub fn fault_of_spin(path: &str) -> Option<&'static str> {
    SPIN_WRONG.iter().find(|(row, _)| *row == path).map(|(_, model)| *model)
}

/// What is left to compare of a full search then: the model is accepted.
pub fn without_counts(golden: &Exact) -> Exact {
    Exact { extent: Extent::Unknown, kinds: golden.kinds.clone(), ..*golden }
}

/// What is left of the shortest error: its length. SPIN calls a bad index an assertion, we call it a run-time error.
pub fn with_runtime(golden: &Shortest) -> Shortest {
    let mut kinds = golden.kinds.clone();
    kinds.insert("runtime");
    Shortest { kinds, ..*golden }
}
