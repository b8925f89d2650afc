//! The report as JSON, for scripts: every number that was measured, in seconds and bytes. It has no date, so that two
//! reports differ only in what was measured.

use serde_json::{Value, json};

use super::report::Report;
use super::stats::{geometric_mean, minimum, share};
use super::throughput::{Contender, Entry, Row, cpu, ratios, wall};
use super::{bitstate, defaults, front, liveness, reductions, small, threads};

pub fn of(report: &Report) -> Value {
    let machine = &report.machine;
    let bars = report
        .bars()
        .into_iter()
        .map(|bar| json!({ "name": bar.name, "wanted": bar.wanted, "measured": bar.found, "met": bar.met }));
    json!({
        "machine": { "cpu": machine.cpu, "cores": machine.cores },
        "versions": { "panoptes": machine.panoptes, "spin": machine.spin, "cc": machine.cc },
        "settings": {
            "runs": report.settings.runs,
            "quick": report.settings.quick,
            "compressed_search": report.settings.compressed_search,
        },
        "bars": bars.collect::<Vec<_>>(),
        "throughput": report.throughput.as_ref().map(|rows| throughput(rows)),
        "small": report.small.as_ref().map(|rows| small(rows)),
        "front": report.front.as_ref().map(front),
        "reductions": report.reductions.as_ref().map(reductions),
        "bitstate": report.bitstate.as_ref().map(bitstate),
        "default": report.defaults.as_ref().map(defaults),
        "liveness": report.liveness.as_ref().map(liveness),
        "threads": report.threads.as_ref().map(threads::json),
        "problems": report.problems(),
    })
}

fn throughput(rows: &[Row]) -> Value {
    let summary = Contender::OURS.into_iter().map(|contender| {
        let by_cpu = ratios(rows, contender, cpu);
        json!({
            "contender": contender.name(),
            "rival": contender.rival().map(Contender::name),
            "models": by_cpu.len(),
            "cpu_ratio_mean": geometric_mean(&by_cpu),
            "cpu_ratio_least": minimum(&by_cpu),
            "wall_ratio_mean": geometric_mean(&ratios(rows, contender, wall)),
        })
    });
    let rows = rows.iter().map(|row| {
        let entries = Contender::ALL.map(|contender| entry(row, contender));
        json!({
            "model": row.path,
            "states": row.states,
            "transitions": row.transitions,
            "contenders": entries,
        })
    });
    json!({ "summary": summary.collect::<Vec<_>>(), "rows": rows.collect::<Vec<_>>() })
}

fn entry(row: &Row, contender: Contender) -> Value {
    let mut value = match row.entry(contender) {
        Entry::Measured(measure) => json!({
            "cpu_seconds": measure.cost.cpu_seconds,
            "wall_seconds": measure.cost.wall_seconds,
            "states_per_second": row.states as f64 / measure.cost.cpu_seconds,
            "transitions_per_second": row.transitions as f64 / measure.cost.cpu_seconds,
            "bytes_per_state": measure.bytes_per_state,
            "peak_bytes": measure.cost.peak_bytes,
            "cpu_ratio": row.ratio(contender, cpu),
            "wall_ratio": row.ratio(contender, wall),
        }),
        Entry::Refused(words) => json!({ "refused": words }),
        Entry::Wrong(problem) => json!({ "wrong": problem }),
    };
    value["name"] = contender.name().into();
    value
}

fn small(rows: &[small::Row]) -> Value {
    let mean: Vec<f64> = rows.iter().filter_map(small::Row::ratio).collect();
    let rows = rows.iter().map(|row| match row.ratio() {
        Some(ratio) => json!({
            "model": row.path,
            "states": row.states,
            "spin_seconds": row.spin_steps[0],
            "cc_seconds": row.spin_steps[1],
            "pan_seconds": row.spin_steps[2],
            "panoptes_seconds": row.panoptes,
            "ratio": ratio,
        }),
        None => json!({ "model": row.path, "wrong": row.problem }),
    });
    json!({ "ratio_mean": geometric_mean(&mean), "rows": rows.collect::<Vec<_>>() })
}

fn front(front: &front::Front) -> Value {
    let rows = front.slowest.iter().map(|row| {
        json!({
            "model": row.path,
            "rules": row.rules,
            "front_end_seconds": row.front_end,
            "compile_seconds": row.compile,
        })
    });
    json!({ "models": front.models, "slowest": rows.collect::<Vec<_>>() })
}

fn bitstate(bitstate: &bitstate::Bitstate) -> Value {
    let rows = bitstate.rows.iter().map(|row| {
        json!({
            "model": row.path,
            "states": row.states,
            "pan_seconds": row.pan,
            "dfs_seconds": row.dfs,
            "bfs_seconds": row.bfs,
            "large_stored": { "spin": row.large[0], "panoptes": row.large[1] },
            "small_stored": { "spin": row.small[0], "panoptes": row.small[1] },
            "estimate": row.estimate,
            "estimate_error": row.estimate_error(),
        })
    });
    json!({ "rows": rows.collect::<Vec<_>>() })
}

fn defaults(defaults: &defaults::Defaults) -> Value {
    let measure = |measure: &defaults::Measure| {
        json!({
            "cpu_seconds": measure.cpu_seconds,
            "states": measure.states,
            "bytes_per_state": measure.bytes_per_state,
            "peak_bytes": measure.peak_bytes,
        })
    };
    let rows = defaults.rows.iter().map(|row| {
        json!({
            "model": row.path,
            "pan": measure(&row.pan),
            "default": measure(&row.default),
            "pan_unsized": measure(&row.pan_unsized),
            "no_por": measure(&row.no_por),
            "no_por_same_store": measure(&row.plain),
            "ratio": row.ratio(),
            "memory": row.memory(),
            "cost_per_state": row.cost(),
            "saved": row.saved(),
        })
    });
    json!({ "ratio_mean": geometric_mean(&defaults.ratios()), "rows": rows.collect::<Vec<_>>() })
}

fn liveness(liveness: &liveness::Liveness) -> Value {
    let measure = |measure: &liveness::Measure| {
        json!({
            "cpu_seconds": measure.cost.cpu_seconds,
            "states": measure.states,
            "transitions": measure.transitions,
            "peak_bytes": measure.cost.peak_bytes,
        })
    };
    let rows = liveness.rows.iter().map(|row| {
        json!({
            "model": row.path,
            "property": row.property,
            "pan": measure(&row.pan),
            "scc": measure(&row.scc),
            "safety": measure(&row.safety),
            "ratio": row.ratio(),
            "memory_ratio": row.memory(),
        })
    });
    json!({
        "ratio_mean": geometric_mean(&liveness.ratios()),
        "memory_ratio_mean": geometric_mean(&liveness.memories()),
        "rows": rows.collect::<Vec<_>>(),
    })
}

fn reductions(reductions: &reductions::Reductions) -> Value {
    let ratios = reductions.ratios();
    let rows = reductions.rows.iter().map(|row| {
        json!({ "model": row.path, "spin": row.spin, "panoptes": row.panoptes, "complete": row.complete })
    });
    json!({
        "not_more": share(&ratios, |ratio| ratio <= 1.0),
        "fewer": share(&ratios, |ratio| ratio < 1.0),
        "ratio_mean": geometric_mean(&ratios),
        "rows": rows.collect::<Vec<_>>(),
    })
}
