//! The lexer: every token, and what is none.

use expect_test::{Expect, expect};
use panoptes_preprocess::Punct;
use panoptes_preprocess::lex;
use panoptes_source::FileId;

fn check(text: &str, expected: Expect) {
    let tokens: Vec<String> = lex(FileId(0), text).iter().map(|token| format!("{:?}", token.kind)).collect();
    expected.assert_eq(&tokens.join(" "));
}

#[test]
fn every_operator_is_one_token() {
    for (punct, text) in Punct::ALL {
        let tokens = lex(FileId(0), text);
        assert_eq!(tokens.len(), 1, "{text}");
        assert!(tokens[0].is(*punct), "{text}");
    }
}

#[test]
fn the_longest_operator_wins() {
    check(
        "->--> ::: a..b !!= <<= ?? c?<x>",
        expect![[
            r#"Punct(Arrow) Punct(MinusMinus) Punct(Gt) Punct(ColonColon) Punct(Colon) Ident("a") Punct(DotDot) Ident("b") Punct(BangBang) Punct(Assign) Punct(Shl) Punct(Assign) Punct(QueryQuery) Ident("c") Punct(Query) Punct(Lt) Ident("x") Punct(Gt)"#
        ]],
    );
}

#[test]
fn words_and_numbers() {
    check(
        "x _y1 0x1F 007 3..5 12abc",
        expect![[
            r#"Ident("x") Ident("_y1") Number("0x1F") Number("007") Number("3") Punct(DotDot) Number("5") Number("12abc")"#
        ]],
    );
}

#[test]
fn characters_and_strings() {
    check(
        r#"'a' '\n' '\\' '\'' ''' '\0' "a\"b\\" "" "#,
        expect![[r#"Char(97) Char(10) Char(92) Char(39) Char(39) Char(48) Str("a\\\"b\\\\") Str("")"#]],
    );
}

#[test]
fn what_is_no_token() {
    check(
        "$ ` \\ é 'ab' 'x",
        expect![[
            r#"Unknown('$') Unknown('`') Unknown('\\') Unknown('é') UnclosedChar UnclosedChar Ident("x")"#
        ]],
    );
    check("\"abc\n\"d\\\ne\" /* no end", expect![[r#"UnclosedString Str("d\\\ne") UnclosedComment"#]]);
}

#[test]
fn the_end_of_a_comment_that_is_none() {
    check("a */ b*/", expect![[r#"Ident("a") StrayCommentEnd Ident("b") StrayCommentEnd"#]]);
    check("a*/* b */c", expect![[r#"Ident("a") Punct(Star) Ident("c")"#]]);
    check("a*// b */\nc", expect![[r#"Ident("a") Punct(Star) Ident("c")"#]]);
    check("a* / b", expect![[r#"Ident("a") Punct(Star) Punct(Slash) Ident("b")"#]]);
}

#[test]
fn spans_are_where_the_text_is() {
    let text = "ab  /* c */ \"d\" 'e'\n->";
    let spans: Vec<&str> = lex(FileId(0), text)
        .iter()
        .map(|token| &text[token.span.lo as usize..token.span.hi as usize])
        .collect();
    assert_eq!(spans, ["ab", "\"d\"", "'e'", "->"]);
}
