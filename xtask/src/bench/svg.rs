//! Charts of ratios, a group of bars for each model: how many times as fast as SPIN, or as with one thread.

use std::fmt::Write;

use super::stats::geometric_mean;
use super::throughput::{Contender, Row, cpu, ratios};
use crate::svg::{begin, text};

const WIDTH: f64 = 860.0;
/// Room for the names on the left and for the numbers behind the longest bar.
const LEFT: f64 = 190.0;
const RIGHT: f64 = 50.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 34.0;
const BAR: f64 = 12.0;
const GAP: f64 = 10.0;

const STYLE: &str = "\
.value { font-size: 10px }
.mean { font-weight: 600 }
.one { stroke: #24292f; stroke-width: 1.5 }
.dfs { fill: #3b76c4 }
.bfs { fill: #d9822b }
.compressed { fill: #3d9a5f }
.peer { fill: #8b949e }
@media (prefers-color-scheme: dark) { .one { stroke: #d7dde3 } }";

/// Bars of one colour.
pub struct Series {
    /// The colour's name in the style.
    pub class: &'static str,
    pub legend: String,
}

/// The bars of one model, or of a mean, in the order of the series.
pub struct Group {
    pub name: String,
    pub is_mean: bool,
    pub ratios: Vec<Option<f64>>,
}

pub fn of(rows: &[Row]) -> String {
    let mut groups: Vec<Group> = rows
        .iter()
        .map(|row| Group {
            name: short_name(&row.path).to_string(),
            is_mean: false,
            ratios: Contender::OURS.map(|contender| row.ratio(contender, cpu)).into(),
        })
        .collect();
    groups.push(Group {
        name: "geometric mean".to_string(),
        is_mean: true,
        ratios: Contender::OURS.map(|contender| geometric_mean(&ratios(rows, contender, cpu))).into(),
    });
    let series =
        Contender::OURS.map(|contender| Series { class: contender.name(), legend: legend(contender) });
    draw("Full searches: times as fast as SPIN (CPU seconds)", &series, &groups)
}

/// A chart of such bars.
pub fn draw(title: &str, series: &[Series], groups: &[Group]) -> String {
    let shown: Vec<usize> =
        (0..series.len()).filter(|i| groups.iter().any(|group| group.ratios[*i].is_some())).collect();
    let largest = groups.iter().flat_map(|group| &group.ratios).flatten().copied().fold(1.0, f64::max);
    let step = tick_step(largest);
    let scale = (WIDTH - LEFT - RIGHT) / (largest / step).ceil().max(1.0) / step;
    let group_height = BAR * shown.len() as f64 + GAP;
    let bottom = TOP + group_height * groups.len() as f64;
    let height = bottom + BOTTOM;

    let mut svg = begin(WIDTH, height, STYLE, title);
    let mut x = 8.0;
    for Series { class, legend } in shown.iter().map(|i| &series[*i]) {
        let _ = writeln!(svg, "<rect class=\"{class}\" x=\"{x:.1}\" y=\"33\" width=\"10\" height=\"10\"/>");
        text(&mut svg, x + 15.0, 42.0, "legend", "start", legend);
        x += 40.0 + 6.0 * legend.len() as f64;
    }
    let mut tick = 0.0;
    while tick <= largest + step {
        let at = LEFT + tick * scale;
        if at > WIDTH - RIGHT + 0.5 {
            break;
        }
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>"
        );
        text(&mut svg, at, bottom + 16.0, "tick", "middle", &format!("{tick}x"));
        tick += step;
    }
    for (number, group) in groups.iter().enumerate() {
        let top = TOP + GAP / 2.0 + group_height * number as f64;
        let class = if group.is_mean { "mean" } else { "name" };
        let middle = top + BAR * shown.len() as f64 / 2.0 + 4.0;
        text(&mut svg, LEFT - 8.0, middle, class, "end", &group.name);
        for (line, &i) in shown.iter().enumerate() {
            let Some(ratio) = group.ratios[i] else { continue };
            let y = top + BAR * line as f64;
            let _ = writeln!(
                svg,
                "<rect class=\"{}\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                series[i].class,
                ratio * scale,
                BAR - 1.0
            );
            let words = format!("{ratio:.2}");
            text(&mut svg, LEFT + ratio * scale + 4.0, y + BAR - 2.5, "value", "start", &words);
        }
    }
    let one = LEFT + scale;
    let _ = writeln!(
        svg,
        "<line class=\"one\" x1=\"{one:.1}\" x2=\"{one:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>"
    );
    svg += "</svg>\n";
    svg
}

fn legend(contender: Contender) -> String {
    match contender {
        Contender::Dfs => "depth-first, exact / pan",
        Contender::Bfs => "breadth-first, exact / pan",
        _ => "compressed / pan COLLAPSE",
    }
    .to_string()
}

/// The name of a model without its folders and its ending.
pub fn short_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(name, _)| name)
}

/// Steps of the axis: at most eight of them, of a round size.
fn tick_step(largest: f64) -> f64 {
    let steps = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    steps.into_iter().find(|step| largest / step <= 8.0).unwrap_or(largest / 8.0)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn group(name: &str, ratios: [Option<f64>; 3]) -> Group {
        Group { name: name.to_string(), is_mean: false, ratios: ratios.into() }
    }

    fn draw(groups: &[Group]) -> String {
        let series =
            Contender::OURS.map(|contender| Series { class: contender.name(), legend: legend(contender) });
        super::draw("A title", &series, groups)
    }

    /// Every element that is opened is closed, attributes are quoted, and no text holds a bare mark.
    pub fn assert_well_formed(svg: &str) {
        let mut open = Vec::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a bare > in {}", &rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag has an end");
            let tag = &rest[start + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            assert!(!tag.contains('<'), "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().expect("a tag has a name"));
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?} is not closed");
        for piece in svg.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;"].iter().any(|word| piece.starts_with(word)), "{piece}");
        }
    }

    #[test]
    fn a_chart_is_well_formed_and_has_a_bar_for_each_ratio() {
        let groups =
            [group("a<b & c", [Some(2.0), Some(2.5), None]), group("d", [Some(0.5), None, Some(14.0)])];
        let svg = draw(&groups);
        assert_well_formed(&svg);
        let legend = 3;
        assert_eq!(svg.matches("<rect").count(), legend + 4);
        assert_eq!(svg.matches("class=\"one\"").count(), 1);
        assert!(svg.contains("a&lt;b &amp; c"));
    }

    #[test]
    fn what_nobody_measured_takes_no_room() {
        let svg = draw(&[group("a", [Some(2.0), Some(1.0), None])]);
        assert_well_formed(&svg);
        assert!(!svg.contains("COLLAPSE"));
        assert_well_formed(&draw(&[group("nothing", [None; 3])]));
        assert_well_formed(&of(&[]));
    }

    #[test]
    fn bars_stay_inside_the_picture() {
        for largest in [0.3, 1.0, 1.99, 3.7, 8.0, 41.0, 1234.5] {
            let svg = draw(&[group("a", [Some(largest), None, None])]);
            let bar = svg.lines().rfind(|line| line.starts_with("<rect")).unwrap();
            let width: f64 =
                bar.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
            assert!(width <= WIDTH - LEFT - RIGHT + 0.1, "{largest}: {width}");
        }
    }

    #[test]
    fn names_are_short() {
        assert_eq!(short_name("spins/beem/all/peterson.4.pm"), "peterson.4");
        assert_eq!(short_name("spins/garp_ls"), "garp_ls");
    }
}
