//! Small damage to a text: bytes, tokens, lines, numbers, splices, nesting.

use super::shrink::words;
use super::vocabulary::{DECIMALS, STRANGE_NUMBERS, TOKENS};
use panoptes_modelgen::Rng;

/// Texts are not made longer than this: time is better spent on many short ones.
const LENGTH_MAX: usize = 60_000;

/// One change of `text`; `other` is a text to take pieces from.
pub fn mutate(text: Vec<u8>, other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let changed = match rng.weighted(&[2, 5, 5, 5, 6, 3, 3, 3, 2, 3]) {
        0 => flip(text, rng),
        1 => delete_tokens(&text, rng),
        2 => duplicate_tokens(&text, rng),
        3 => swap_tokens(&text, rng),
        4 => change_number(&text, rng),
        5 => splice(&text, other, rng),
        6 => move_lines(&text, rng),
        7 => insert_token(&text, rng),
        8 => nest(&text, rng),
        _ => copy_name(&text, rng),
    };
    if changed.len() > LENGTH_MAX { changed[..LENGTH_MAX].to_vec() } else { changed }
}

fn flip(mut text: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    if !text.is_empty() {
        let at = rng.below(text.len());
        text[at] = if rng.chance(50) { text[at] ^ (1 << rng.below(8)) } else { rng.below(256) as u8 };
    }
    text
}

/// A few tokens in a row: where they start and how many.
fn run(tokens: &[Vec<u8>], rng: &mut Rng) -> (usize, usize) {
    let at = rng.below(tokens.len());
    (at, (1 + rng.below(6)).min(tokens.len() - at))
}

fn delete_tokens(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut tokens = words(text);
    let (at, length) = run(&tokens, rng);
    tokens.drain(at..at + length);
    tokens.concat()
}

fn duplicate_tokens(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut tokens = words(text);
    let (at, length) = run(&tokens, rng);
    let copy = tokens[at..at + length].concat();
    let to = if rng.chance(50) { at } else { rng.below(tokens.len()) };
    if to <= tokens.len() {
        tokens.insert(to, copy);
    }
    tokens.concat()
}

fn swap_tokens(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut tokens = words(text);
    if !tokens.is_empty() {
        let (a, b) = (rng.below(tokens.len()), rng.below(tokens.len()));
        tokens.swap(a, b);
    }
    tokens.concat()
}

/// The index of a random token that `is` so.
fn find(tokens: &[Vec<u8>], rng: &mut Rng, is: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let found: Vec<usize> = (0..tokens.len()).filter(|at| is(&tokens[*at])).collect();
    (!found.is_empty()).then(|| *rng.pick(&found))
}

fn change_number(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut tokens = words(text);
    if let Some(at) = find(&tokens, rng, |token| token[0].is_ascii_digit()) {
        let numbers = if rng.chance(80) { DECIMALS } else { STRANGE_NUMBERS };
        tokens[at] = rng.pick(numbers).as_bytes().to_vec();
    }
    tokens.concat()
}

/// One name stands where another did: what follows is well formed and means something else.
fn copy_name(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut tokens = words(text);
    let is_name = |token: &[u8]| token[0].is_ascii_alphabetic() || token[0] == b'_';
    if let (Some(from), Some(to)) = (find(&tokens, rng, is_name), find(&tokens, rng, is_name)) {
        tokens[to] = tokens[from].clone();
    }
    tokens.concat()
}

/// The start of one text and the end of another, or a piece of the other inside this one.
fn splice(text: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let at = rng.below(text.len() + 1);
    let from = rng.below(other.len() + 1);
    let to = if rng.chance(50) { other.len() } else { (from + rng.below(200)).min(other.len()) };
    let rest = if rng.chance(50) { text.len() } else { at };
    [&text[..at], &other[from..to], &text[rest..]].concat()
}

fn move_lines(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return text.to_vec();
    }
    let line = lines[rng.below(lines.len())];
    match rng.below(3) {
        0 => lines.retain(|other| *other != line),
        1 => lines.insert(rng.below(lines.len()), line),
        _ => {
            let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
            lines.swap(a, b);
        }
    }
    lines.concat()
}

fn insert_token(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut tokens = words(text);
    tokens.insert(rng.below(tokens.len() + 1), format!(" {} ", rng.pick(TOKENS)).into_bytes());
    tokens.concat()
}

/// Wraps a token or a line deep inside brackets or blocks of one kind.
fn nest(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    const SHELLS: &[(&str, &str)] = &[
        ("(", ")"),
        ("(1 + ", ")"),
        ("!", ""),
        ("- ", ""),
        ("a[", "]"),
        ("(1 -> 1 : ", ")"),
        ("{ ", " }"),
        ("if :: ", " fi"),
        ("do :: ", " od"),
        ("atomic { ", " }"),
        ("d_step { ", " }"),
        ("{ skip } unless { ", " }"),
        ("{ ", " } unless { skip }"),
        ("for (a : 1 .. 2) { ", " }"),
        ("[] ", ""),
        ("x.", ""),
        ("1 + ", ""),
        ("1 || ", ""),
        ("L: ", ""),
    ];
    let mut tokens = words(text);
    if tokens.is_empty() {
        return tokens.concat();
    }
    let is_outer = |token: &[u8]| token[0].is_ascii_alphanumeric();
    let at = find(&tokens, rng, is_outer).unwrap_or(0);
    let (open, close) = *rng.pick(SHELLS);
    let count = *rng.pick(&[1, 2, 5, 20, 100, 200, 250, 300, 900, 1000, 1100, 3000]);
    let shell = [open.repeat(count).as_bytes(), &tokens[at], close.repeat(count).as_bytes()].concat();
    tokens[at] = shell;
    tokens.concat()
}
