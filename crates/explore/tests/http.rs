//! The explorer over HTTP: who is answered, what is answered, and what does no harm.

use panoptes_check::{Language, TextOptions};
use panoptes_explore::{Explorer, Limits, ModelText, Server};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const PEOPLE: &str = "
byte x; chan q = [2] of { byte };
active proctype A() { x = 1; q!7; q!8; x = 3 }
active proctype B() { byte got; q?got; assert(got == 7); q?got; q?got }
";

const ENDLESS: &str =
    "int x; active proctype P() { do :: x < 2000000000 -> x++ :: x < 2000000000 -> x = x + 7 od }";

/// Where a server listens: its port, and the path with the token.
struct Place {
    port: u16,
    root: String,
}

fn serve(text: &str) -> Place {
    serve_within(text, Duration::from_secs(15))
}

fn serve_within(text: &str, time: Duration) -> Place {
    let text = ModelText {
        name: "m.pml".to_string(),
        text: text.to_string(),
        path: PathBuf::from("m.pml"),
        language: Language::Promela,
        options: TextOptions::default(),
    };
    let limits = Limits { time: Duration::from_secs(30), memory: 256 << 20 };
    let explorer = Explorer::new(text, false, limits).expect("a model");
    let mut server = Server::bind(0).expect("a port");
    server.set_question_time(time);
    let address = server.address();
    std::thread::spawn(move || server.serve(explorer));
    let rest = address.strip_prefix("http://127.0.0.1:").expect("an address on loopback");
    let (port, root) = rest.split_once('/').expect("a path");
    Place { port: port.parse().expect("a port"), root: format!("/{root}") }
}

impl Place {
    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    /// Sends a request as it is; the status and the body.
    fn send(&self, head: &str, body: &[u8]) -> (u16, String) {
        let mut stream = self.begin(head, body);
        let mut answer = Vec::new();
        // A server that refuses a large body may close before all of it is read.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_string())
    }

