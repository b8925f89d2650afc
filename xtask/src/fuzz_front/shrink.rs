//! Makes a failing input small: whole lines first, then pieces of words and characters, ever smaller.

use std::time::{Duration, Instant};

/// The smallest input found in the time that still `fails`.
pub fn shrink(input: &[u8], mut fails: impl FnMut(&[u8]) -> bool, time: Duration) -> Vec<u8> {
    let deadline = Instant::now() + time;
    let mut best = input.to_vec();
    for split in [lines, words, bytes] {
        while let Some(smaller) = pass(&best, split, &mut fails, deadline) {
            best = smaller;
        }
    }
    best
}

/// Removes chunks of pieces, from half of them down to one; none if nothing could go.
fn pass(
    input: &[u8],
    split: fn(&[u8]) -> Vec<Vec<u8>>,
    fails: &mut impl FnMut(&[u8]) -> bool,
    deadline: Instant,
) -> Option<Vec<u8>> {
    let mut pieces = split(input);
    let mut removed = false;
    let mut size = pieces.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < pieces.len() {
            if Instant::now() > deadline {
                return removed.then(|| pieces.concat());
            }
            let rest: Vec<Vec<u8>> =
                pieces.iter().take(at).chain(pieces.iter().skip(at + size)).cloned().collect();
            if fails(&rest.concat()) {
                pieces = rest;
                removed = true;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    removed.then(|| pieces.concat())
}

fn lines(input: &[u8]) -> Vec<Vec<u8>> {
    input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Runs of letters and digits, and single other bytes.
pub fn words(input: &[u8]) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for byte in input {
        match words.last_mut() {
            Some(last) if is_word(*byte) && last.last().is_some_and(|end| is_word(*end)) => last.push(*byte),
            _ => words.push(vec![*byte]),
        }
    }
    words
}

fn bytes(input: &[u8]) -> Vec<Vec<u8>> {
    // Only what is short already: the pass is quadratic.
    if input.len() > 2_000 { Vec::new() } else { input.iter().map(|byte| vec![*byte]).collect() }
}
