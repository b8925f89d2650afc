//! `cargo xtask browser`: looks at the explorer and the reports in a real browser (`xtask/browser/test.mjs`).

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
Drive the explorer and the HTML reports in Chromium, at 1280 and 400 pixels.

Usage: cargo xtask browser [--pictures]

  --pictures   save the screenshots of the book in `docs/images`

Needs `chromium`, `node` and `npm`; `CHROMIUM` names another browser. The package
`playwright-core` is installed in `target/browser` if it is not there.
";

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

pub fn run(args: Vec<String>) -> ExitCode {
    let pictures = match args.first().map(String::as_str) {
        Some("--help" | "-h") => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Some("--pictures") => true,
        Some(unknown) => return crate::bad_usage(&format!("unexpected argument `{unknown}`"), USAGE),
        None => false,
    };
    match drive(pictures) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn drive(pictures: bool) -> Result<bool, String> {
    let root = Path::new(ROOT).canonicalize().map_err(|error| error.to_string())?;
    let chromium = std::env::var_os("CHROMIUM")
        .map(PathBuf::from)
        .or_else(|| ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| found(name)))
        .ok_or("there is no Chromium: install the package `chromium`, or set CHROMIUM")?;
    let node = found("node").ok_or("there is no `node`: install the package `nodejs`")?;
    let folder = root.join("target/browser");
    if !folder.join("node_modules/playwright-core").is_dir() {
        install(&root, &folder)?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // `--workspace`: the same features as the tests, so nothing is built twice.
    let build = Command::new(cargo).args(["build", "--quiet", "--workspace"]).current_dir(&root).status();
    if !build.map_err(|error| format!("cannot run cargo: {error}"))?.success() {
        return Ok(false);
    }
    let mut test = Command::new(node);
    test.arg("xtask/browser/test.mjs").current_dir(&root);
    test.env("PANOPTES", root.join("target/debug/panoptes"));
    test.env("CHROMIUM", chromium).env("BROWSER_DIR", &folder);
    if pictures {
        test.env("PICTURES", root.join("docs/images"));
    }
    Ok(test.status().map_err(|error| format!("cannot run node: {error}"))?.success())
}

fn install(root: &Path, folder: &Path) -> Result<(), String> {
    let npm = found("npm").ok_or("there is no `npm`: install the package `npm`")?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    std::fs::copy(root.join("xtask/browser/package.json"), folder.join("package.json"))
        .map_err(|error| format!("xtask/browser/package.json: {error}"))?;
    let done = Command::new(npm)
        .args(["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(folder)
        .status();
    match done {
        Ok(status) if status.success() => Ok(()),
        _ => Err("`npm install playwright-core` did not succeed".to_string()),
    }
}

/// Where a program is, if it is on the path.
fn found(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
