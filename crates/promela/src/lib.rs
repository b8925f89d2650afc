//! The Promela front end: preprocess, lex, parse, resolve, lower.
