//! A folder for one test, and the command run in it.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use wait4::Wait4;

/// No violation: two processes take turns.
pub const TURNS: &str = "\
bit turn;
active [2] proctype Player() {
    do
    :: turn == _pid -> turn = 1 - _pid
    od
}
";

/// Each process holds what the other one waits for.
pub const DEADLOCK: &str = "\
bool left, right;
active proctype A() { left = true; !right; assert(false) }
active proctype B() { right = true; !left; assert(false) }
";

/// A false assertion after three steps.
pub const ASSERTION: &str = "\
byte x;
active proctype Count() {
    x++;
    x++;
    assert(x < 2)
}
";

/// A million states.
pub const LARGE: &str = "\
byte a, b, c;
active proctype A() { do :: a < 99 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 99 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 99 -> c++ :: c > 0 -> c-- od }
";

pub struct Sandbox {
    folder: PathBuf,
}

pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    /// An empty folder, or one with a single model `m.pml`.
    pub fn new() -> Sandbox {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        Sandbox { folder }
    }

    pub fn with(model: &str) -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write("m.pml", model);
        sandbox
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("a folder");
        std::fs::write(path, text).expect("a file for the test");
    }

    pub fn write_bytes(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder.join(name), bytes).expect("a file for the test");
    }

    pub fn read_bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    pub fn run(&self, args: &[&str]) -> Run {
        self.run_with_input(args, "")
    }

    pub fn run_with_input(&self, args: &[&str], input: &str) -> Run {
        let mut child = self.command(args).spawn().expect("the command starts");
        // A command that does not read its input may be gone already.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("the command ends");
        Run {
            status: output.status.code().expect("not killed"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// The same, and the time of the processor that it took. For answers that fit into a pipe.
    pub fn run_measured(&self, args: &[&str]) -> (Run, Duration) {
        let mut child = self.command(args).spawn().expect("the command starts");
        drop(child.stdin.take());
        let used = child.wait4().expect("the command ends");
        let (mut stdout, mut stderr) = (String::new(), String::new());
        child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("text");
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        let status = used.status.code().expect("not killed");
        (Run { status, stdout, stderr }, used.rusage.utime + used.rusage.stime)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_panoptes"));
        command.args(args).current_dir(&self.folder).env_remove("COLUMNS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Left-over files harm nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Run {
    /// Asserts the status; shows everything if it is another.
    pub fn expect(self, status: i32) -> Run {
        assert_eq!(self.status, status, "\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}
