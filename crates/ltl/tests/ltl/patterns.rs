//! Specification patterns: their formulas, and the classes of their claims.

use expect_test::expect;
use panoptes_ltl::{Atoms, Behaviour, Budget, Formula, Pattern, Scope, parse_pattern, translate_to_buchi};
use panoptes_source::SourceMap;

fn read(text: &str) -> Result<String, String> {
    let mut sources = SourceMap::default();
    let file = sources.add_file("pattern", text.to_string(), None);
    let mut atoms = Atoms::default();
    match parse_pattern(&sources, file, &mut atoms) {
        Ok((_, formula)) => Ok(formula.to_text(&|atom| atoms.name(atom).to_string())),
        Err(error) => Err(format!("{}: {}", error.span.lo, error.message)),
    }
}

#[test]
fn patterns_are_read() {
    for (text, formula) in [
        ("absence(p)", "[] !p"),
        ("universality(x > 3) globally", "[] (x > 3)"),
        ("response(p, q) after(r)", "[] (r -> [] (p -> <> q))"),
        ("precedence(p, q) before(r)", "<> r -> (!q U (p || r))"),
        ("existence(p && s) between(q, r)", "[] ((q && !r) -> (!r W ((p && s) && !r)))"),
        ("absence(p) until(q, r)", "[] ((q && !r) -> (!p W r))"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(formula), "{text}");
    }
    for (text, error) in [
        ("respons(p, q)", "0: expected a pattern, found `respons`"),
        ("response(p)", "8: `response` needs 2 formulas in parentheses, not 1"),
        ("response", "8: `response` needs 2 formulas in parentheses"),
        ("absence(p) during(q)", "11: expected a scope, found `during`"),
        ("absence(p) globally after(q)", "20: expected the end of the pattern, found `after`"),
        ("absence(p", "9: expected an operator, `,` or `)`, found the end"),
        ("", "0: expected a pattern, found the end"),
    ] {
        assert_eq!(read(text), Err(error.to_string()), "{text}");
    }
}

/// The classes of claims, ours and, where they differ, those of the paper in parentheses.
#[test]
fn claims_have_the_classes_that_the_documentation_shows() {
    let mut table = String::new();
    for behaviour in Behaviour::ALL {
        let cells = Scope::ALL.map(|scope| {
            let pattern = Pattern { behaviour, scope };
            let atoms = |from: u32, count: usize| -> Vec<Formula> {
                (from..).take(count).map(Formula::atom).collect()
            };
            let formula = pattern.formula(&atoms(0, behaviour.operands()), &atoms(2, scope.operands()));
            let claim = translate_to_buchi(&Formula::negation(formula), &Budget::default()).expect("small");
            let (ours, published) = (claim.classes().to_string(), pattern.published_classes());
            if ours == published { ours } else { format!("{ours} ({published})") }
        });
        table += &format!("{}: {}\n", behaviour.name(), cells.join(", "));
    }
    expect![[r#"
        absence: S+N, S+N, S+N, S+N, S+N (S+N+P)
        universality: S+N, S+N, S+N, S+N (S+N+P+F), S+N (S+N+P)
        existence: F, S+N (S+N+P), N+F, S+N (S+N+P), S+N+F
        response: N+F, S+N (S+N+P+F), N+F, S+N (S+N+P+F), S+N+F (S+N+P+F)
        precedence: S+N (S+N+P), S+N, N+P, S+N, S+N (S+N+P)
    "#]]
    .assert_eq(&table);
}
