//! The explorer behind HTTP, on loopback.

use crate::eval::EvalQuestion;
use crate::explorer::Explorer;
use crate::graph::{Graph, GraphLimits};
use crate::guard::Guard;
use crate::search::SearchQuestion;
use crate::walk::WalkQuestion;
use crate::{Refusal, connections, page};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::Stream;

/// The largest question, in bytes.
const QUESTION_MAX: usize = 256 << 10;
/// Questions that are answered at a time; others wait.
const ANSWERS_MAX: usize = 4;
/// Searches at a time; others are refused.
const SEARCHES_MAX: usize = 2;
/// Lines of a search that wait to be read. More are left out, but for the last.
const LINES_MAX: usize = 64;
/// How long the last line waits for somebody to read those before it, and how often it looks.
const LAST_LINE_TIME: Duration = Duration::from_secs(30);
const LAST_LINE_PAUSE: Duration = Duration::from_millis(20);
/// Front ends and executors follow expressions to their depth.
const STACK_BYTES: usize = 64 << 20;
/// The largest graph that can be asked for, and how long that may take.
const GRAPH_STATES_MAX: usize = 2_000;
const GRAPH_TIME: Duration = Duration::from_secs(10);

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    guard: Guard,
    address: SocketAddr,
    question_time: Duration,
}

struct Shared {
    explorer: Explorer,
    answers: Semaphore,
    searches: Arc<Semaphore>,
    /// The searches that run, and how each is stopped.
    running: Mutex<HashMap<u64, Arc<AtomicBool>>>,
    next_search: AtomicU64,
}

impl Server {
    /// Listens on loopback; port 0 is one that is free.
    pub fn bind(port: u16) -> std::io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let guard = Guard::new(address.port())?;
        Ok(Server { listener, guard, address, question_time: connections::QUESTION_TIME })
    }

    /// Sets how long a client may take to send the head of a question, and again for its body.
    pub fn set_question_time(&mut self, time: Duration) {
        self.question_time = time;
    }

    /// What to open in a browser.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.guard.token())
    }

    /// Answers until the program ends.
    pub fn serve(self, explorer: Explorer) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(ANSWERS_MAX + SEARCHES_MAX + 2)
            .thread_stack_size(STACK_BYTES)
            .build()?;
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let router = router(explorer, self.guard, self.question_time);
            connections::serve(listener, router, self.question_time).await
        })
    }
}

fn router(explorer: Explorer, guard: Guard, time: Duration) -> Router {
    let shared = Arc::new(Shared {
        explorer,
        answers: Semaphore::new(ANSWERS_MAX),
        searches: Arc::new(Semaphore::new(SEARCHES_MAX)),
        running: Mutex::default(),
        next_search: AtomicU64::new(1),
    });
    let at = |path: &str| format!("/{}/{path}", guard.token());
    let mut router = Router::new();
    for name in page::names() {
        router = router.route(&at(name), get(move || async move { page::file(name) }));
    }
    router
        .route(&at("api/model"), get(model))
        .route(&at("api/walk"), post(walk))
        .route(&at("api/eval"), post(eval))
        .route(&at("api/graph"), post(graph))
        .route(&at("api/check"), post(check))
        .route(&at("api/cancel"), post(cancel))
        .fallback(|| async {
            Refusal { status: StatusCode::NOT_FOUND, message: "there is no such page".into() }
        })
        .method_not_allowed_fallback(|| async {
            Refusal { status: StatusCode::METHOD_NOT_ALLOWED, message: "not in this way".into() }
        })
        .layer(middleware::from_fn_with_state(Arc::new((guard, time)), admit))
        .with_state(shared)
}

