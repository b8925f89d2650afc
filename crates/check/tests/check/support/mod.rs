//! The shipped models, loaded.

pub mod choices;

use panoptes_check::{Language, Loaded, TextOptions, load_file};
use panoptes_modelgen::shipped;

/// Those of `models/` itself.
pub fn models() -> Vec<(String, Loaded)> {
    models_in(&[""])
}

/// Those of some folders there, each with the name of its file.
pub fn models_in(folders: &[&str]) -> Vec<(String, Loaded)> {
    let load = |path: &std::path::PathBuf| {
        let language = Language::of_path(path).expect("the name tells");
        let loaded = load_file(path, language, &TextOptions::default()).expect("a readable file");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, loaded.expect("a model"))
    };
    shipped(folders).iter().map(load).collect()
}
