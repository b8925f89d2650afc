//! Any text at all: the front end answers and never panics.

use panoptes_promela::parse_str;
use panoptes_source::{Diagnostic, SourceMap, render};
use proptest::prelude::*;

/// Models that together use the whole grammar.
const MODELS: [&str; 3] = [
    "#define N 3\n#define SET(v, e) v = e\n#if N > 2 && defined(N)\nmtype = { a, b, c }\n#else\n#error no\n#endif\n\
     typedef T { int x; byte y[2] }; T t[2]; chan q[N] = [2] of { mtype, int }; int i, v[3] = { 1, 2, 3 };\n\
     inline add(p, z) { p = p + z; if :: p > 3 -> skip :: else fi }\ninline get(p) { return p + 1 }\n\
     active [N] proctype P() priority 2 provided (i > 0) {\n  do\n  :: i > 3 -> i--\n  :: else\n     break\n  od\n\
     add(t[1].x, 3); i = get(i)\n  q[0]!a(3); q[1]?eval(b),_; q[0]??<c,i>; SET(i, -1)\n}\n",
    "bool p, q; chan c = [0] of { byte };\nltl f { [] (p -> <> q) && !(p U q) <-> X p }\nltl { always (p implies eventually q) }\n\
     proctype P(int a, b; mtype m) { int w; l: w++; { c!w } unless { timeout }; run P(1, 2, 3) priority 4 }\n\
     trace { do :: c!1 ; c?1 od }\nnever { T0: do :: P[1]@l && P:w > 3 -> goto T0 :: np_ od }\n",
    "init { int x, a[3]; for (x : 0 .. 2) { a[x] = (x > 1 -> 1 : ~x) } for (x in a) { skip } select (x : 1 .. 3);\n\
     atomic { x = x * 3 / 2 % 4 - -1; printf(\"%d\\n\", x) } d_step { assert(x != 3 || x <= 2) };\n\
     if :: len(a) < 'a' :: c_expr { $x } fi; c_code { x = '{'; } x++ /* end */ }\n",
];

fn survives(text: &str) {
    let (sources, _, diagnostics) = parse_str(text);
    rendered(&sources, &diagnostics);
}

fn rendered(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(!render(sources, diagnostic, true).is_empty());
        let position = sources.user_position(diagnostic.span);
        let shown = render(sources, diagnostic, false);
        assert!(shown.contains(&format!("--> {position}\n")), "{position}: {shown}");
    }
}

/// Pieces to put anywhere: tokens, halves of tokens, and what starts or ends something.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        "->",
        "::",
        ":",
        ",",
        "if",
        "fi",
        "do",
        "od",
        "else",
        "unless",
        "inline f(x) {",
        "f(",
        "#define X",
        "#define f(x)",
        "#if",
        "#else",
        "#endif",
        "#include \"x\"",
        "X",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "\\\n",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "é",
        "\u{fffd}",
        "99999999999999999999",
        "0x",
        "init",
        "proctype",
        "ltl {",
        "U",
        "<>",
        "[]",
        "!",
        "?",
        "??",
        "!!",
        "?[",
        "?<",
        "@",
        ".",
        "..",
        "=",
        "return",
        "run",
        "c_code {",
        "typedef",
        "mtype",
        "eval",
        "goto",
        "select(",
        "for(",
        "never",
        "active",
        "atomic",
        "##",
        "#",
        "...",
    ];
    prop::sample::select(pieces.to_vec()).prop_map(|piece| format!(" {piece} "))
}

#[derive(Clone, Debug)]
enum Edit {
    Insert(String),
    Delete(usize),
    Repeat(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        piece().prop_map(Edit::Insert),
        (1..20usize).prop_map(Edit::Delete),
        (1..40usize).prop_map(Edit::Repeat),
    ]
}

fn edited(model: &str, edits: &[(usize, Edit)]) -> String {
    let mut chars: Vec<char> = model.chars().collect();
    for (at, edit) in edits {
        let at = at % (chars.len() + 1);
        match edit {
            Edit::Insert(text) => drop(chars.splice(at..at, text.chars())),
            Edit::Delete(length) => drop(chars.drain(at..(at + length).min(chars.len()))),
            Edit::Repeat(length) => {
                let part: Vec<char> = chars[at..(at + length).min(chars.len())].to_vec();
                drop(chars.splice(at..at, part));
            }
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces(pieces in prop::collection::vec(piece(), 0..60)) {
        survives(&pieces.concat());
    }

    #[test]
    fn edited_models(model in 0..MODELS.len(), edits in prop::collection::vec((any::<usize>(), edit()), 1..6)) {
        survives(&edited(MODELS[model], &edits));
    }

    #[test]
    fn cut_models(model in 0..MODELS.len(), at in any::<prop::sample::Index>()) {
        let text = MODELS[model];
        let at = at.index(text.len());
        if text.is_char_boundary(at) {
            survives(&text[..at]);
            survives(&text[at..]);
        }
    }
}

#[test]
fn the_models_are_right() {
    for (model, expected) in MODELS.iter().zip([0, 0, 2]) {
        let (sources, _, diagnostics) = parse_str(model);
        let shown: String =
            diagnostics.iter().map(|diagnostic| render(&sources, diagnostic, false)).collect();
        assert_eq!(diagnostics.len(), expected, "{shown}");
    }
}
