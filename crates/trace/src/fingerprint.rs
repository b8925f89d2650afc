//! A fingerprint of the source text, so that a trace is not walked on a model that has changed since.

use panoptes_source::{FileId, SourceMap};

/// Sixteen hexadecimal digits over the text of all files in their order (FNV-1a, 64 bits). The names of the files do
/// not matter: a model may be moved.
pub fn fingerprint(sources: &SourceMap) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for file in 0..sources.file_count() {
        let text = &sources.file(FileId(file as u32)).text;
        add(&(text.len() as u64).to_le_bytes());
        add(text.as_bytes());
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> String {
        let mut sources = SourceMap::default();
        for (name, text) in files {
            sources.add_file(*name, (*text).to_string(), None);
        }
        fingerprint(&sources)
    }

    #[test]
    fn the_text_counts_and_the_name_does_not() {
        assert_eq!(of(&[("a", "x")]), of(&[("b", "x")]));
        assert_ne!(of(&[("a", "x")]), of(&[("a", "y")]));
        assert_ne!(of(&[("a", "xy"), ("b", "")]), of(&[("a", "x"), ("b", "y")]));
        // Saved traces rely on this value.
        assert_eq!(of(&[]), "cbf29ce484222325");
    }
}
