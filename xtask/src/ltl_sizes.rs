//! `cargo xtask ltl-sizes FILE`: how large the automata of classic formulas are, beside those of other tools.
//!
//! A row of the file is a formula with the sizes that others reach; `neg` means that its negation is translated. Each
//! automaton is also checked: it shares no word with that of the negation, and on random words it says what the formula
//! means by definition.

use panoptes_ltl::{Atoms, Automaton, Budget, Formula, Lasso, parse, translate, translate_to_buchi};
use panoptes_modelgen::Rng;
use panoptes_source::SourceMap;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
Translates the formulas of a table and compares the sizes of their automata.

Usage: cargo xtask ltl-sizes FILE [--all] [--words N]

  FILE        tab-separated, with a header that names at least the columns formula, sign,
              spot_buchi, spot_tgba and ltl3ba
  --all       a line for every formula, not only for those that differ most
  --words N   random words to try on each automaton [default: 100]

Exit status 1 if the state-based automata have more than 860 states in all, one has more
than one state above ltl3ba's, one takes 10 ms or more, or one is wrong.
";

const STATES_MAX: usize = 860;
const ABOVE_MAX: i64 = 1;
const TIME_MAX: Duration = Duration::from_millis(10);
/// Of so many translations the fastest is timed: other programs slow down the rest.
const RUNS: usize = 5;
/// How many of the worst are shown.
const WORST: usize = 10;

struct Options {
    file: String,
    all: bool,
    words: usize,
}

/// A formula of the table, and what became of it.
struct Row {
    name: String,
    text: String,
    spot: Option<i64>,
    spot_generalised: Option<i64>,
    ltl3ba: Option<i64>,
    states: usize,
    generalised: usize,
    time: Duration,
    mistakes: Vec<&'static str>,
}

pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(parse_options(args), USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    crate::concluded(measure(&options))
}

fn parse_options(args: Vec<String>) -> Result<Option<Options>, String> {
    let mut options = Options { file: String::new(), all: false, words: 100 };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--all" => options.all = true,
            "--words" => {
                let number = args.next().and_then(|number| number.parse().ok());
                options.words = number.ok_or("`--words` needs a number")?;
            }
            _ if arg.starts_with('-') => return Err(format!("unknown option `{arg}`")),
            _ => options.file = arg,
        }
    }
    if options.file.is_empty() {
        return Err("which table of formulas?".to_string());
    }
    Ok(Some(options))
}

fn measure(options: &Options) -> Result<(String, bool), String> {
    let table = std::fs::read_to_string(&options.file).map_err(|error| {
        format!("there is no table of formulas to compare with: {}: {error}", options.file)
    })?;
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        header
            .iter()
            .position(|column| *column == name)
            .ok_or_else(|| format!("the table has no column `{name}`"))
    };
    let columns = Columns {
        set: column("set")?,
        number: column("n")?,
        sign: column("sign")?,
        formula: column("formula")?,
        spot: column("spot_buchi")?,
        spot_generalised: column("spot_tgba")?,
        ltl3ba: column("ltl3ba")?,
    };
    let mut rows = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        rows.push(translate_row(&line.split('\t').collect::<Vec<&str>>(), &columns, options.words)?);
    }
    Ok(report(&rows, options.all))
}

struct Columns {
    set: usize,
    number: usize,
    sign: usize,
    formula: usize,
    spot: usize,
    spot_generalised: usize,
    ltl3ba: usize,
}

fn translate_row(cells: &[&str], columns: &Columns, words: usize) -> Result<Row, String> {
    let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
    let (text, is_negated) = (cell(columns.formula), cell(columns.sign) == "neg");
    let mut sources = SourceMap::default();
    let file = sources.add_file("formula", text.to_string(), None);
    let mut atoms = Atoms::default();
    let formula =
        parse(&sources, file, &mut atoms).map_err(|diagnostic| format!("{text}: {}", diagnostic.message))?;
    let formula = if is_negated { Formula::negation(formula) } else { formula };
    let budget = Budget::default();
    let buchi = translate_to_buchi(&formula, &budget).map_err(|error| format!("{text}: {error}"))?;
    let time = (0..RUNS).map(|_| {
        let start = Instant::now();
        std::hint::black_box(translate_to_buchi(&formula, &budget)).is_ok().then(|| start.elapsed())
    });
    let time = time.min().flatten().unwrap_or_default();
    let generalised = translate(&formula, &budget).map_err(|error| format!("{text}: {error}"))?;
    Ok(Row {
        name: format!("{} {} {}", cell(columns.set), cell(columns.number), cell(columns.sign)),
        text: text.to_string(),
        spot: cell(columns.spot).parse().ok(),
        spot_generalised: cell(columns.spot_generalised).parse().ok(),
        ltl3ba: cell(columns.ltl3ba).parse().ok(),
        states: buchi.states(),
        generalised: generalised.states(),
        time,
        mistakes: mistakes(&formula, [&buchi, &generalised], atoms.names().len(), words)?,
    })
}

