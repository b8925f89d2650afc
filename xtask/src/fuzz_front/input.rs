//! The text of a case, from its number.

use super::mutate::mutate;
use super::subject::Language;
use super::vocabulary::TOKENS;
use super::{careless, careless_argos};
use panoptes_modelgen::{Profile, Rng, generate};
use std::path::Path;

/// What mutations start from, in every language.
pub struct Corpora {
    promela: Corpus,
    argos: Corpus,
}

impl Corpora {
    pub fn of_repository() -> Corpora {
        let corpus = Corpus::of_repository;
        Corpora { promela: corpus(Language::Promela), argos: corpus(Language::Argos) }
    }

    /// The case with that number.
    pub fn case(&self, language: Language, seed: u64) -> Vec<u8> {
        match language {
            Language::Promela => self.promela.case(seed),
            Language::Argos => self.argos.case(seed),
        }
    }
}

/// What mutations start from.
pub struct Corpus {
    models: Vec<Vec<u8>>,
    language: Language,
}

impl Corpus {
    /// The models of this repository, in the order of their names.
    pub fn of_repository(language: Language) -> Corpus {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == language.file_ending()));
        paths.sort();
        let models: Vec<Vec<u8>> = paths.iter().filter_map(|path| std::fs::read(path).ok()).collect();
        assert!(!models.is_empty(), "the repository has models");
        Corpus { models, language }
    }

    /// The case with that number.
    pub fn case(&self, seed: u64) -> Vec<u8> {
        let mut rng = Rng::new(seed);
        if self.language == Language::Argos {
            return match rng.weighted(&[4, 8, 36, 36, 16]) {
                0 => random_bytes(&mut rng),
                1 => token_soup(&mut rng).into_bytes(),
                2 => self.mutated(&mut rng, |corpus, rng| corpus.model(rng)),
                3 => careless_argos::model(&mut rng).into_bytes(),
                _ => self.mutated(&mut rng, |_, rng| careless_argos::model(rng).into_bytes()),
            };
        }
        match rng.weighted(&[4, 12, 30, 24, 24, 6]) {
            0 => random_bytes(&mut rng),
            1 => token_soup(&mut rng).into_bytes(),
            2 => self.mutated(&mut rng, |corpus, rng| corpus.model(rng)),
            3 => self.mutated(&mut rng, |_, rng| generated(rng)),
            4 => careless::model(&mut rng).into_bytes(),
            _ => self.mutated(&mut rng, |_, rng| careless::model(rng).into_bytes()),
        }
    }

    fn model(&self, rng: &mut Rng) -> Vec<u8> {
        rng.pick(&self.models).clone()
    }

    fn mutated(&self, rng: &mut Rng, base: fn(&Corpus, &mut Rng) -> Vec<u8>) -> Vec<u8> {
        let mut text = base(self, rng);
        let other = base(self, rng);
        // Few changes leave most of the model standing, which leads further in.
        for _ in 0..=rng.weighted(&[8, 5, 3, 2, 1, 1]) {
            text = mutate(text, &other, rng);
        }
        text
    }
}

fn generated(rng: &mut Rng) -> Vec<u8> {
    let name = *rng.pick(&Profile::PRESETS);
    let profile = Profile::preset(name).unwrap_or_default();
    generate(rng.below(usize::MAX) as u64, &profile).to_promela().into_bytes()
}

fn random_bytes(rng: &mut Rng) -> Vec<u8> {
    let printable = rng.chance(50);
    let byte = |rng: &mut Rng| if printable { 32 + rng.below(95) as u8 } else { rng.below(256) as u8 };
    (0..rng.below(300)).map(|_| byte(rng)).collect()
}

/// Tokens without grammar, sometimes inside a process.
fn token_soup(rng: &mut Rng) -> String {
    let mut text = String::new();
    let framed = rng.chance(60);
    if framed {
        text +=
            "mtype = { M }; typedef T { int x; byte b[2] }; chan q = [1] of { byte }; int a, b[3]; T c;\n";
        text += "active proctype P(int x) { ";
    }
    for _ in 0..rng.below(60) {
        text.push_str(rng.pick::<&str>(TOKENS));
        text += if rng.chance(90) { " " } else { "" };
    }
    if framed {
        text += " }\n";
    }
    text
}
