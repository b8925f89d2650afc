//! The models that the project brings, for tests that try something on all of them.

use std::path::{Path, PathBuf};

/// The folders of small models: `models` itself, and those on which SPIN is wrong.
pub const SMALL: &[&str] = &["", "spin_wrong"];

/// All models, of both languages, in some folders of `models`, sorted by name.
pub fn shipped(folders: &[&str]) -> Vec<PathBuf> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(models.join(folder)).expect("the models are there"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "pml" || ending == "argos"));
    files.sort();
    files
}