    fn begin(&self, head: &str, body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("somebody listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        let length = body.len();
        let head = format!("{head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        stream
    }

    fn post_head(&self, path: &str) -> String {
        format!("POST {}api/{path} HTTP/1.1\r\n{}", self.root, self.host())
    }

    fn post(&self, path: &str, question: &Value) -> (u16, Value) {
        let (status, body) = self.send(&self.post_head(path), question.to_string().as_bytes());
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    fn get(&self, path: &str, headers: &str) -> u16 {
        self.send(&format!("GET {path} HTTP/1.1\r\n{headers}"), b"").0
    }

    /// Begins a check and reads its first line, which names the search.
    fn begin_check(&self, question: &Value) -> (BufReader<TcpStream>, Option<u64>) {
        let stream = self.begin(&self.post_head("check"), question.to_string().as_bytes());
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
            if let Some(search) = line.trim().strip_prefix("{\"search\":") {
                let number = search.trim_end_matches('}').parse().expect("a number");
                return (reader, Some(number));
            }
            line.clear();
        }
        (reader, None)
    }
}

/// The lines of a check, without what HTTP puts between them.
fn lines(body: &str) -> Vec<Value> {
    body.lines().filter_map(|line| serde_json::from_str(line.trim()).ok()).filter(Value::is_object).collect()
}

#[test]
fn only_its_own_page_is_answered() {
    let place = serve(PEOPLE);
    let (model, host) = (format!("{}api/model", place.root), place.host());
    assert_eq!(place.get(&place.root, &host), 200);
    assert_eq!(place.get(&model, &host), 200);
    assert_eq!(place.get(&model, &format!("{host}\r\nOrigin: http://127.0.0.1:{}", place.port)), 200);
    assert_eq!(place.get("/", &host), 403);
    assert_eq!(place.get("/api/model", &host), 403);
    assert_eq!(place.get(&format!("/{}/api/model", "0".repeat(32)), &host), 403);
    assert_eq!(place.get(&model, "Host: model.example"), 403);
    assert_eq!(place.get(&model, &format!("Host: model.example:{}", place.port)), 403);
    assert_eq!(place.get(&model, &format!("{host}\r\nOrigin: http://model.example")), 403);
    assert_eq!(place.get(&model, &format!("{host}\r\nSec-Fetch-Site: cross-site")), 403);
    assert_eq!(place.get(&format!("{}nothing", place.root), &host), 404);
    assert_eq!(place.get(&format!("{}api/walk", place.root), &host), 405);
}

#[test]
fn a_walk_and_what_is_seen_there() {
    let place = serve(PEOPLE);
    let (status, start) = place.post("walk", &json!({ "path": [] }));
    assert_eq!((status, start["choices"].as_array().map(Vec::len)), (200, Some(1)));
    let (_, there) = place.post("walk", &json!({ "path": [0, 0, 0] }));
    assert_eq!(there["steps"].as_array().map(Vec::len), Some(3));
    assert_eq!(there["length"], 3);
    let (_, later) = place.post("walk", &json!({ "path": [0, 0, 0], "from": 2 }));
    assert_eq!(later["steps"].as_array().map(Vec::len), Some(1));
    assert_eq!(later["state"], there["state"]);
    let (_, values) =
        place.post("eval", &json!({ "path": [0, 0], "expressions": ["x + 1", "len(q)", "nobody", ")"] }));
    let values = values["values"].as_array().expect("values").clone();
    assert_eq!((&values[0], &values[1]), (&json!({ "value": 2 }), &json!({ "value": 1 })));
    assert!(values[2]["wrong"].is_string() && values[3]["wrong"].is_string());
    let (_, graph) = place.post("graph", &json!({ "states": 500 }));
    assert_eq!(graph["cut"], Value::Null);
    let is_deadlock = |node: &&Value| node["kind"] == "deadlock";
    assert_eq!(graph["nodes"].as_array().expect("nodes").iter().filter(is_deadlock).count(), 1);
    let (_, part) = place.post("graph", &json!({ "states": 3 }));
    assert!(part["cut"].is_string(), "{part}");
}

#[test]
fn a_check_leads_to_its_error() {
    let place = serve(PEOPLE);
    let body = place.send(&place.post_head("check"), b"{}").1;
    let lines = lines(&body);
    let last = lines.last().expect("an answer");
    assert_eq!(last["report"]["verdict"], "violated", "{last}");
    let walk = &last["walks"][0];
    assert_eq!(walk["error"]["kind"], "deadlock");
    let (_, end) = place.post("walk", &json!({ "path": walk["path"] }));
    assert_eq!(end["ending"], "deadlock");
    assert!(end["state"]["processes"].to_string().contains("is empty"), "{end}");
    // Conditions beside the model, and a cycle.
    let ask = |question: &str| {
        let body = place.send(&place.post_head("check"), question.as_bytes()).1;
        self::lines(&body).last().cloned().expect("an answer")
    };
    let reached = ask(r#"{ "reach": "x == 3" }"#);
    assert_eq!(reached["walks"][0]["error"]["kind"], "reached", "{reached}");
    let broken = ask(r#"{ "invariant": "x < 3" }"#);
    assert_eq!(broken["report"]["verdict"], "violated");
    let cycle = ask(r#"{ "ltl": "<> (x == 9)" }"#);
    assert!(cycle["walks"][0]["error"]["cycle_start"].is_number(), "{cycle}");
    assert!(cycle["walks"][0]["path"].is_array());
}

#[test]
fn nonsense_does_no_harm() {
    let place = serve(PEOPLE);
    let deep = "(".repeat(1_900);
    let questions: Vec<(&str, Vec<u8>, u16)> = vec![
        ("walk", b"".to_vec(), 400),
        ("walk", b"{".to_vec(), 400),
        ("walk", b"[1, 2]".to_vec(), 400),
        ("walk", vec![0xff; 100], 400),
        ("walk", br#"{"path": [-1]}"#.to_vec(), 400),
        ("walk", br#"{"path": [99]}"#.to_vec(), 400),
        ("walk", br#"{"path": [4294967295]}"#.to_vec(), 400),
        ("walk", br#"{"path": [], "more": 1}"#.to_vec(), 400),
        ("walk", json!({ "path": vec![0; 20_000] }).to_string().into_bytes(), 422),
        ("walk", vec![b' '; 1 << 20], 413),
        ("eval", json!({ "path": [], "expressions": vec!["1"; 1000] }).to_string().into_bytes(), 422),
        ("eval", json!({ "path": [], "expressions": [deep] }).to_string().into_bytes(), 200),
        (
            "eval",
            json!({ "path": [], "expressions": ["1/0", "q", "", "x = 1", "run A()", "\u{0}"] })
                .to_string()
                .into_bytes(),
            200,
        ),
        ("graph", br#"{"states": -1}"#.to_vec(), 400),
        ("check", br#"{"property": "none such"}"#.to_vec(), 400),
        ("check", br#"{"ltl": "[] ("}"#.to_vec(), 400),
        ("check", br#"{"fairness": "total"}"#.to_vec(), 400),
        ("cancel", br#"{"search": 77}"#.to_vec(), 200),
    ];
    for (path, body, wanted) in &questions {
        let (status, answer) = place.send(&place.post_head(path), body);
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]);
        assert_eq!(status, *wanted, "{path} {shown}: {answer}");
        if status >= 400 {
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            assert!(answer["error"].is_string(), "{answer}");
        }
    }
    // Not even HTTP.
    let mut stream = TcpStream::connect(("127.0.0.1", place.port)).expect("somebody listens");
    stream.write_all(b"\x16\x03\x01 nonsense\r\n\r\n").expect("written");
    drop(stream);
    assert_eq!(place.post("walk", &json!({ "path": [0] })).0, 200);
}

/// Clients that begin a question and do not end it are let go, and take no place from others.
#[test]
fn slow_clients_are_let_go() {
    let place = serve_within(PEOPLE, Duration::from_millis(300));
    let connect = |text: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", place.port)).expect("somebody listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(text.as_bytes()).expect("written");
        stream
    };
    let head = format!("{}\r\nContent-Length: 100\r\n", place.post_head("walk"));
    let mut no_body = connect(&format!("{head}\r\n{{"));
    // More than there are places for.
    let others: Vec<TcpStream> =
        ["", "GET / HT", &head].iter().cycle().take(150).map(|text| connect(text)).collect();
    assert_eq!(place.post("walk", &json!({ "path": [0] })).0, 200);
    let mut answer = String::new();
    no_body.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("{\"error\":"), "{answer}");
    for mut other in others {
        let mut rest = Vec::new();
        let _ = other.read_to_end(&mut rest);
    }
}

#[test]
fn several_pages_at_once() {
    let place = serve(PEOPLE);
    std::thread::scope(|scope| {
        for page in 0..12 {
            let place = &place;
            scope.spawn(move || {
                for _ in 0..4 {
                    let path = vec![0; page % 3];
                    let (status, answer) = place.post("walk", &json!({ "path": path }));
                    assert_eq!((status, answer["length"].as_u64()), (200, Some((page % 3) as u64)));
                }
            });
        }
    });
}

#[test]
fn a_search_that_runs_away_is_stopped() {
    let place = serve(ENDLESS);
    // By its limit.
    let begun = Instant::now();
    let body = place.send(&place.post_head("check"), br#"{ "seconds": 1 }"#).1;
    let last = lines(&body).last().cloned().expect("an answer");
    assert_eq!(last["report"]["verdict"], "inconclusive", "{last}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // By somebody who asks.
    let question = json!({ "seconds": 30 });
    let (mut reader, search) = place.begin_check(&question);
    assert_eq!(place.post("cancel", &json!({ "search": search })).1["cancelled"], true);
    let mut rest = String::new();
    let _ = reader.read_to_string(&mut rest);
    assert_eq!(lines(&rest).last().expect("an answer")["report"]["verdict"], "inconclusive");
    // By pages that are closed: only so many run at a time, and these make room again.
    let running: Vec<_> = (0..2).map(|_| place.begin_check(&question)).collect();
    assert!(running.iter().all(|(_, search)| search.is_some()));
    assert_eq!(place.post("check", &question).0, 429);
    drop(running);
    let begun = Instant::now();
    while place.begin_check(&question).1.is_none() {
        assert!(begun.elapsed() < Duration::from_secs(10), "a closed page still has its search");
        std::thread::sleep(Duration::from_millis(50));
    }
}
