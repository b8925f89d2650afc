//! Reads JSON: as much as is needed to understand what Panoptes prints.

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value that the text is, if it is one.
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { rest: text.trim() };
        let value = reader.value()?;
        reader.rest.trim().is_empty().then_some(value)
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        if let Json::Number(n) = self { Some(*n) } else { None }
    }

    pub fn text(&self) -> Option<&str> {
        if let Json::Text(t) = self { Some(t) } else { None }
    }

    /// The items of a list; of anything else, none.
    pub fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    /// The members of an object; of anything else, none.
    pub fn members(&self) -> &[(String, Json)] {
        if let Json::Object(members) = self { members } else { &[] }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Option<Json> {
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))]
        {
            if self.take(word) {
                return Some(value);
            }
        }
        if self.take("[") {
            return self.list();
        }
        if self.take("{") {
            return self.object();
        }
        if self.rest.starts_with('"') {
            return self.string().map(Json::Text);
        }
        let end =
            self.rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.parse().ok().map(Json::Number)
    }

    fn list(&mut self) -> Option<Json> {
        let mut items = Vec::new();
        if self.take("]") {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            if self.take("]") {
                return Some(Json::List(items));
            }
            self.take(",").then_some(())?;
        }
    }

    fn object(&mut self) -> Option<Json> {
        let mut members = Vec::new();
        if self.take("}") {
            return Some(Json::Object(members));
        }
        loop {
            self.rest = self.rest.trim_start();
            let name = self.string()?;
            self.take(":").then_some(())?;
            members.push((name, self.value()?));
            if self.take("}") {
                return Some(Json::Object(members));
            }
            self.take(",").then_some(())?;
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take("\"").then_some(())?;
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[i + 1..];
                    return Some(text);
                }
                '\\' => match chars.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'u' => {
                        let code: String = (0..4).filter_map(|_| chars.next().map(|(_, c)| c)).collect();
                        text.push(
                            u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or('?'),
                        );
                    }
                    other => text.push(other),
                },
                other => text.push(other),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn reads_nested_values() {
        let json =
            Json::parse(r#" { "a": [1, -2.5, "x\"\u0041"], "b": { "c": true, "d": null } } "#).unwrap();
        assert_eq!(json.get("a").unwrap().items()[1].number(), Some(-2.5));
        assert_eq!(json.get("a").unwrap().items()[2].text(), Some("x\"A"));
        assert_eq!(json.get("b").unwrap().get("c"), Some(&Json::Bool(true)));
    }

    #[test]
    fn refuses_what_is_not_json() {
        assert_eq!(Json::parse("{ \"a\": }"), None);
        assert_eq!(Json::parse("[1, 2"), None);
        assert_eq!(Json::parse("1 2"), None);
    }
}
