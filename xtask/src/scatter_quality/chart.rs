//! A chart of lines and points as SVG.

use crate::svg::{begin, text};
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 412.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 82.0;
const BOTTOM: f64 = 48.0;

const STYLE: &str = "\
.s0 { stroke: #3b76c4; fill: #3b76c4 } .s1 { stroke: #d9822b; fill: #d9822b } .s2 { stroke: #3d9a5f; fill: #3d9a5f }
.s3 { stroke: #a04fb0; fill: #a04fb0 } .s4 { stroke: #b8443c; fill: #b8443c } .s5 { stroke: #6b7280; fill: #6b7280 }
polyline { fill: none !important; stroke-width: 1.8 }";

pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

pub struct Axis {
    label: String,
    is_logarithmic: bool,
}

pub struct Series {
    label: String,
    points: Vec<(f64, f64)>,
    has_line: bool,
}

impl Axis {
    pub fn linear(label: &str) -> Axis {
        Axis { label: label.to_string(), is_logarithmic: false }
    }

    pub fn logarithmic(label: &str) -> Axis {
        Axis { label: label.to_string(), is_logarithmic: true }
    }
}

impl Series {
    pub fn of_points(label: &str, points: Vec<(f64, f64)>) -> Series {
        Series { label: label.to_string(), points, has_line: false }
    }

    pub fn of_line(label: &str, points: Vec<(f64, f64)>) -> Series {
        Series { label: label.to_string(), points, has_line: true }
    }

    /// The highest points so far, from left to right.
    pub fn best_of(series: &[Series], label: &str) -> Series {
        let mut points: Vec<(f64, f64)> = series.iter().flat_map(|series| series.points.clone()).collect();
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut best: Vec<(f64, f64)> = Vec::new();
        for (x, y) in points {
            if best.last().is_none_or(|last| y > last.1) {
                best.push((x, y));
            }
        }
        Series::of_line(label, best)
    }
}

/// One axis with its scale.
struct Scale<'a> {
    axis: &'a Axis,
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl<'a> Scale<'a> {
    fn new(axis: &'a Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale<'a> {
        let values: Vec<f64> = values.filter(|value| !axis.is_logarithmic || *value > 0.0).collect();
        let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let least = values.iter().copied().fold(most, f64::min);
        let (least, most) = match axis.is_logarithmic {
            true => (10f64.powf(least.log10().floor()), 10f64.powf(most.log10().ceil())),
            // Up to a line of the grid, so that no point hangs in the air.
            false => (0.0, (most / step(most) - 1e-9).ceil() * step(most)),
        };
        Scale { axis, least, most: if most > least { most } else { least + 1.0 }, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = match self.axis.is_logarithmic {
            true => {
                (value.max(self.least).log10() - self.least.log10())
                    / (self.most.log10() - self.least.log10())
            }
            false => (value - self.least) / (self.most - self.least),
        };
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.axis.is_logarithmic {
            let powers = self.least.log10().round() as i32..=self.most.log10().round() as i32;
            return powers.map(|power| 10f64.powi(power)).collect();
        }
        let step = step(self.most);
        (0..=(self.most / step + 1e-9) as u32).map(|number| f64::from(number) * step).collect()
    }
}

/// From one line of the grid to the next, if there are to be six of them or fewer.
fn step(most: f64) -> f64 {
    let rough = most / 6.0;
    let unit = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|times| times * unit).find(|step| *step >= rough).unwrap_or(10.0 * unit)
}

impl Chart {
    pub fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let x = Scale::new(&self.x, points().map(|point| point.0), LEFT, WIDTH - RIGHT);
        let y = Scale::new(&self.y, points().map(|point| point.1), HEIGHT - BOTTOM, TOP);
        let mut svg = begin(WIDTH, HEIGHT, STYLE, &self.title);
        let mut legend_x = 8.0;
        for (number, series) in self.series.iter().enumerate() {
            let _ =
                writeln!(svg, "<circle class=\"s{number}\" cx=\"{:.1}\" cy=\"38\" r=\"4\"/>", legend_x + 5.0);
            text(&mut svg, legend_x + 14.0, 42.0, "legend", "start", &series.label);
            legend_x += 34.0 + 5.6 * series.label.len() as f64;
        }
        for tick in x.ticks() {
            let at = x.at(tick);
            line(&mut svg, (at, TOP), (at, HEIGHT - BOTTOM));
            text(&mut svg, at, HEIGHT - BOTTOM + 16.0, "tick", "middle", &number(tick));
        }
        for tick in y.ticks() {
            let at = y.at(tick);
            line(&mut svg, (LEFT, at), (WIDTH - RIGHT, at));
            text(&mut svg, LEFT - 6.0, at + 4.0, "tick", "end", &number(tick));
        }
        text(&mut svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "axis", "middle", &self.x.label);
        text(&mut svg, LEFT, TOP - 8.0, "axis", "start", &self.y.label);
        for (number, series) in self.series.iter().enumerate() {
            let places: Vec<(f64, f64)> =
                series.points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
            if series.has_line {
                let corners: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let _ = writeln!(svg, "<polyline class=\"s{number}\" points=\"{}\"/>", corners.join(" "));
            }
            for (x, y) in places {
                let _ = writeln!(svg, "<circle class=\"s{number}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>");
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn number(value: f64) -> String {
    if value != 0.0 && value < 0.001 {
        format!("{value:e}")
    } else {
        format!("{}", (value * 1e6).round() / 1e6)
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line class=\"grid\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_what_was_measured() {
        let dots = Series::of_points("dots", vec![(0.01, 0.5), (0.1, 0.4), (1.0, 1.0)]);
        let best = Series::best_of(std::slice::from_ref(&dots), "best");
        assert_eq!(best.points, [(0.01, 0.5), (1.0, 1.0)]);
        let chart = Chart {
            title: "a < b".to_string(),
            x: Axis::logarithmic("x"),
            y: Axis::linear("y"),
            series: vec![dots, best],
        };
        let svg = chart.to_svg();
        assert_eq!(svg.matches("r=\"2.5\"").count(), 5);
        assert_eq!(svg.matches("<polyline").count(), 1);
        assert_eq!(Scale::new(&Axis::linear("y"), [14.4].into_iter(), 0.0, 1.0).most, 15.0);
        assert_eq!(Scale::new(&Axis::linear("y"), [1.0].into_iter(), 0.0, 1.0).most, 1.0);
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
    }
}
