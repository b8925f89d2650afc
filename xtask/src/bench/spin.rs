//! The rival: makes SPIN's verifier for a model and runs it.
//!
//! The models are copied first, because SPIN writes its output into the folder it runs in, and that must be the model's
//! own for the sake of its includes.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::pan::{self, Output};
use super::process::{self, Cost, Finished};

/// What `spin -a` writes.
const GENERATED: [&str; 6] = ["pan.b", "pan.c", "pan.h", "pan.m", "pan.p", "pan.t"];

/// SPIN's answer stands for every model, so its memory is not what limits it (its default is 2 GB).
const MEMORY_LIMIT: &str = "-DMEMLIM=65536";
/// SPIN's default is 1024 bytes; a vector that comes near needs more while it is built.
const VECTOR_MAX: u64 = 900;
const DEPTH_DEFAULT: u64 = 10_000;
/// How often a search that was not deep enough is repeated with a deeper one.
const DEEPER_MAX: usize = 6;

pub struct Spin {
    pub version: String,
    pub cc_version: String,
    /// Copies of the models.
    models: PathBuf,
    verifiers: PathBuf,
    scratch: PathBuf,
}

/// A compiled verifier.
pub struct Verifier {
    binary: PathBuf,
    scratch: PathBuf,
    /// `-m`: deep enough once it has run to its end.
    depth: u64,
}

/// A temporal property, as SPIN is told of it.
pub enum Property {
    /// A formula or claim, by its name.
    Claim(String),
    Progress,
}

impl Property {
    /// By our name.
    pub fn named(name: &str) -> Property {
        if name == "progress" { Property::Progress } else { Property::Claim(name.to_string()) }
    }

    /// What the verifier is told when it runs.
    pub fn run_flags(&self) -> Vec<String> {
        match self {
            Property::Claim(name) => vec!["-a".to_string(), "-N".to_string(), name.clone()],
            Property::Progress => vec!["-l".to_string()],
        }
    }
}

impl Spin {
    /// SPIN and a C compiler, or what is missing.
    pub fn find(cache: &Path, scratch: &Path) -> Result<Spin, String> {
        let version = |program: &str, option: &str, what: &str| match process::run(
            Command::new(program).arg(option),
            scratch,
        ) {
            Ok(run) if run.status == Some(0) => {
                Ok(run.stdout.lines().next().unwrap_or("unknown").trim().to_string())
            }
            _ => Err(format!("{what} is not installed (`{program}` does not run)")),
        };
        Ok(Spin {
            version: version("spin", "-V", "SPIN")?,
            cc_version: version("cc", "--version", "a C compiler")?,
            models: cache.join("models"),
            verifiers: cache.join("verifiers"),
            scratch: scratch.to_path_buf(),
        })
    }

    /// Copies the models; their paths below [`Self::model`] stay the same.
    pub fn copy_models(&self, from: &Path) -> io::Result<()> {
        if self.models.exists() {
            fs::remove_dir_all(&self.models)?;
        }
        copy_folder(from, &self.models)
    }

    pub fn model(&self, path: &str) -> PathBuf {
        self.models.join(path)
    }

    /// The verifier of a model for a full search without reductions, from the cache if it is there.
    pub fn verifier(
        &self,
        path: &str,
        vector: u64,
        depth: Option<u64>,
        more: &[&str],
    ) -> Result<Verifier, String> {
        let mut flags = compile_flags(vector, &["-DNOREDUCE"]);
        flags.extend(more.iter().map(|flag| flag.to_string()));
        let folder = path.replace(['/', '\\'], "-") + &more.concat().replace("-D", "-");
        self.made(path, &["-o1", "-o2", "-o3"], flags, &folder, depth)
    }

    /// The verifier of a model with SPIN's default reductions.
    pub fn default_verifier(&self, path: &str, vector: u64, depth: Option<u64>) -> Result<Verifier, String> {
        let folder = path.replace(['/', '\\'], "-") + "-default";
        self.made(path, &[], compile_flags(vector, &[]), &folder, depth)
    }

    /// The verifier of a model for a search without reductions for cycles that violate a property.
    pub fn liveness_verifier(
        &self,
        path: &str,
        vector: u64,
        depth: Option<u64>,
        property: &Property,
    ) -> Result<Verifier, String> {
        let mut flags = flags(vector, &["-DNOREDUCE"]);
        if matches!(property, Property::Progress) {
            flags.push("-DNP".to_string());
        }
        let folder = path.replace(['/', '\\'], "-") + "-live";
        self.made(path, &["-o1", "-o2", "-o3"], flags, &folder, depth)
    }