/// Refuses others, and tells browsers to load nothing from elsewhere.
async fn admit(State(rules): State<Arc<(Guard, Duration)>>, request: Request, next: Next) -> Response {
    let (guard, time) = &*rules;
    let mut response = match guard.admits(request.uri().path(), request.headers()) {
        Ok(()) if [Method::GET, Method::POST].contains(request.method()) => {
            let (head, body) = request.into_parts();
            match connections::body(body, QUESTION_MAX, *time).await {
                Ok(body) => next.run(Request::from_parts(head, body.into())).await,
                Err(refusal) => refusal.into_response(),
            }
        }
        Ok(()) => Refusal { status: StatusCode::METHOD_NOT_ALLOWED, message: "not in this way".into() }
            .into_response(),
        Err((status, message)) => Refusal { status, message: message.to_string() }.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

type Answer = Result<Json<Value>, Refusal>;

async fn model(State(shared): State<Arc<Shared>>) -> Answer {
    answer(shared, |explorer| to_value(&explorer.describe())).await
}

async fn walk(State(shared): State<Arc<Shared>>, body: Bytes) -> Answer {
    let question: WalkQuestion = read(&body)?;
    answer(shared, move |explorer| to_value(&explorer.walk(&question)?)).await
}

async fn eval(State(shared): State<Arc<Shared>>, body: Bytes) -> Answer {
    let question: EvalQuestion = read(&body)?;
    answer(shared, move |explorer| to_value(&explorer.evaluate(&question)?)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphQuestion {
    states: usize,
}

async fn graph(State(shared): State<Arc<Shared>>, body: Bytes) -> Answer {
    let question: GraphQuestion = read(&body)?;
    answer(shared, move |explorer| {
        let limits = GraphLimits {
            states: question.states.clamp(1, GRAPH_STATES_MAX),
            until: Instant::now().checked_add(GRAPH_TIME),
        };
        let loaded = &explorer.loaded;
        let mut executor = explorer.executor(loaded);
        let graph = Graph::of(&loaded.model, &loaded.sources, &mut executor, &limits);
        to_value(&graph.map_err(Refusal::wrong)?)
    })
    .await
}

/// What the question says; whatever is wrong with it is said.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::wrong(format!("the question is malformed: {error}")))
}

fn to_value(answer: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(answer).map_err(|error| Refusal::internal(error.to_string()))
}

/// Computes an answer beside the thread that listens. If that fails in an unforeseen way, the server goes on.
async fn answer(
    shared: Arc<Shared>,
    compute: impl FnOnce(&Explorer) -> Result<Value, Refusal> + Send + 'static,
) -> Answer {
    let _permit = shared.answers.acquire().await.map_err(|error| Refusal::internal(error.to_string()))?;
    let of_thread = shared.clone();
    let computed = tokio::task::spawn_blocking(move || compute(&of_thread.explorer)).await;
    computed.unwrap_or_else(|_| Err(Refusal::internal("the answer could not be computed"))).map(Json)
}

async fn check(State(shared): State<Arc<Shared>>, body: Bytes) -> Result<Response, Refusal> {
    let question: SearchQuestion = read(&body)?;
    let permit = shared.searches.clone().try_acquire_owned().map_err(|_| {
        Refusal::busy(format!("{SEARCHES_MAX} searches are running: wait for one of them, or stop it"))
    })?;
    let of_thread = shared.clone();
    let prepared = tokio::task::spawn_blocking(move || of_thread.explorer.prepare(question)).await;
    let prepared = prepared.unwrap_or_else(|_| Err(Refusal::internal("the model could not be read")))?;
    let stop = Arc::new(AtomicBool::new(false));
    let number = shared.next_search.fetch_add(1, Ordering::Relaxed);
    shared.note(number, Some(stop.clone()));
    let (sender, receiver) = mpsc::channel(LINES_MAX);
    let line = |value: &Value| Bytes::from(format!("{value}\n"));
    // There is room: nothing was sent.
    let _ = sender.try_send(line(&json!({ "search": number })));
    let lines = Lines { receiver, stop: stop.clone() };
    tokio::task::spawn_blocking(move || {
        let _permit = permit;
        // Also when the search fails in an unforeseen way.
        let _running = Running { shared: shared.clone(), number };
        let mut tell = |value: Value, is_last: bool| {
            let mut unsent = sender.try_send(line(&value));
            // The last one waits for its reader, but not for ever: it keeps the place of a search.
            let until = Instant::now() + LAST_LINE_TIME;
            while let Err(TrySendError::Full(line)) = unsent
                && is_last
                && Instant::now() < until
            {
                std::thread::sleep(LAST_LINE_PAUSE);
                unsent = sender.try_send(line);
            }
        };
        shared.explorer.run(&prepared, &stop, &mut tell);
    });
    let mut response = Body::from_stream(lines).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    Ok(response)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CancelQuestion {
    search: u64,
}

async fn cancel(State(shared): State<Arc<Shared>>, body: Bytes) -> Answer {
    let CancelQuestion { search } = read(&body)?;
    let running = shared.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let stop = running.get(&search);
    if let Some(stop) = stop {
        stop.store(true, Ordering::SeqCst);
    }
    Ok(Json(json!({ "cancelled": stop.is_some() })))
}

impl Shared {
    /// The search has begun, or ended.
    fn note(&self, number: u64, stop: Option<Arc<AtomicBool>>) {
        let mut running = self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match stop {
            Some(stop) => running.insert(number, stop),
            None => running.remove(&number),
        };
    }
}

/// Stands for a search that runs.
struct Running {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.note(self.number, None);
    }
}

/// The lines of a search. When nobody reads them any more, the search ends.
struct Lines {
    receiver: mpsc::Receiver<Bytes>,
    stop: Arc<AtomicBool>,
}

impl Stream for Lines {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|line| line.map(Ok))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}
