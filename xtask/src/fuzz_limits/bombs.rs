//! Texts that ask for too much: deep, long, wide, and growing as they are read.

use crate::fuzz_front::Language;
use panoptes_modelgen::Rng;

/// How large the numbers in a bomb are.
const SIZE_MAX: usize = 300_000;

type Bomb = fn(usize, &mut Rng) -> String;

const PROMELA: [(&str, Bomb); 33] = [
    ("typedefs", |n, rng| {
        let length = 1 + rng.below(20);
        let types = many(n.min(2_000), |i| format!("typedef T{} {{ T{i} a[{length}]; T{i} b }};\n", i + 1));
        format!("typedef T0 {{ int x[{length}] }};\n{types}T{} y; init {{ skip }}", n.min(2_000))
    }),
    ("sequence", |n, _| in_init(&"x++;".repeat(n))),
    ("d_step", |n, _| {
        format!("byte x; active [2] proctype P() {{ do :: d_step {{ {} }} od }}", "x++;".repeat(n))
    }),
    ("atomic", |n, _| in_init(&format!("atomic {{ {} }}", "x++;".repeat(n)))),
    ("loop", |n, _| {
        let options = many(n, |i| format!(":: x == {i} -> x = {} ", i + 1));
        format!("int x; active [2] proctype P() {{ do {options} od }}")
    }),
    ("wide", |n, _| {
        let options = many(n, |i| format!(":: x < {i} -> x = (x + {i}) % 3000; y++ "));
        format!("int x; byte y; active [3] proctype P() {{ do {options} od }}")
    }),
    ("choice in a d_step", |n, _| {
        let options = many(n, |i| format!(":: x == {i} -> x = {} ", i + 1));
        format!("int x; active [2] proctype P() {{ do :: d_step {{ if {options} :: else -> x = 0 fi }} od }}")
    }),
    ("labels", |n, _| in_init(&many(n, |i| format!("L{i}: x++; ")))),
    ("jumps", |n, rng| {
        let factor = rng.below(n.max(1));
        in_init(&many(n, |i| format!("L{i}: if :: goto L{} :: x++ fi; ", (i * factor + 1) % n.max(1))))
    }),
    ("chain of jumps", |n, _| {
        in_init(&format!("{}L{n}: x++", many(n, |i| format!("L{i}: goto L{}; ", i + 1))))
    }),
    ("unless", |n, _| {
        let (some, options) = ("x++;".repeat(n / 4 + 1), many(n / 4 + 1, |i| format!(":: x == {i} ")));
        in_init(&format!("{{ {some} }} unless {{ if {options} fi }}"))
    }),
    ("nested unless", |n, _| {
        in_init(&format!("{}x++{}", "{ ".repeat(n.min(5_000)), " } unless { x == 1 }".repeat(n.min(5_000))))
    }),
    ("globals", |n, _| many(n, |i| format!("byte v{i} = {};\n", i % 7)) + "init { skip }"),
    ("locals", |n, _| format!("init {{ {} skip }}", many(n, |i| format!("byte v{i};\n")))),
    ("array", |n, rng| {
        format!(
            "byte x[{n}]; active [{}] proctype P() {{ byte y[{n}]; x[3] = 1; y[4] = 2 }}",
            1 + rng.below(300)
        )
    }),
    ("wide vectors", |n, _| {
        let options = many(n % 3_000, |i| format!(":: x[{}] = 1 ", i % 1000));
        format!("byte x[200000]; active [2] proctype P() {{ do {options} :: x[0] = 0 od }}")
    }),
    ("channels", |n, rng| {
        let length = 1 + rng.below(300);
        let channel = format!("chan c[{length}] = [{n}] of {{ int, byte }};");
        format!("{channel} active [3] proctype P() {{ do :: c[0]!1,2 :: c[0]?_,_ od }}")
    }),
    ("message", |n, _| {
        let (types, values) = (vec!["int"; n.min(900)].join(","), vec!["1"; n.min(900)].join(","));
        format!("chan c = [1] of {{ {types} }}; init {{ {} }}", format!("c!{values};").repeat(1 + n / 900))
    }),
    ("select", |n, rng| {
        in_init(&format!("select(x : 0..{n}); select(x : 0..{}); assert(x != 5)", rng.below(n + 1)))
    }),
    ("for", |n, rng| {
        let wrap = *rng.pick(&["", "atomic", "d_step"]);
        in_init(&format!("{wrap} {{ for (x : 0..{n}000) {{ skip }} }}"))
    }),
    ("processes", |n, _| {
        format!("int x; {}", many(n % 5_000, |i| format!("active proctype P{i}() {{ x++ }}\n")))
    }),
    ("runs", |n, _| format!("int x; proctype P() {{ x++ }} init {{ {} }}", "run P();".repeat(n))),
    ("breeding", |n, _| {
        format!("byte a[{}]; proctype P() {{ do :: run P() :: a[0]++ od }} init {{ run P() }}", 1 + n % 4_000)
    }),
    ("counters", |n, _| {
        let processes = many(2 + n % 40, |i| format!("active proctype P{i}() {{ do :: v[{i}]++ od }}\n"));
        format!("byte v[{}];\n{processes}", 2 + n % 40)
    }),
    ("macros", |n, rng| {
        let times = 1 + rng.below(4);
        let macros = many(n.min(3_000), |i| {
            format!("#define A{} {}\n", i + 1, vec![format!("A{i}"); times].join("+"))
        });
        format!("#define A0 x\n{macros}int x; init {{ x = A{} }}", n.min(3_000))
    }),
    ("macro arguments", |n, _| {
        let n = n.min(3_000);
        format!("#define D(x) x x\nint x; init {{ {}x++;{} }}", "D(".repeat(n), ")".repeat(n))
    }),
    ("inlines", |n, rng| {
        let times = 1 + rng.below(3);
        let inlines = many(n.min(3_000), |i| {
            format!("inline i{}() {{ {} }}\n", i + 1, format!("i{i}();").repeat(times))
        });
        format!("int x; inline i0() {{ x++ }}\n{inlines}init {{ i{}() }}", n.min(3_000))
    }),
    ("nesting", |n, rng| {
        let (open, close) = *rng.pick(&[
            ("{", "}"),
            ("if :: ", " fi"),
            ("do :: ", " od"),
            ("atomic { ", "}"),
            ("d_step { ", "}"),
        ]);
        in_init(&format!("{}x++{}", open.repeat(n), close.repeat(n)))
    }),
    ("expression", |n, rng| {
        let (open, close) =
            *rng.pick(&[("(", ")"), ("x+(", ")"), ("(x -> 1 : ", ")"), ("!(", ")"), ("x[", "]"), ("- ", "")]);
        in_init(&format!("x = {}1{}", open.repeat(n), close.repeat(n)))
    }),
    ("sum", |n, _| in_init(&format!("x = {}", vec!["x"; n].join(" + ")))),
    ("long words", |n, rng| match rng.below(4) {
        0 => format!("int {}; init {{ skip }}", "x".repeat(20 * n)),
        1 => format!("int x = {}; init {{ skip }}", "1".repeat(20 * n)),
        2 => format!("init {{ printf(\"{}\") }}", "x".repeat(20 * n)),
        _ => format!("init {{ assert(0 {} == y) }}", " ".repeat(20 * n)),
    }),
    ("mistakes", |n, rng| {
        let piece = *rng.pick(&[
            "y = 1;",
            "y = 1;\n",
            "@",
            "{",
            "}",
            "od",
            "goto z;",
            "#if 1\n",
            "#endif\n",
            "\"",
            "x = = 1;\n",
        ]);
        in_init(&piece.repeat(n))
    }),
    ("never-ending include", |_, rng| {
        format!(
            "#include \"{}\"\ninit {{ skip }}",
            rng.pick(&["/dev/zero", "/dev/urandom", "case.pml", "/", "/dev/null"])
        )
    }),
];

