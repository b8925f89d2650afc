//! `cargo xtask tables`: tables of *Directed Explicit Model Checking with HSF-SPIN* (Edelkamp, Lluch Lafuente and Leue, 2001)
//! beside our own numbers, and whether what the paper found is true of ours.
//!
//! A table is a file in `tables/` and an entry in [`TABLES`].

mod cycles;

use std::process::ExitCode;

const USAGE: &str = "\
Prints tables of the paper on HSF-SPIN beside our own numbers.

Usage: cargo xtask tables [--table N]...

  --table N   only this table, several times for several [default: all there are]

There is table 8 (cycles). Exit status 1 if a relation that the paper found does not hold.
";

/// A table as text, and what does not hold.
pub struct Table {
    pub text: String,
    pub broken: Vec<String>,
}

/// Makes a table; or says why it cannot.
type Make = fn() -> Result<Table, String>;

/// By their numbers in the paper.
const TABLES: &[(u32, Make)] = &[(8, cycles::table)];

pub fn run(args: Vec<String>) -> ExitCode {
    let wanted = match crate::understood(parse_options(args), USAGE) {
        Ok(wanted) => wanted,
        Err(status) => return status,
    };
    let mut is_good = true;
    for (number, make) in TABLES.iter().filter(|(number, _)| wanted.is_empty() || wanted.contains(number)) {
        match make() {
            Ok(Table { text, broken }) => {
                print!("table {number}\n\n{text}\n");
                broken.iter().for_each(|what| println!("does not hold: {what}"));
                is_good &= broken.is_empty();
            }
            Err(problem) => {
                eprintln!("error: {problem}");
                return ExitCode::from(2);
            }
        }
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The tables that are asked for; none of them means all.
fn parse_options(args: Vec<String>) -> Result<Option<Vec<u32>>, String> {
    let mut wanted = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--table" => {
                let number = args.next().and_then(|number| number.parse().ok());
                let known = number.filter(|number| TABLES.iter().any(|(known, _)| known == number));
                wanted.push(known.ok_or("`--table` takes the number of a table that there is")?);
            }
            unknown => return Err(format!("unexpected argument `{unknown}`")),
        }
    }
    Ok(Some(wanted))
}
