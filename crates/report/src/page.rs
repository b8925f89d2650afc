//! A page about a check or a trace: one file with everything in it, which a browser shows without asking anybody else.
//!
//! The chart is drawn here; what moves with the reader (the state after each step, the lit line) is made in the page from the changes of
//! the steps, by the script in `page/page.js`.

use crate::step::{changes, failure_text, process_name};
use crate::{Chart, SVG_STYLE, Story, Style, View, escape};
use panoptes_check::VerdictKind;
use panoptes_trace::{StepEvent, Trace, TraceStep};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// What a page is made of.
#[derive(Default)]
pub struct Page<'a> {
    /// What it is about: the model.
    pub model: String,
    /// The text of the model and of what it includes: name and text.
    pub files: Vec<(String, String)>,
    /// The verdict and the numbers, after a check.
    pub report: Option<View<'a>>,
    pub trace: Option<PageTrace<'a>>,
    /// What the reader should know of the page itself.
    pub notes: Vec<String>,
}

/// A trace, or a part of it.
pub struct PageTrace<'a> {
    pub head: &'a Trace,
    pub chart: &'a Chart,
    pub story: &'a Story,
    /// The state before the first step.
    pub before: PageState,
    pub steps: Vec<TraceStep>,
}

/// The variables and channels of a state by name, as they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageState(BTreeMap<String, String>);

impl PageState {
    /// The state that a trace begins with.
    pub fn initial(head: &Trace) -> PageState {
        let mut all = BTreeMap::new();
        if let Some(initial) = &head.initial {
            let news = initial.variables.iter().filter(|value| value.name != value.value);
            all.extend(news.map(|value| (value.name.clone(), value.value.clone())));
            let channels = initial.channels.iter().filter(|channel| channel.capacity > 0);
            all.extend(
                channels
                    .map(|channel| (channel.name.clone(), panoptes_trace::contents_text(&channel.messages))),
            );
        }
        PageState(all)
    }

    /// Takes a step: what it changes, and what goes away with a process.
    pub fn take(&mut self, step: &TraceStep) {
        for gone in gone(step) {
            self.0.retain(|name, _| !name.starts_with(&gone));
        }
        for change in &step.changes {
            self.0.insert(change.name.clone(), change.after.clone());
        }
    }

