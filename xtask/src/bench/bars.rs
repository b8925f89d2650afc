//! The bars: what Panoptes is meant to reach, and whether it does.

use super::bitstate;
use super::report::Report;
use super::small;
use super::stats::{geometric_mean, maximum, minimum, share};
use super::throughput::{Contender, cpu, ratios};

pub struct Bar {
    pub name: String,
    pub wanted: String,
    pub found: String,
    /// None if it was not measured.
    pub met: Option<bool>,
}

pub fn of(report: &Report) -> Vec<Bar> {
    let of_rows = |contender| report.throughput.as_ref().map(|rows| ratios(rows, contender, cpu));
    let speed = |contender| of_rows(contender).unwrap_or_default();
    let bytes: Vec<f64> = report
        .throughput
        .iter()
        .flatten()
        .filter_map(|row| row.measure(Contender::Compressed).map(|measure| measure.bytes_per_state))
        .collect();
    let (small_ratios, small_seconds): (Vec<f64>, Vec<f64>) = report
        .small
        .iter()
        .flatten()
        .filter_map(|row| row.ratio().map(|ratio| (ratio, row.panoptes)))
        .unzip();
    let fronts: Vec<f64> =
        report.front.iter().flat_map(|front| &front.slowest).map(|row| row.seconds()).collect();
    let reduced = report.reductions.as_ref().map(|reductions| reductions.ratios()).unwrap_or_default();
    let bits = |number: fn(&bitstate::Row) -> f64| -> Vec<f64> {
        report.bitstate.iter().flat_map(|bitstate| &bitstate.rows).map(number).collect()
    };
    let defaults = report.defaults.as_ref();
    let default_ratios = defaults.map(|defaults| defaults.ratios()).unwrap_or_default();
    let idle_costs = defaults.map(|defaults| defaults.idle_costs()).unwrap_or_default();
    let liveness = report.liveness.as_ref();
    let live_ratios = liveness.map(|liveness| liveness.ratios()).unwrap_or_default();
    let live_memories = liveness.map(|liveness| liveness.memories()).unwrap_or_default();
    vec![
        speed_bar("states/s, depth-first vs `pan`", &speed(Contender::Dfs), 2.0, Some(1.2)),
        speed_bar("states/s, breadth-first vs `pan`", &speed(Contender::Bfs), 2.5, None),
        speed_bar("states/s, compressed vs `pan -DCOLLAPSE`", &speed(Contender::Compressed), 3.0, None),
        bytes_bar(&bytes, 12.0),
        wait_bar(&small_ratios, &small_seconds, 30.0, 0.060),
        front_bar(&fronts, 0.150),
        reduction_bar(&reduced, 0.8),
        speed_bar(
            "bit-state search, depth-first vs `pan -DBITSTATE`",
            &bits(bitstate::Row::dfs_ratio),
            1.5,
            None,
        ),
        estimate_bar(&bits(bitstate::Row::estimate_error), 0.005),
        speed_bar("a default check vs `pan` with its reductions", &default_ratios, 2.8, Some(1.3)),
        idle_bar(&idle_costs, 1.15),
        speed_bar("temporal properties vs `pan -a`, without reductions", &live_ratios, 1.8, None),
        memory_bar(&live_memories, 1.3),
    ]
}

/// How far any estimate of coverage may be from the truth.
fn estimate_bar(errors: &[f64], error_max: f64) -> Bar {
    let sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let measured = maximum(&sizes).map(|worst| {
        let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
        let found =
            format!("mean {:.2}%, worst {:.2}% of {} models", mean * 100.0, worst * 100.0, sizes.len());
        (found, worst <= error_max)
    });
    bar("error of the estimated coverage", format!("at most {:.1}%", error_max * 100.0), measured)
}

/// The geometric mean must reach `mean_min`, and no model may stay under `each_min`.
fn speed_bar(name: &str, ratios: &[f64], mean_min: f64, each_min: Option<f64>) -> Bar {
    let mut wanted = format!("mean at least {mean_min:.1}x");
    if let Some(each) = each_min {
        wanted += &format!(", no model under {each:.1}x");
    }
    let measured = geometric_mean(ratios).zip(minimum(ratios));
    bar(
        name,
        wanted,
        measured.map(|(mean, least)| {
            let met = mean >= mean_min && each_min.is_none_or(|each| least >= each);
            (format!("mean {mean:.2}x, least {least:.2}x of {} models", ratios.len()), met)
        }),
    )
}

/// What the reduction may cost a state where it saves nothing.
fn idle_bar(costs: &[f64], each_max: f64) -> Bar {
    let measured = geometric_mean(costs).zip(maximum(costs));
    bar(
        "time a state with partial order reduction, where it saves less than 5%",
        format!("at most {each_max:.2} of that without"),
        measured.map(|(mean, most)| {
            (format!("mean {mean:.2}, most {most:.2} of {} models", costs.len()), most <= each_max)
        }),
    )
}

