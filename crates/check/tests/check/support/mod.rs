//! The shipped models, loaded.

use panoptes_check::{Language, Loaded, TextOptions, load_file};
use panoptes_modelgen::shipped;

/// All of them, each with the name of its file.
pub fn models() -> Vec<(String, Loaded)> {
    let load = |path: &std::path::PathBuf| {
        let language = Language::of_path(path).expect("the name tells");
        let loaded = load_file(path, language, &TextOptions::default()).expect("a readable file");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, loaded.expect("a model"))
    };
    shipped(&[""]).iter().map(load).collect()
}
