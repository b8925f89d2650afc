//! What all charts have in common: how they begin, their colours, and text. They have no background and follow the reader's
//! choice of a light or dark page.

use std::fmt::Write;

const STYLE: &str = "\
text { font: 11px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.grid { stroke: #24292f; stroke-opacity: .15 }
@media (prefers-color-scheme: dark) {
  text { fill: #d7dde3 }
  .grid { stroke: #d7dde3 }
}";

/// The beginning of a picture of that size, with its title. `style` is what it has of its own.
pub fn begin(width: f64, height: f64, style: &str, title: &str) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" \
         height=\"{height:.0}\" role=\"img\">\n<style>{STYLE}\n{style}</style>\n"
    );
    text(&mut svg, 8.0, 20.0, "title", "start", title);
    svg
}

pub fn text(svg: &mut String, x: f64, y: f64, class: &str, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}
