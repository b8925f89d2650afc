//! Values as JSON has them: numbers as numbers, truth values as such, names as strings, messages as lists.

use crate::{ChannelContents, Value};
use serde_json::{Map, Value as Json};

/// `7` is a number, `true` a truth value, all else a string.
pub(crate) fn typed(text: &str) -> Json {
    match text {
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ => text.parse::<i64>().map_or_else(|_| Json::String(text.to_string()), Json::from),
    }
}

/// A list of messages, each a list of its fields.
pub(crate) fn messages(messages: &[Vec<String>]) -> Json {
    messages.iter().map(|fields| fields.iter().map(|field| typed(field)).collect::<Json>()).collect()
}

/// All of a state by name: variables, arrays as lists, channels as lists of messages.
pub(crate) fn state(variables: &[Value], channels: &[ChannelContents]) -> Map<String, Json> {
    let mut all = Map::new();
    for Value { name, value } in variables {
        match element(name) {
            // The elements of an array come in order.
            Some((array, index)) => match all.get_mut(array) {
                Some(Json::Array(list)) if list.len() == index => list.push(typed(value)),
                None if index == 0 => {
                    all.insert(array.to_string(), Json::Array(vec![typed(value)]));
                }
                _ => {
                    all.insert(name.clone(), typed(value));
                }
            },
            None => {
                all.insert(name.clone(), typed(value));
            }
        }
    }
    for channel in channels.iter().filter(|channel| channel.capacity > 0) {
        all.insert(channel.name.clone(), messages(&channel.messages));
    }
    all
}

/// `a[2]` is element 2 of `a`.
fn element(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_state_has_structure() {
        let value = |name: &str, value: &str| Value { name: name.into(), value: value.into() };
        let variables = [value("a[0]", "1"), value("a[1]", "2"), value("on", "true"), value("P[0].m", "ack")];
        let message = vec!["msg".to_string(), "1".to_string()];
        let channels = [ChannelContents { name: "q".into(), capacity: 2, messages: vec![message] }];
        let expected = json!({ "a": [1, 2], "on": true, "P[0].m": "ack", "q": [["msg", 1]] });
        assert_eq!(Json::Object(state(&variables, &channels)), expected);
    }
}
