//! Who is answered: a page that was opened with the address that the terminal shows, and nobody else on this machine.
//!
//! The address holds a random token. `Host` must be the server's own, so that no name that another site makes point here is
//! let in; `Origin`, where a browser sends one, must be the page itself.

use axum::http::{HeaderMap, StatusCode, header};

#[derive(Clone, Debug)]
pub(crate) struct Guard {
    token: String,
    port: u16,
}

impl Guard {
    /// With a token that nobody can guess.
    pub fn new(port: u16) -> std::io::Result<Guard> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { token, port })
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// Is the request to be answered? If not, what is wrong with it.
    pub fn admits(&self, path: &str, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        if !text(header::HOST).is_some_and(|host| self.is_own(host)) {
            return Err((StatusCode::FORBIDDEN, "this server answers only to its own name"));
        }
        if headers.contains_key(header::ORIGIN) {
            let own = text(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
            if !own.is_some_and(|host| self.is_own(host)) {
                return Err((StatusCode::FORBIDDEN, "another page asks"));
            }
        }
        if text(header::HeaderName::from_static("sec-fetch-site"))
            .is_some_and(|site| !matches!(site, "same-origin" | "none"))
        {
            return Err((StatusCode::FORBIDDEN, "another page asks"));
        }
        let given = path.split('/').nth(1).unwrap_or_default();
        match is_same(given.as_bytes(), self.token.as_bytes()) {
            true => Ok(()),
            false => {
                Err((StatusCode::FORBIDDEN, "open the address that the terminal shows: it holds a token"))
            }
        }
    }

    fn is_own(&self, host: &str) -> bool {
        let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        own.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

/// Compares all bytes whatever they are, so that time tells nothing.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |all, (l, r)| all | (l ^ r)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_refused() {
        let guard = Guard::new(4000).expect("random bytes");
        let path = format!("/{}/api/model", guard.token());
        let ask = |path: &str, headers: &[(&'static str, &'static str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, value.parse().expect("a header"));
            }
            guard.admits(path, &map).is_ok()
        };
        let host = ("host", "127.0.0.1:4000");
        assert!(ask(&path, &[host]));
        assert!(ask(&path, &[("host", "localhost:4000"), ("origin", "http://localhost:4000")]));
        assert!(ask(&path, &[host, ("sec-fetch-site", "same-origin")]));
        assert!(!ask("/api/model", &[host]));
        assert!(!ask(&format!("/{}/", "0".repeat(32)), &[host]));
        assert!(!ask(&path, &[]), "no Host");
        assert!(!ask(&path, &[("host", "evil.example:4000")]));
        assert!(!ask(&path, &[("host", "127.0.0.1:4001")]));
        assert!(!ask(&path, &[host, ("origin", "http://evil.example")]));
        assert!(!ask(&path, &[host, ("origin", "null")]));
        assert!(!ask(&path, &[host, ("sec-fetch-site", "cross-site")]));
    }
}
