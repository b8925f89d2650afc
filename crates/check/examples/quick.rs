//! Temporary driver.
use panoptes_check::*;
struct Quiet;
impl panoptes_search::Observer for Quiet {}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let path = std::path::Path::new(&args[1]);
    let search = if args.get(2).is_some_and(|a| a == "bfs") { SearchKind::Bfs } else { SearchKind::Dfs };
    let all = !args.iter().any(|a| a == "first");
    match load_file(path, Language::Promela, &TextOptions::default()).unwrap() {
        Err(e) => {
            for d in &e.diagnostics {
                println!("{} {:?}: {}", e.sources.user_position(d.span), d.severity, d.message);
            }
            std::process::exit(2)
        }
        Ok(l) => {
            if args.iter().any(|a| a == "text") {
                println!("{}", panoptes_model::to_text(&l.model, &l.sources));
            }
            let t = std::time::Instant::now();
            let v = check(
                &l,
                &CheckOptions {
                    search,
                    all_errors: all,
                    property: Property::Safety,
                    time: Some(std::time::Duration::from_secs(60)),
                    ..Default::default()
                },
                &mut Quiet,
            );
            println!(
                "{:?} stored {} transitions {} depth {} errors {:?} complete {} {:?}",
                v.kind,
                v.outcome.statistics.stored,
                v.outcome.statistics.transitions,
                v.outcome.statistics.max_depth,
                v.outcome.error_counts,
                v.outcome.complete,
                t.elapsed()
            );
            for e in v.outcome.errors.iter().take(5) {
                println!(
                    "  {:?} {} {:?}",
                    e.kind,
                    e.path.len(),
                    e.fault.as_ref().map(|f| (&f.message, l.sources.user_position(f.span).to_string()))
                );
            }
        }
    }
}