    fn made(
        &self,
        path: &str,
        options: &[&str],
        flags: Vec<String>,
        folder: &str,
        depth: Option<u64>,
    ) -> Result<Verifier, String> {
        let model = self.model(path);
        let run = self.generate(&model, options)?;
        let sources: Vec<(&str, Vec<u8>)> = GENERATED
            .iter()
            .filter_map(|name| fs::read(model.with_file_name(name)).ok().map(|bytes| (*name, bytes)))
            .collect();
        self.clean(&model);
        if !sources.iter().any(|(name, _)| *name == "pan.c") {
            return Err(format!("spin made no verifier: {}", run.complaint()));
        }
        let folder = self.verifiers.join(folder);
        let key = fingerprint(&(&sources, &flags, &self.cc_version)).to_string();
        let binary = folder.join("pan");
        let is_made = binary.is_file() && fs::read_to_string(folder.join("key")).is_ok_and(|old| old == key);
        if !is_made {
            let io = |error: io::Error| format!("{}: {error}", folder.display());
            fs::create_dir_all(&folder).map_err(io)?;
            for (name, bytes) in &sources {
                fs::write(folder.join(name), bytes).map_err(io)?;
            }
            self.compile(&folder, &flags)?;
            fs::write(folder.join("key"), &key).map_err(io)?;
        }
        Ok(Verifier { binary, scratch: self.scratch.clone(), depth: search_depth(depth) })
    }

    /// Everything from the text of a model to SPIN's verdict, as a person would do it: what it said, and the seconds of
    /// `spin`, `cc` and `pan`.
    pub fn text_to_verdict(
        &self,
        path: &str,
        vector: u64,
        depth: Option<u64>,
    ) -> Result<(Output, [f64; 3]), String> {
        let model = self.model(path);
        let folder = model.parent().expect("a model is in a folder");
        let spin = self.generate(&model, &[])?;
        let cc = self.compile(folder, &compile_flags(vector, &[]))?;
        let mut pan = Verifier {
            binary: folder.join("pan"),
            scratch: self.scratch.clone(),
            depth: search_depth(depth),
        };
        let (output, cost) = pan.run(&[])?;
        self.clean(&model);
        let seconds = [spin.cost, cc.cost, cost].map(|cost: Cost| cost.wall_seconds);
        Ok((output, seconds))
    }

    fn generate(&self, model: &Path, flags: &[&str]) -> Result<Finished, String> {
        let name = model.file_name().expect("a model is a file");
        let mut command = Command::new("spin");
        command.args(flags).arg("-a").arg(name).current_dir(model.parent().expect("a model is in a folder"));
        let run =
            process::run(&mut command, &self.scratch).map_err(|error| format!("cannot run spin: {error}"))?;
        if run.status == Some(0) { Ok(run) } else { Err(format!("spin: {}", run.complaint())) }
    }

    fn compile(&self, folder: &Path, flags: &[String]) -> Result<Finished, String> {
        let mut command = Command::new("cc");
        command.args(flags).args(["-o", "pan", "pan.c"]).current_dir(folder);
        let run =
            process::run(&mut command, &self.scratch).map_err(|error| format!("cannot run cc: {error}"))?;
        if run.status == Some(0) { Ok(run) } else { Err(format!("cc: {}", run.complaint())) }
    }

    /// Removes what SPIN left beside the model, so that the next one does not find it.
    fn clean(&self, model: &Path) {
        for name in GENERATED.iter().chain(&["pan"]) {
            let _ = fs::remove_file(model.with_file_name(name));
        }
    }
}

impl Verifier {
    /// Runs to the end of the search. A search that was not deep enough is repeated with a deeper one and only the last
    /// run counts; the depth is remembered.
    pub fn run(&mut self, flags: &[String]) -> Result<(Output, Cost), String> {
        for _ in 0..DEEPER_MAX {
            let mut command = Command::new(&self.binary);
            command.arg(format!("-m{}", self.depth)).args(flags);
            // Trails go into the current folder.
            command.current_dir(self.binary.parent().expect("a verifier is in a folder"));
            let run = process::run(&mut command, &self.scratch)
                .map_err(|error| format!("cannot run the verifier: {error}"))?;
            let output = pan::read(&run.stdout).ok_or_else(|| format!("pan: {}", run.complaint()))?;
            if !output.too_shallow {
                return Ok((output, run.cost));
            }
            self.depth *= 5;
        }
        Err(format!("pan: a depth of {} is not enough", self.depth))
    }
}

/// Those of a search for errors that states show.
fn compile_flags(vector: u64, more: &[&str]) -> Vec<String> {
    flags(vector, &[&["-DSAFETY", "-DNOCLAIM"], more].concat())
}

fn flags(vector: u64, more: &[&str]) -> Vec<String> {
    let flags = ["-O2", "-w", MEMORY_LIMIT].iter().chain(more);
    let mut flags: Vec<String> = flags.map(|flag| flag.to_string()).collect();
    if vector > VECTOR_MAX {
        flags.push(format!("-DVECTORSZ={}", (2 * vector).next_power_of_two()));
    }
    flags
}

/// A little more than SPIN is known to need: its memory for the path costs time too.
fn search_depth(known: Option<u64>) -> u64 {
    known.map_or(DEPTH_DEFAULT, |depth| depth + depth / 10 + 1000).max(DEPTH_DEFAULT)
}

fn fingerprint(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_large_vector_asks_for_room() {
        assert!(!compile_flags(500, &[]).iter().any(|flag| flag.contains("VECTORSZ")));
        assert!(compile_flags(1532, &[]).contains(&"-DVECTORSZ=4096".to_string()));
    }

    #[test]
    fn the_depth_leaves_a_margin() {
        assert_eq!(search_depth(None), 10_000);
        assert_eq!(search_depth(Some(54)), 10_000);
        assert_eq!(search_depth(Some(100_000)), 111_000);
    }
}
