//! Texts that ask for too much are refused, soon, with a message; long ones are read in time that grows with their length.

use panoptes_promela::{lower, parse_str};
use std::time::{Duration, Instant};

/// The messages about a text, and how long it took to come to them.
fn messages(text: &str) -> (Vec<String>, Duration) {
    let start = Instant::now();
    let (sources, module, mut diagnostics) = parse_str(text);
    if diagnostics.is_empty() {
        diagnostics = lower(&module, &sources, "model.pml").diagnostics;
    }
    (diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect(), start.elapsed())
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let (messages, time) = messages(text);
    assert!(messages.first().is_some_and(|first| first.contains(expected)), "{expected}: {messages:?}");
    // Bombs take minutes; this is far more than is needed and far less.
    assert!(time < Duration::from_secs(20), "{time:?}");
}

/// The time that this thread has had of a processor; where the system does not tell, what the clock says.
fn cpu_time(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|number| number.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Three times the text may not take more than about three times as long. What other programs do at the same time does not
/// count: it is the time of the processor that is measured.
#[track_caller]
fn grows_with_its_length(text: impl Fn(usize) -> String, size: usize) {
    let start = Instant::now();
    let time = |size: usize| {
        let text = text(size);
        // Noise only ever adds.
        let times = (0..5).map(|_| {
            let before = cpu_time(start);
            assert_eq!(messages(&text).0, Vec::<String>::new());
            cpu_time(start) - before
        });
        times.min().unwrap_or_default()
    };
    let (small, large) = (time(size), time(3 * size));
    // Nine times would be the square.
    assert!(large < 5 * small + Duration::from_millis(5), "{small:?}, then {large:?}");
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn records_that_grow_tenfold() {
    let types = many(13, |i| format!("typedef T{} {{ T{i} a[10] }};\n", i + 1));
    let text =
        format!("typedef T0 {{ int x[10] }};\n{types}T13 y; init {{ y.a[0].a[0].a[0].a[0].x[0] = 1 }}");
    refused(&text, "a record of more than 256 KiB");
    // It is told once: what uses the record is no second mistake.
    assert_eq!(messages(&text).0.len(), 1);
}

#[test]
fn records_in_records() {
    let types = many(65, |i| format!("typedef T{} {{ T{i} a }};\n", i + 1));
    let (below, above) = (format!("typedef T0 {{ int x }};\n{types}"), "T65 y; init { skip }");
    refused(&format!("{below}{above}"), "more than 64 records inside each other");
    let types = many(62, |i| format!("typedef T{} {{ T{i} a }};\n", i + 1));
    assert!(messages(&format!("typedef T0 {{ int x }};\n{types}T62 y; init {{ skip }}")).0.is_empty());
}

#[test]
fn every_statement_can_be_interrupted_in_every_way() {
    let (statements, options) = ("x++;".repeat(2_000), many(2_000, |i| format!(":: x == {i} ")));
    let text = format!("int x; init {{ {{ {statements} }} unless {{ if {options} fi }} }}");
    refused(&text, "more than 1000000 transitions");
}

#[test]
fn long_names_and_strings() {
    refused(&format!("int {}; init {{ skip }}", "x".repeat(1_001)), "a name of more than 1000 characters");
    refused(&format!("init {{ printf(\"{}\") }}", "x".repeat(10_001)), "a string of more than 10000");
    let fits = format!("int {}; init {{ printf(\"{}\") }}", "x".repeat(1_000), "x".repeat(10_000));
    assert_eq!(messages(&fits).0, Vec::<String>::new());
}

#[test]
fn many_words() {
    refused(&format!("init {{ {} }}", "skip;".repeat(1_100_000)), "more than 2000000 words and signs");
}

#[test]
fn much_text() {
    refused(&format!("/* {} */ init {{ skip }}", " ".repeat(9 << 20)), "more than 8 MiB");
}

#[test]
fn labels_and_jumps() {
    let jumps = |count: usize| {
        let part = |i: usize| format!("L{i}: if :: goto L{} :: x++ fi; ", (i * 7 + 1) % count);
        format!("int x; init {{ {} }}", many(count, part))
    };
    grows_with_its_length(jumps, 3_000);
}

#[test]
fn options_that_can_be_interrupted() {
    let text = |count: usize| {
        let options = many(count, |i| format!(":: x == {i} -> x++ "));
        format!("int x; init {{ {{ do {options} od }} unless {{ x > {count} }} }}")
    };
    grows_with_its_length(text, 3_000);
}
