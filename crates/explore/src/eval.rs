//! The values of expressions where a walk has come to. They are read by the model's own front end, as those of `--invariant` are.

use crate::Refusal;
use crate::explorer::Explorer;
use crate::text::ExtraProperties;
use crate::walk::follow;
use serde::{Deserialize, Serialize};

/// So many expressions at a time …
const EXPRESSIONS_MAX: usize = 32;
/// … each of so many bytes.
const EXPRESSION_BYTES_MAX: usize = 2_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvalQuestion {
    pub path: Vec<u32>,
    pub expressions: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct EvalAnswer {
    /// One for each expression.
    pub values: Vec<ValueAnswer>,
}

/// A value, or what is wrong.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueAnswer {
    Value(i32),
    Wrong(String),
}

impl Explorer {
    pub(crate) fn evaluate(&self, question: &EvalQuestion) -> Result<EvalAnswer, Refusal> {
        if question.expressions.len() > EXPRESSIONS_MAX {
            return Err(Refusal::too_much(format!("at most {EXPRESSIONS_MAX} expressions at a time")));
        }
        let values = question.expressions.iter().map(|text| self.value(&question.path, text));
        Ok(EvalAnswer { values: values.collect::<Result<_, _>>()? })
    }

    fn value(&self, path: &[u32], text: &str) -> Result<ValueAnswer, Refusal> {
        if text.len() > EXPRESSION_BYTES_MAX {
            return Ok(ValueAnswer::Wrong(format!("longer than {EXPRESSION_BYTES_MAX} bytes")));
        }
        // The expression may add to what a state holds (`_last`), so the walk goes through the model that has it.
        let extra = ExtraProperties { invariants: vec![text.to_string()], ..ExtraProperties::default() };
        let loaded = match self.text.load_with_extra(extra) {
            Ok(loaded) => loaded,
            Err(message) => return Ok(ValueAnswer::Wrong(message)),
        };
        let Some(invariant) = loaded.model.invariants.last() else {
            return Ok(ValueAnswer::Wrong("no expression".to_string()));
        };
        let state = self.with_walk(&loaded, |walk| {
            follow(walk, path, &mut |_, _| ())?;
            Ok(walk.place().configuration().0)
        })?;
        let value = self.executor(&loaded).value(&state, &invariant.condition, invariant.span);
        Ok(match value {
            Ok(value) => ValueAnswer::Value(value),
            Err(fault) => ValueAnswer::Wrong(format!("it has no value here: {}", fault.message)),
        })
    }
}
