//! The file that names the processes of a cluster: `host:port`, a line each. The first line is process 0.

use crate::PROCESSES_MAX;

/// What is wrong with such a file, and where: bytes of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostsError {
    pub at: std::ops::Range<usize>,
    pub message: String,
}

/// The addresses in their order. Empty lines, and what follows a `#`, are left out.
pub fn read_hosts(text: &str) -> Result<Vec<String>, HostsError> {
    let mut addresses: Vec<String> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let written = line.split('#').next().unwrap_or_default();
        let address = written.trim();
        let begin = start + (written.len() - written.trim_start().len());
        let at = begin..begin + address.len();
        start += line.len();
        if address.is_empty() {
            continue;
        }
        let wrong = |message: String| Err(HostsError { at: at.clone(), message });
        if let Err(why) = refuse(address) {
            return wrong(why);
        }
        if let Some(other) = addresses.iter().position(|other| other == address) {
            return wrong(format!(
                "`{address}` is process {other} already: each process needs a port of its own"
            ));
        }
        if addresses.len() == PROCESSES_MAX {
            return wrong(format!("there are more than {PROCESSES_MAX} processes"));
        }
        addresses.push(address.to_string());
    }
    if addresses.is_empty() {
        let message = "it names no process: write `host:port`, a line for each".to_string();
        return Err(HostsError { at: 0..text.len().min(1), message });
    }
    Ok(addresses)
}

/// Fails for what is no `host:port`.
fn refuse(address: &str) -> Result<(), String> {
    let example = "such as `node1:7000` or `[::1]:7000`";
    let Some((host, port)) = address.rsplit_once(':') else {
        return Err(format!("`{address}` has no port: write `host:port`, {example}"));
    };
    let is_bracketed = host.starts_with('[') && host.ends_with(']');
    if host.is_empty() || host.contains(char::is_whitespace) || (host.contains(':') && !is_bracketed) {
        return Err(format!("`{host}` is no host: write `host:port`, {example}"));
    }
    match port.parse::<u16>() {
        Ok(port) if port > 0 => Ok(()),
        _ => Err(format!("`{port}` is no port: it is a number from 1 to 65535")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_a_line_each() {
        let text = "# three\nnode1:7000\n\n  10.0.0.2:7001  # the second\n[::1]:7002";
        assert_eq!(read_hosts(text).unwrap(), ["node1:7000", "10.0.0.2:7001", "[::1]:7002"]);
    }

    #[test]
    fn mistakes_have_a_place() {
        let wrong = |text: &str| {
            let error = read_hosts(text).expect_err("a mistake");
            (text[error.at].to_string(), error.message)
        };
        for (text, at, said) in [
            ("a:1\n  b \n", "b", "has no port"),
            ("a:1\nb:x", "b:x", "`x` is no port"),
            ("a:0", "a:0", "`0` is no port"),
            ("::1:70", "::1:70", "is no host"),
            (":70", ":70", "is no host"),
            ("a:1\na:1", "a:1", "process 0 already"),
            ("# nothing\n", "#", "names no process"),
            ("", "", "names no process"),
        ] {
            let (place, message) = wrong(text);
            assert!(place == at && message.contains(said), "{text:?}: {place:?} {message}");
        }
    }
}
