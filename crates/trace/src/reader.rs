//! Reads saved traces a step at a time: a file may be far larger than memory.

use crate::file::{FORMAT, LIST_FORMAT, TraceFileError, VERSION};
use crate::{Origin, Trace, TraceStep};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, error::Category};
use std::fmt;
use std::io::Read;
use std::ops::ControlFlow;

/// Reads a trace or a list of traces. `visit` is given each step with the number of its trace in the file, from zero; when
/// it breaks off, nothing more is read. The traces that come back have no steps, and those that were not read to their end
/// have no end either.
pub fn scan(
    reader: impl Read,
    visit: &mut dyn FnMut(usize, TraceStep) -> ControlFlow<()>,
) -> Result<Vec<Trace>, TraceFileError> {
    let mut scan = Scan { visit, traces: Vec::new(), problem: None, is_stopped: false };
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    let read = Top(&mut scan).deserialize(&mut deserializer).and_then(|()| match scan.is_stopped {
        true => Ok(()),
        false => deserializer.end(),
    });
    match (scan.problem, read) {
        (Some(problem), _) => Err(problem),
        (None, Err(error)) if !scan.is_stopped => Err(match error.classify() {
            Category::Syntax | Category::Eof => TraceFileError::NotJson {
                line: error.line(),
                column: error.column(),
                message: error.to_string(),
            },
            Category::Io => TraceFileError::Unreadable(error.to_string()),
            Category::Data => TraceFileError::Malformed(error.to_string()),
        }),
        _ => Ok(scan.traces),
    }
}

struct Scan<'v> {
    visit: &'v mut dyn FnMut(usize, TraceStep) -> ControlFlow<()>,
    traces: Vec<Trace>,
    /// What is wrong, where that is no mistake of the JSON.
    problem: Option<TraceFileError>,
    is_stopped: bool,
}

impl Scan<'_> {
    /// Ends the reading with a problem; the error itself is never shown.
    fn fail<E: Error>(&mut self, problem: TraceFileError) -> E {
        self.problem.get_or_insert(problem);
        E::custom("not a trace")
    }
}

/// Whatever stands in the file.
struct Top<'s, 'v>(&'s mut Scan<'v>);

impl<'de> DeserializeSeed<'de> for Top<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// What is known of a trace so far.
#[derive(Default)]
struct Fields {
    is_trace: bool,
    is_list: bool,
    has_version: bool,
    origin: Map<String, Value>,
    number: Option<usize>,
    error: Option<crate::TraceError>,
    length: Option<usize>,
    initial: Option<crate::Snapshot>,
    steps: Option<usize>,
    end: Option<crate::Snapshot>,
    /// It ends before its end.
    cut: bool,
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a trace")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut fields = Fields::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" => match map.next_value::<Value>()?.as_str() {
                    Some(FORMAT) => fields.is_trace = true,
                    Some(LIST_FORMAT) => fields.is_list = true,
                    _ => return Err(self.0.fail(TraceFileError::NotATrace)),
                },
                "version" => {
                    let version = map.next_value::<Value>()?;
                    if version.as_u64() != Some(VERSION) {
                        return Err(self.0.fail(TraceFileError::UnknownVersion(version.to_string())));
                    }
                    fields.has_version = true;
                }
                "traces" => map.next_value_seed(List(self.0))?,
                "number" => fields.number = map.next_value()?,
                "error" => fields.error = map.next_value()?,
                "length" => fields.length = map.next_value()?,
                "initial" => fields.initial = map.next_value()?,
                "end" => fields.end = map.next_value()?,
                "cut" => fields.cut = map.next_value()?,
                "steps" => {
                    let mut count = 0;
                    let read = map.next_value_seed(Steps(self.0, &mut count));
                    fields.steps = Some(count);
                    if self.0.is_stopped {
                        // What is known by now is all that is wanted.
                        fields.length = fields.length.or(Some(count));
                        return self.finish(fields, true);
                    }
                    read?;
                }
                _ => {
                    fields.origin.insert(key, map.next_value()?);
                }
            }
            if self.0.is_stopped {
                return Ok(());
            }
        }
        self.finish(fields, false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Err(self.0.fail(TraceFileError::NotATrace))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Err(self.0.fail(TraceFileError::NotATrace))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Err(self.0.fail(TraceFileError::NotATrace))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Err(self.0.fail(TraceFileError::NotATrace))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Err(self.0.fail(TraceFileError::NotATrace))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Err(self.0.fail(TraceFileError::NotATrace))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Err(self.0.fail(TraceFileError::NotATrace))
    }
}

impl Top<'_, '_> {
    /// The object has been read, or as much of it as is wanted.
    fn finish<E: Error>(self, fields: Fields, is_cut: bool) -> Result<(), E> {
        let missing = |name: &str| TraceFileError::Malformed(format!("missing field `{name}`"));
        if !fields.is_trace && !fields.is_list {
            return Err(self.0.fail(TraceFileError::NotATrace));
        }
        if !fields.has_version {
            return Err(self.0.fail(missing("version")));
        }
        if fields.is_list {
            return Ok(());
        }
        let origin: Origin = match serde_json::from_value(Value::Object(fields.origin)) {
            Ok(origin) => origin,
            Err(error) => return Err(self.0.fail(TraceFileError::Malformed(error.to_string()))),
        };
        let Some(length) = fields.length else { return Err(self.0.fail(missing("length"))) };
        let Some(count) = fields.steps else { return Err(self.0.fail(missing("steps"))) };
        if fields.cut {
            return Err(self.0.fail(TraceFileError::Cut { steps: count, length }));
        }
        if length != count && !is_cut {
            let message = format!("`length` says {length}, but `steps` has {count}");
            return Err(self.0.fail(TraceFileError::Malformed(message)));
        }
        let Fields { number, error, initial, end, .. } = fields;
        self.0.traces.push(Trace { origin, number, error, length, initial, steps: Vec::new(), end });
        Ok(())
    }
}

/// The traces of a list.
struct List<'s, 'v>(&'s mut Scan<'v>);

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of traces")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Top(self.0))?.is_some() {}
        Ok(())
    }
}

/// The steps of a trace, counted.
struct Steps<'s, 'v, 'c>(&'s mut Scan<'v>, &'c mut usize);

impl<'de> DeserializeSeed<'de> for Steps<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Steps<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of steps")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(step) = seq.next_element::<TraceStep>()? {
            *self.1 += 1;
            if (self.0.visit)(self.0.traces.len(), step).is_break() {
                self.0.is_stopped = true;
                return Err(A::Error::custom("enough was read"));
            }
        }
        Ok(())
    }
}
