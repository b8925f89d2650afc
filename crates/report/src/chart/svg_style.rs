//! The look of the drawn chart, in light and dark.

/// The style sheet of a chart; every class begins with `mc-`.
pub const SVG_STYLE: &str = "\
.mc { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.mc text { fill: #1f2328; paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; }
.mc .mc-paper { fill: #ffffff; }
.mc .mc-head { fill: #eef2f7; stroke: #b6c2d1; }
.mc .mc-name { font-weight: 600; stroke: none; }
.mc .mc-life { stroke: #c3ccd6; stroke-width: 1.5; }
.mc .mc-number { fill: #8a94a0; stroke: none; font-size: 11px; }
.mc .mc-arrow { stroke: #0b63b8; stroke-width: 1.6; fill: none; }
.mc .mc-tip { fill: #0b63b8; }
.mc .mc-wait { stroke: #0b63b8; stroke-width: 1.2; stroke-dasharray: 3 3; fill: none; opacity: .7; }
.mc .mc-copy { stroke-dasharray: 5 3; }
.mc .mc-message { fill: #0b4a86; }
.mc .mc-faint { fill: #75808c; font-size: 10.5px; }
.mc .mc-act { fill: #3d4752; }
.mc .mc-dot { fill: #75808c; }
.mc .mc-unsure { fill: #9a5b00; }
.mc .mc-lost { stroke: #9a5b00; stroke-width: 1.8; fill: none; }
.mc .mc-bad { fill: #c11f2e; font-weight: 600; }
.mc .mc-good { fill: #1a7f37; font-weight: 600; }
.mc .mc-cross { stroke: #c11f2e; stroke-width: 2; fill: none; }
.mc .mc-over { stroke: #75808c; stroke-width: 1.8; fill: none; }
.mc .mc-cycle { fill: #f4ecfb; stroke: #b58fd6; stroke-dasharray: 4 3; }
.mc .mc-again { fill: #7b3fb0; font-weight: 600; }
.mc .mc-stand { fill: #f6f8fa; stroke: #d5dbe1; }
.mc .mc-stuck { fill: #ffecec; stroke: #e5a3a8; }
.mc .mc-plain { stroke: none; }
.mc .mc-for { stroke: #c11f2e; stroke-width: 1.6; fill: none; }
.mc .mc-fortip { fill: #c11f2e; }
.mc .mc-band { fill: transparent; }
@media screen and (prefers-color-scheme: dark) {
  .mc text { fill: #e6edf3; stroke: #0f1318; }
  .mc .mc-paper { fill: #0f1318; }
  .mc .mc-head { fill: #1c232b; stroke: #3a4552; }
  .mc .mc-name { stroke: none; }
  .mc .mc-life { stroke: #38424d; }
  .mc .mc-number { fill: #76818d; stroke: none; }
  .mc .mc-arrow { stroke: #6cb6ff; }
  .mc .mc-tip { fill: #6cb6ff; }
  .mc .mc-wait { stroke: #6cb6ff; }
  .mc .mc-message { fill: #a5d6ff; }
  .mc .mc-faint { fill: #8b96a2; }
  .mc .mc-act { fill: #c3ccd6; }
  .mc .mc-unsure { fill: #e3a94a; }
  .mc .mc-lost { stroke: #e3a94a; }
  .mc .mc-bad { fill: #ff8088; }
  .mc .mc-good { fill: #6fd086; }
  .mc .mc-cross { stroke: #ff8088; }
  .mc .mc-cycle { fill: #1e1728; stroke: #6f4f92; }
  .mc .mc-again { fill: #cfa6f2; }
  .mc .mc-stand { fill: #161b21; stroke: #323b45; }
  .mc .mc-stuck { fill: #2b1417; stroke: #7c3138; }
  .mc .mc-plain { stroke: none; }
  .mc .mc-for { stroke: #ff8088; }
  .mc .mc-fortip { fill: #ff8088; }
}
@media print {
  .mc text { fill: #000000; }
}
";