/// What a state of a product may take.
fn memory_bar(ratios: &[f64], mean_max: f64) -> Bar {
    let measured = geometric_mean(ratios).zip(maximum(ratios));
    bar(
        "memory a state with a temporal property, vs the depth-first search for errors of states",
        format!("mean at most {mean_max:.1}"),
        measured.map(|(mean, most)| {
            (format!("mean {mean:.2}, most {most:.2} of {} models", ratios.len()), mean <= mean_max)
        }),
    )
}

fn bytes_bar(bytes: &[f64], max: f64) -> Bar {
    let measured = geometric_mean(bytes).zip(maximum(bytes));
    bar(
        "bytes a state, compressed",
        format!("mean at most {max:.0}"),
        measured.map(|(mean, most)| (format!("mean {mean:.1}, most {most:.1}"), mean <= max)),
    )
}

fn wait_bar(ratios: &[f64], seconds: &[f64], ratio_min: f64, seconds_max: f64) -> Bar {
    let measured = geometric_mean(ratios).zip(maximum(seconds));
    bar(
        &format!("text to verdict below {} states, vs `spin`, `cc`, `pan`", small::STATES_MAX),
        format!("mean at least {ratio_min:.0}x, each under {:.0} ms", seconds_max * 1e3),
        measured.map(|(mean, longest)| {
            let found = format!("mean {mean:.0}x, longest {:.1} ms", longest * 1e3);
            (found, mean >= ratio_min && longest < seconds_max)
        }),
    )
}

fn front_bar(seconds: &[f64], max: f64) -> Bar {
    bar(
        "front end and compiler, slowest model",
        format!("under {:.0} ms", max * 1e3),
        maximum(seconds).map(|longest| (format!("{:.1} ms", longest * 1e3), longest < max)),
    )
}

fn reduction_bar(ratios: &[f64], share_min: f64) -> Bar {
    let measured = share(ratios, |ratio| ratio <= 1.0).zip(share(ratios, |ratio| ratio < 1.0));
    bar(
        "states stored with default reductions, vs SPIN's default",
        format!("not more on {:.0}% of the models", share_min * 100.0),
        measured.map(|(not_more, fewer)| {
            let found = format!(
                "not more on {:.1}% (fewer on {:.1}%) of {} models",
                not_more * 100.0,
                fewer * 100.0,
                ratios.len()
            );
            (found, not_more >= share_min)
        }),
    )
}

fn bar(name: &str, wanted: String, measured: Option<(String, bool)>) -> Bar {
    let (found, met) = match measured {
        Some((found, met)) => (found, Some(met)),
        None => ("not measured".to_string(), None),
    };
    Bar { name: name.to_string(), wanted, found, met }
}

impl Bar {
    pub fn verdict(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "not met",
            None => "–",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_over_the_bar_is_not_enough_where_each_model_counts() {
        assert_eq!(speed_bar("", &[4.0, 1.3], 2.0, Some(1.2)).met, Some(true));
        assert_eq!(speed_bar("", &[4.0, 1.1], 2.0, Some(1.2)).met, Some(false));
        assert_eq!(speed_bar("", &[4.0, 1.1], 2.0, None).met, Some(true));
        assert_eq!(speed_bar("", &[1.9, 1.9], 2.0, None).met, Some(false));
    }

    #[test]
    fn what_was_not_measured_is_neither_met_nor_missed() {
        let bar = speed_bar("", &[], 2.0, None);
        assert_eq!((bar.met, bar.found.as_str(), bar.verdict()), (None, "not measured", "–"));
    }

    #[test]
    fn waiting_has_two_limits() {
        assert_eq!(wait_bar(&[40.0], &[0.05], 30.0, 0.06).met, Some(true));
        assert_eq!(wait_bar(&[40.0], &[0.06], 30.0, 0.06).met, Some(false));
        assert_eq!(wait_bar(&[20.0], &[0.05], 30.0, 0.06).met, Some(false));
    }

    #[test]
    fn equal_counts_are_not_more() {
        assert_eq!(reduction_bar(&[1.0, 1.0, 1.0, 0.5, 2.0], 0.8).met, Some(true));
        assert_eq!(reduction_bar(&[1.0, 1.1, 1.0, 0.5, 2.0], 0.8).met, Some(false));
    }

    #[test]
    fn bytes_and_the_front_end_have_a_maximum() {
        assert_eq!(bytes_bar(&[12.0, 12.0], 12.0).met, Some(true));
        assert_eq!(bytes_bar(&[13.0, 12.0], 12.0).met, Some(false));
        assert_eq!(idle_bar(&[1.15, 0.9], 1.15).met, Some(true));
        assert_eq!(idle_bar(&[1.16, 0.9], 1.15).met, Some(false));
        assert_eq!(front_bar(&[0.1, 0.149], 0.150).met, Some(true));
        assert_eq!(front_bar(&[0.1, 0.150], 0.150).met, Some(false));
    }
}
