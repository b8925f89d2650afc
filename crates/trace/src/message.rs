//! The one way in which a message is written, wherever it is shown.

/// `ack`, `7`, `msg(1,2)`, `(3,1)`: a name with its fields behind it, or the fields alone. The values are written as the source
/// writes them.
pub fn message_text(values: &[String]) -> String {
    match values {
        [] => "()".to_string(),
        [only] => only.clone(),
        [name, rest @ ..] if is_name(name) => format!("{name}({})", rest.join(",")),
        _ => format!("({})", values.join(",")),
    }
}

/// `[msg(1), ack]`: what a channel holds, oldest message first.
pub fn contents_text(messages: &[Vec<String>]) -> String {
    let messages: Vec<String> = messages.iter().map(|values| message_text(values)).collect();
    format!("[{}]", messages.join(", "))
}

/// What names a kind of message; a truth value does not.
fn is_name(text: &str) -> bool {
    let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_word && text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !matches!(text, "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: &[&str]) -> String {
        message_text(&values.iter().map(|value| value.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn a_message_is_written_in_one_way() {
        assert_eq!([text(&["ack"]), text(&["7"])], ["ack", "7"]);
        assert_eq!([text(&["msg", "1", "2"]), text(&["3", "1"])], ["msg(1,2)", "(3,1)"]);
        assert_eq!([text(&["true", "1"]), text(&["P[0].c", "1"])], ["(true,1)", "(P[0].c,1)"]);
    }

    #[test]
    fn contents_are_a_list() {
        let messages = [vec!["msg".to_string(), "1".to_string()], vec!["2".to_string()]];
        assert_eq!([contents_text(&messages), contents_text(&[])], ["[msg(1), 2]", "[]"]);
    }
}
