//! Preprocessing as SPIN has it done.

use crate::{Loader, PreprocessorOptions};
use panoptes_preprocess::Preprocessed;
use panoptes_source::{FileId, SourceMap};
use std::path::Path;

/// The names gcc defines that a model may ask for; SPIN calls gcc in its GNU mode, where `unix` and `linux` are among them.
const PREDEFINED: &str = "#define unix 1\n#define linux 1\n#define __unix__ 1\n#define __linux__ 1\n\
                          #define __STDC__ 1\n#define __GNUC__ 12\n";

/// The tokens of a file after preprocessing.
pub fn preprocess(
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    options: &PreprocessorOptions,
    loader: &dyn Loader,
) -> Preprocessed {
    panoptes_preprocess::preprocess(sources, file, path, options, loader, PREDEFINED)
}
