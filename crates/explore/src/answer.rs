//! Why a question has no answer.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use panoptes_trace::ReplayError;
use serde_json::json;

/// A question that is not answered, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: StatusCode,
    pub message: String,
}

impl Refusal {
    /// The question itself is wrong.
    pub fn wrong(message: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    /// It would take too much.
    pub fn too_much(message: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::UNPROCESSABLE_ENTITY, message: message.into() }
    }

    /// Others are being answered.
    pub fn busy(message: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::TOO_MANY_REQUESTS, message: message.into() }
    }

    /// A mistake of this program.
    pub fn internal(message: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::INTERNAL_SERVER_ERROR, message: message.into() }
    }
}

impl From<ReplayError> for Refusal {
    fn from(error: ReplayError) -> Refusal {
        match error {
            ReplayError::Interrupted => Refusal::too_much("a step takes longer than the page waits"),
            error => Refusal::wrong(format!("the walk is not possible: {error}")),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.message }))).into_response()
    }
}