const ARGOS: [(&str, Bomb); 10] = [
    ("sequence", |n, _| two_procs(&"b!m;".repeat(n), "do :: b?m od")),
    ("choice", |n, _| {
        two_procs(&format!("do {} od", many(n, |i| format!(":: b!m{} ", i % 200))), "do :: b?default od")
    }),
    ("messages", |n, _| {
        two_procs(&many(n, |i| format!("b!m{i};")), &format!("do {} od", many(n, |i| format!(":: b?m{i} "))))
    }),
    ("nesting", |n, rng| {
        let (open, close) = *rng.pick(&[("{", "}"), ("if :: ", " fi"), ("do :: ", " od")]);
        two_procs(&format!("{}b!m{}", open.repeat(n), close.repeat(n)), "do :: b?m od")
    }),
    ("procs", |n, _| {
        format!("channel c[2]; {}", many(n % 3_000, |i| format!("proc p{i} {{ do :: c!m :: c?m od }}\n")))
    }),
    ("queues", |n, _| {
        format!("channel c[{n}]; proc p {{ do :: c!m :: c?m od }} proc q {{ do :: c!k :: c?k od }}")
    }),
    ("procedures", |n, rng| {
        let (n, times) = (n.min(3_000), 1 + rng.below(3));
        let procedures =
            many(n, |i| format!("proc f{}() {{ {} }}\n", i + 1, vec![format!("f{i}()"); times].join("; ")));
        format!("channel c[1]; proc f0() {{ c!m; c?m }}\n{procedures}proc p {{ f{n}() }}")
    }),
    ("assertion", |n, rng| {
        let piece = *rng.pick(&["b!m; ", "if :: b!m :: b!k fi; ", "do :: b!m :: b!k -> break od; "]);
        two_procs("do :: b!m :: b!k od", "do :: b?m :: b?k od")
            + &format!("assert a {{ {} b!m }}", piece.repeat(n))
    }),
    ("expression", |n, _| {
        two_procs(&format!("v = {}1{}; b!m", "(".repeat(n), ")".repeat(n)), "do :: b?m od")
    }),
    ("mistakes", |n, rng| two_procs(&rng.pick(&["b!;", "@", "{", "}", "od ", "whlie "]).repeat(n), "b?m")),
];

/// A text and what it is.
pub fn bomb(language: Language, rng: &mut Rng) -> (String, Vec<u8>) {
    // Small and large alike.
    let size =
        (2.0f64).powf(rng.below(1 << 20) as f64 / f64::from(1 << 20) * (SIZE_MAX as f64).log2()) as usize;
    let (name, make) = match language {
        Language::Promela => *rng.pick(&PROMELA),
        Language::Argos => *rng.pick(&ARGOS),
    };
    (format!("{name} of {size}"), make(size, rng).into_bytes())
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

fn in_init(statements: &str) -> String {
    format!("int x; init {{ {statements} }}\n")
}

fn two_procs(one: &str, other: &str) -> String {
    format!("channel a[1], b[2];\nproc p {{ {one} }}\nproc q {{ {other} }}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bomb_can_be_small_and_large() {
        for size in [0, 1, 1_000] {
            for (name, make) in PROMELA.iter().chain(&ARGOS) {
                assert!(!make(size, &mut Rng::new(1)).is_empty(), "{name}");
            }
        }
    }
}
