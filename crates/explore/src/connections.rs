//! Connections: how many there may be, and how long one that is slow may take to ask.

use crate::Refusal;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_stream::Stream;

/// Connections at a time; more wait until one is closed.
const CONNECTIONS_MAX: usize = 64;
/// How long a client may take to send the head of a question, and again for its body, unless another time is set. One that sends
/// nothing is let go after that time, too.
pub(crate) const QUESTION_TIME: Duration = Duration::from_secs(15);
/// After a failure to accept a connection, as when there are no descriptors left.
const PAUSE: Duration = Duration::from_millis(200);

/// Answers until the program ends.
pub(crate) async fn serve(listener: TcpListener, router: Router, time: Duration) -> std::io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let place = places.clone().acquire_owned().await.map_err(std::io::Error::other)?;
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let _place = place;
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(time);
            // A client that goes away, or talks something else, is no concern of ours.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The whole body of a question, of at most `longest` bytes.
pub(crate) async fn body(body: Body, longest: usize, time: Duration) -> Result<Bytes, Refusal> {
    let too_slow = |_| Refusal {
        status: StatusCode::REQUEST_TIMEOUT,
        message: format!("the question did not arrive within {time:?}"),
    };
    tokio::time::timeout(time, read(body, longest)).await.map_err(too_slow)?
}

async fn read(body: Body, longest: usize) -> Result<Bytes, Refusal> {
    let too_long = || Refusal {
        status: StatusCode::PAYLOAD_TOO_LARGE,
        message: format!("the question is too long: {longest} bytes are the most"),
    };
    let mut all = Vec::new();
    let mut parts = body.into_data_stream();
    while let Some(part) = poll_fn(|context| Pin::new(&mut parts).poll_next(context)).await {
        let part = part.map_err(|error| Refusal::wrong(format!("the question is malformed: {error}")))?;
        if all.len() + part.len() > longest {
            return Err(too_long());
        }
        all.extend_from_slice(&part);
    }
    Ok(all.into())
}