    /// Name and value of each.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// What the names of the variables begin with that go away in a step.
fn gone(step: &TraceStep) -> Vec<String> {
    let ends = step.events.iter().filter_map(|event| match event {
        StepEvent::End { pid } => Some(*pid),
        _ => None,
    });
    ends.map(|pid| format!("{}.", process_name(&step.process, pid))).collect()
}

impl Page<'_> {
    /// The whole file.
    pub fn to_html(&self) -> String {
        let data = serde_json::to_string(&self.data()).expect("strings and numbers only");
        // Nothing in the data may end the element that it stands in.
        let data = data.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
        let model = escape(&self.model);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'; img-src data:\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{model}</title>\n<style>\n{STYLE}\n{SVG_STYLE}</style>\n</head>\n\
             <body>\n{}{}{}{}<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n\
             </body>\n</html>\n",
            self.header(),
            self.walk(),
            self.story(),
            self.check(),
        )
    }

    fn header(&self) -> String {
        let (class, verdict) = match self.report.as_ref().map(|report| report.verdict) {
            Some(VerdictKind::Verified) => ("good", "VERIFIED"),
            Some(VerdictKind::Violated) => ("bad", "VIOLATED"),
            Some(VerdictKind::Inconclusive) => ("unsure", "INCONCLUSIVE"),
            None => ("plain", "TRACE"),
        };
        let error = self.trace.as_ref().and_then(|trace| trace.head.error.as_ref());
        let error = error.map_or_else(String::new, |error| {
            let place = error.location.as_ref().map_or_else(String::new, |place| format!(", at {place}"));
            format!("<p class=\"error\">{}{}</p>", escape(&failure_text(error)), escape(&place))
        });
        let notes: String =
            self.notes.iter().map(|note| format!("<p class=\"note\">{}</p>", escape(note))).collect();
        format!(
            "<header><h1><span class=\"verdict {class}\">{verdict}</span> {}</h1>{error}{notes}</header>\n",
            escape(&self.model)
        )
    }

    /// The part that moves: chart, text and state.
    fn walk(&self) -> String {
        let text = match self.files.is_empty() {
            true => "<p class=\"note\">The text of the model is not here.</p>".to_string(),
            false => "<div id=\"source\" class=\"scroll\" tabindex=\"0\"></div>".to_string(),
        };
        let source = format!(
            "<section class=\"pane source\"><h2>Model <span id=\"file\"></span></h2>{text}</section>"
        );
        let Some(trace) = &self.trace else {
            return format!("<main class=\"walk alone\">{source}</main>\n");
        };
        let parts = trace.chart.svg_parts();
        let range = trace.chart.range_text().unwrap_or_default();
        let first = trace.steps.first().map_or(0, |step| step.number - 1);
        let last = trace.steps.last().map_or(first, |step| step.number);
        format!(
            "<nav class=\"controls\" aria-label=\"steps\">\
             <button id=\"first\" title=\"first step (Home)\" aria-label=\"first step\">|◀</button>\
             <button id=\"back\" title=\"step back (← or k)\" aria-label=\"step back\">◀</button>\
             <input id=\"slider\" type=\"range\" min=\"{first}\" max=\"{last}\" value=\"{first}\" aria-label=\"step\">\
             <button id=\"next\" title=\"next step (→ or j)\" aria-label=\"next step\">▶</button>\
             <button id=\"last\" title=\"last step (End)\" aria-label=\"last step\">▶|</button>\
             <output id=\"where\" aria-live=\"polite\"></output></nav>\n\
             <main class=\"walk\"><section class=\"pane chart\"><h2>Chart <span>{}</span></h2>\
             <div id=\"chart\" class=\"scroll\" tabindex=\"0\"><div class=\"heads\">{}</div>{}</div></section>\
             {source}\
             <section class=\"pane state\"><h2>State <span id=\"step\"></span></h2>\
             <div class=\"scroll\" tabindex=\"0\"><p id=\"did\"></p><table id=\"places\"></table><table id=\"values\"></table></div>\
             </section></main>\n",
            escape(&range),
            parts.heads,
            parts.body
        )
    }

    fn story(&self) -> String {
        let Some(PageTrace { story, .. }) = &self.trace else { return String::new() };
        let mut out = String::new();
        if !story.processes.is_empty() {
            out += "<h3>What each process was doing at the end</h3><table class=\"list\">";
            for (name, place, what) in &story.processes {
                out += &format!(
                    "<tr><th>{}</th><td>{}</td><td>{}</td></tr>",
                    escape(name),
                    escape(place),
                    escape(what)
                );
            }
            out += "</table>";
        }
        if !story.waits.is_empty() {
            let items: String = story.waits.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
            out += &format!("<h3>Who waits for whom</h3><ul>{items}</ul>");
        }
        if let Some(circle) = &story.circle {
            out += &format!("<p class=\"error\">{}</p>", escape(circle));
        }
        if let Some(hint) = &story.hint {
            out += &format!("<p class=\"hint\">Hint: {}</p>", escape(hint));
        }
        if let Some(chance) = &story.chance {
            out += &format!("<h3>The last chance</h3><p>{}.</p>", escape(chance));
        }
        match out.is_empty() {
            true => out,
            false => format!("<section class=\"card\"><h2>What happened</h2>{out}</section>\n"),
        }
    }

    /// What was checked, the numbers, and what nothing reached.
    fn check(&self) -> String {
        let Some(report) = &self.report else { return String::new() };
        let mut out = String::new();
        if !report.properties.is_empty() {
            out += "<section class=\"card\"><h2>Properties</h2><table class=\"list\">";
            for property in &report.properties {
                let verdict = property.verdict.to_string();
                let class = match verdict.as_str() {
                    "verified" => "good",
                    "violated" => "bad",
                    _ => "unsure",
                };
                out += &format!(
                    "<tr><th>{}</th><td class=\"{class}\">{verdict}</td></tr>",
                    escape(&property.name)
                );
            }
            out += "</table></section>\n";
        }
        let style = Style { color: false, width: 100, full: true };
        out += &format!(
            "<section class=\"card\"><h2>Statistics</h2><pre>{}</pre></section>\n",
            escape(report.summary_text(&style).trim_end())
        );
        if !report.unreached.is_empty() {
            out += "<section class=\"card\"><h2>Unreached code</h2><p>No execution gets to these statements.</p><ul class=\"unreached\">";
            for statement in &report.unreached {
                out += &format!(
                    "<li><a href=\"#\" data-file=\"{file}\" data-line=\"{line}\">{file}:{line}</a> <span>{}</span> <code>{}</code></li>",
                    escape(&statement.process),
                    escape(&statement.text),
                    file = escape(&statement.position.file),
                    line = statement.position.line,
                );
            }
            out += "</ul></section>\n";
        }
        out
    }

    /// What the script works with.
    fn data(&self) -> Value {
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|(name, text)| json!({ "name": name, "lines": text.lines().collect::<Vec<_>>() }))
            .collect();
        let unreached: Vec<Value> = self.report.as_ref().map_or_else(Vec::new, |report| {
            let lines = report.unreached.iter();
            lines.map(|statement| json!([statement.position.file, statement.position.line])).collect()
        });
        let Some(trace) = &self.trace else {
            return json!({ "files": files, "unreached": unreached, "steps": [] });
        };
        let lanes: Vec<String> = trace.chart.lanes.iter().map(|lane| lane.name()).collect();
        let end: Vec<Value> = trace
            .chart
            .end
            .iter()
            .flat_map(|end| &end.processes)
            .map(|process| {
                let (file, line) = position(&process.location);
                let statements = process.next.iter().filter(|text| *text != "-end-");
                let next: Vec<String> = statements.map(|text| crate::wrap::one_line(text)).collect();
                json!({
                    "name": process_name(&process.process, process.pid),
                    "file": file, "line": line, "next": next.join(" or "),
                })
            })
            .collect();
        json!({
            "files": files,
            "unreached": unreached,
            "lanes": lanes,
            "cycle": trace.head.error.as_ref().and_then(|error| error.cycle_start),
            "length": trace.head.length,
            "state": trace.before.values().collect::<Vec<_>>(),
            "steps": trace.steps.iter().map(step_data).collect::<Vec<_>>(),
            "end": end,
        })
    }
}

fn step_data(step: &TraceStep) -> Value {
    let (file, line) = position(&step.location);
    let partner = step.partner.as_ref().map(|partner| {
        let (file, line) = position(&partner.location);
        json!({ "name": process_name(&partner.process, partner.pid), "text": crate::wrap::one_line(&partner.text),
                "file": file, "line": line })
    });
    let values: Vec<(&str, &str)> =
        step.changes.iter().map(|change| (change.name.as_str(), change.after.as_str())).collect();
    json!({
        "n": step.number,
        "name": process_name(&step.process, step.pid),
        "text": crate::wrap::one_line(&step.text),
        "file": file, "line": line,
        "partner": partner,
        "set": values,
        "gone": gone(step),
        "did": changes(step),
        "fault": step.fault.as_ref().map(failure_text),
    })
}

/// The file and the line of a place.
fn position(location: &str) -> (&str, usize) {
    let mut parts = location.rsplitn(3, ':');
    let (_, line, file) = (parts.next(), parts.next(), parts.next());
    (file.unwrap_or(""), line.and_then(|line| line.parse().ok()).unwrap_or(0))
}
