//! The files of the page. They are part of the program, so that nothing comes from outside.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// Name, kind, text.
const FILES: [(&str, &str, &str); 9] = [
    ("", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("style.css", "text/css; charset=utf-8", include_str!("../page/style.css")),
    ("app.js", SCRIPT, include_str!("../page/app.js")),
    ("api.js", SCRIPT, include_str!("../page/api.js")),
    ("chart.js", SCRIPT, include_str!("../page/chart.js")),
    ("dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("graph.js", SCRIPT, include_str!("../page/graph.js")),
    ("machines.js", SCRIPT, include_str!("../page/machines.js")),
    ("search.js", SCRIPT, include_str!("../page/search.js")),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, ..)| *name)
}

/// The file with that name, which is one of [`names`].
pub(crate) fn file(name: &str) -> Response {
    let (_, kind, text) = FILES.iter().find(|(other, ..)| *other == name).unwrap_or(&FILES[0]);
    let mut response = text.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