/// What is wrong with automata of a formula.
fn mistakes(
    formula: &Formula,
    automata: [&Automaton; 2],
    atoms: usize,
    words: usize,
) -> Result<Vec<&'static str>, String> {
    let negation = Formula::negation(formula.clone());
    let negation = translate(&negation, &Budget::default()).map_err(|error| error.to_string())?;
    let mut mistakes = Vec::new();
    let mut random = Rng::new(13);
    for automaton in automata {
        if automaton.intersects(&negation) {
            mistakes.push("shares a word with its negation");
        }
        for _ in 0..words {
            let mut letters = |least: usize| -> Vec<u64> {
                let count = least + random.below(5);
                (0..count).map(|_| random.below(1 << atoms) as u64).collect()
            };
            let word = Lasso::new(&letters(0), &letters(1));
            let expected = word.satisfies(formula);
            if word.is_accepted_by(automaton) != expected || word.is_accepted_by(&negation) == expected {
                mistakes.push("is wrong about a word");
            }
        }
    }
    mistakes.dedup();
    Ok(mistakes)
}

fn report(rows: &[Row], all: bool) -> (String, bool) {
    let mut out = String::new();
    let above = |row: &Row| row.ltl3ba.map_or(0, |other| row.states as i64 - other);
    let behind_spot = |row: &Row| row.spot.map_or(0, |other| row.states as i64 - other);
    let number = |size: Option<i64>| size.map_or("–".to_string(), |size| size.to_string());
    let line = |row: &Row| {
        format!(
            "{:28} {:>5} {:>5} {:>7} {:>6} {:>5} {:>9} µs  {}\n",
            row.name,
            row.states,
            number(row.spot),
            number(row.ltl3ba),
            row.generalised,
            number(row.spot_generalised),
            row.time.as_micros(),
            row.text
        )
    };
    let mut worst: Vec<&Row> = rows.iter().collect();
    worst.sort_by_key(|row| std::cmp::Reverse((above(row), behind_spot(row))));
    let shown: Vec<&Row> =
        if all { rows.iter().collect() } else { worst.iter().take(WORST).copied().collect() };
    out += "formula                      büchi  spot  ltl3ba  tgba  spot       time\n";
    shown.iter().for_each(|row| out += &line(row));
    let sum = |size: &dyn Fn(&Row) -> Option<i64>| rows.iter().filter_map(size).sum::<i64>();
    let states: usize = rows.iter().map(|row| row.states).sum();
    let slowest = rows.iter().map(|row| row.time).max().unwrap_or_default();
    let most_above = rows.iter().map(above).max().unwrap_or(0);
    let wrong: Vec<&Row> = rows.iter().filter(|row| !row.mistakes.is_empty()).collect();
    for row in &wrong {
        let _ = writeln!(out, "wrong: {}: {}", row.name, row.mistakes.join(", "));
    }
    let smaller = rows.iter().filter(|row| behind_spot(row) < 0).count();
    let larger = rows.iter().filter(|row| behind_spot(row) > 0).count();
    let _ = writeln!(
        out,
        "{} formulas: {states} states as state-based Büchi (Spot {}, ltl3ba {}; at most {STATES_MAX}), \
         {} as generalised (Spot {})",
        rows.len(),
        sum(&|row| row.spot),
        sum(&|row| row.ltl3ba),
        rows.iter().map(|row| row.generalised).sum::<usize>(),
        sum(&|row| row.spot_generalised),
    );
    let _ = writeln!(
        out,
        "smaller than Spot's: {smaller}, larger: {larger}; most states above ltl3ba: {most_above}"
    );
    let _ = writeln!(out, "slowest: {} µs; wrong: {}", slowest.as_micros(), wrong.len());
    let is_good = states <= STATES_MAX && most_above <= ABOVE_MAX && slowest < TIME_MAX && wrong.is_empty();
    (out, is_good)
}
