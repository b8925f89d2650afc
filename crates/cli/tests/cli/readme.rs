//! The first example of the README prints what the README says.

use crate::sandbox::Sandbox;

const README: &str = include_str!("../../../../README.md");

/// The text of the code block that begins with this line.
fn block(first: &str, number: usize) -> String {
    let start =
        README.match_indices(first).nth(number).unwrap_or_else(|| panic!("no block {first}")).0 + first.len();
    let length = README[start..].find("\n```").expect("the block ends");
    format!("{}\n", README[start..start + length].trim_start_matches('\n'))
}

/// What does not depend on the machine.
fn steady(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("  memory ") && !line.starts_with("  time ")).collect()
}

#[test]
fn the_counter() {
    let sandbox = Sandbox::new();
    let model = block("```promela", 0);
    let command = "```\n$ panoptes check counter.pml";
    sandbox.write("counter.pml", &model);
    let violated = sandbox.run(&["check", "counter.pml"]).expect(1).stdout;
    assert_eq!(steady(&violated), steady(&block(command, 0)));
    let mended = model.replace("copy = n;\n    n = copy + 1;", "atomic { copy = n; n = copy + 1 };");
    assert_ne!(mended, model);
    sandbox.write("counter.pml", &mended);
    let verified = sandbox.run(&["check", "counter.pml"]).expect(0).stdout;
    assert_eq!(steady(&verified), steady(&block(command, 1)));
}
