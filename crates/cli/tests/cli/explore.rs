//! `panoptes explore`: it prints an address, answers those who know it, opens traces; and the drawing of a state space.

use crate::sandbox::{DEADLOCK, Sandbox, TURNS};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

/// Ends the server when the test ends.
struct Served(Child, String);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn explore(sandbox: &Sandbox, args: &[&str]) -> Served {
    let mut child = sandbox.command(&[&["explore"], args].concat()).spawn().expect("the command starts");
    let mut address = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut address).expect("an address");
    Served(child, address.trim().to_string())
}

fn get(address: &str, path: &str) -> (String, String) {
    let rest = address.strip_prefix("http://").unwrap_or_else(|| panic!("an address, not {address:?}"));
    let (host, root) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    let request = format!("GET /{root}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_string(), body.to_string())
}

#[test]
fn a_page_for_those_who_know_its_address() {
    let sandbox = Sandbox::with(TURNS);
    let served = explore(&sandbox, &["m.pml"]);
    let (head, page) = get(&served.1, "");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("default-src 'none'"), "{head}");
    assert!(page.contains("<title>panoptes explore</title>"), "{page}");
    let model: Value = serde_json::from_str(&get(&served.1, "api/model").1).expect("JSON");
    assert_eq!((&model["name"], &model["opened"]), (&"m.pml".into(), &Value::Null));
    let root = &served.1[..served.1.trim_end_matches('/').rfind('/').expect("a path") + 1];
    assert!(get(root, "api/model").0.starts_with("HTTP/1.1 403"));
}

#[test]
fn a_saved_trace_is_opened() {
    let sandbox = Sandbox::with(DEADLOCK);
    sandbox.run(&["check", "m.pml"]).expect(1);
    let served = explore(&sandbox, &["m.trace.json"]);
    let model: Value = serde_json::from_str(&get(&served.1, "api/model").1).expect("JSON");
    assert_eq!(model["opened"]["error"]["kind"], "deadlock");
    assert_eq!(model["opened"]["path"].as_array().map(Vec::len), Some(2));
    sandbox.write("m.pml", TURNS);
    let stale = sandbox.run(&["explore", "m.trace.json"]).expect(2).stderr;
    assert!(stale.contains("has changed since"), "{stale}");
    sandbox.run(&["explore", "m.pml", "--error", "1"]).expect(2);
    sandbox.run(&["explore", "none.pml"]).expect(2);
}

#[test]
fn a_state_space_is_drawn_up_to_a_limit() {
    let sandbox = Sandbox::with(DEADLOCK);
    let dot = sandbox.run(&["show", "m.pml", "--format", "dot", "--states"]).expect(0).stdout;
    assert!(dot.starts_with("digraph") && dot.contains("fillcolor"), "{dot}");
    let cut = sandbox.run(&["show", "m.pml", "--format", "dot", "--states", "--states-max", "2"]).expect(3);
    assert!(
        cut.stderr.contains("only the first 2 states") && cut.stdout.contains("dashed"),
        "{}",
        cut.stderr
    );
    sandbox.run(&["show", "m.pml", "--states"]).expect(2);
}
