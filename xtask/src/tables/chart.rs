//! Expanded states and lengths of traces by search, as bars in SVG.

use crate::svg::{begin, text};
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const LABELS: f64 = 170.0;
const PANEL: f64 = 225.0;
const BAR: f64 = 11.0;

const STYLE: &str = ".expanded { fill: #3b76c4 } .length { fill: #d9822b }";

pub struct Group {
    pub title: String,
    pub bars: Vec<Bar>,
}

/// What one search did; nothing if it did not get to an error.
pub struct Bar {
    pub label: String,
    pub expanded: Option<u64>,
    pub length: Option<usize>,
}

pub fn chart(title: &str, groups: &[Group]) -> String {
    let rows: usize = groups.iter().map(|group| group.bars.len() + 1).sum();
    let height = 70.0 + rows as f64 * (BAR + 3.0);
    let mut svg = begin(WIDTH, height, STYLE, title);
    let (left, right) = (LABELS, LABELS + PANEL + 60.0);
    text(&mut svg, left, 44.0, "", "start", "expanded states (logarithmic)");
    text(&mut svg, right, 44.0, "", "start", "steps of the trace (logarithmic)");
    let all = || groups.iter().flat_map(|group| &group.bars);
    let most = all().filter_map(|bar| bar.expanded).max().unwrap_or(1);
    let longest = all().filter_map(|bar| bar.length).max().unwrap_or(1);
    let mut y = 58.0;
    for group in groups {
        text(&mut svg, 8.0, y + BAR - 1.0, "", "start", &group.title);
        for bar in &group.bars {
            text(&mut svg, LABELS - 8.0, y + BAR - 1.0, "", "end", &bar.label);
            let mut draw = |x: f64, class: &str, value: Option<u64>, most: u64| match value {
                Some(value) => {
                    let width = (PANEL * share(value, most)).max(1.0);
                    let _ = writeln!(
                        svg,
                        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\"/>"
                    );
                    text(&mut svg, x + width + 4.0, y + BAR - 1.0, "", "start", &value.to_string());
                }
                None => text(&mut svg, x, y + BAR - 1.0, "", "start", "–"),
            };
            draw(left, "expanded", bar.expanded, most);
            draw(right, "length", bar.length.map(|length| length as u64), longest as u64);
            y += BAR + 3.0;
        }
        y += BAR + 3.0;
    }
    svg + "</svg>\n"
}

/// How long the bar of a value is, if that of the greatest is 1.
fn share(value: u64, most: u64) -> f64 {
    (value.max(1) as f64 + 1.0).ln() / (most.max(2) as f64 + 1.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_their_numbers() {
        let bar = |expanded, length| Bar { label: "dfs".to_string(), expanded, length };
        let bars = vec![bar(Some(10), Some(3)), bar(None, None)];
        let svg = chart("t", &[Group { title: "m".to_string(), bars }]);
        assert_eq!((svg.matches("<rect").count(), svg.matches(">–<").count()), (2, 2));
        assert!(svg.contains(">10<") && svg.contains(">3<") && svg.ends_with("</svg>\n"));
        assert!(share(10, 10) > share(5, 10) && (share(10, 10) - 1.0).abs() < 1e-9);
    }
}
