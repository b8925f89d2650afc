//! The estimate before a search, for `show`: how many states there could be, and what makes them so many.

use crate::human;
use panoptes_check::{Count, Sizes};
use panoptes_model::Model;
use serde_json::{Value, json};

/// So many machines or channels are named on a line.
const NAMED_MAX: usize = 12;

/// Four lines under a title.
pub fn estimate_text(model: &Model, sizes: &Sizes) -> String {
    let machines = sizes.machines.iter().map(|machine| {
        let name = &model.process(machine.process).name;
        let times = if machine.instances > 1 { format!(" × {}", machine.instances) } else { String::new() };
        format!("{name} {}{times}", human::count(machine.states))
    });
    let channels = sizes.channels.iter().map(|channel| {
        let owner = channel.process.map(|id| format!("{}:", model.process(id).name)).unwrap_or_default();
        format!("{owner}{} {}", channel.name, number(channel.contents))
    });
    let mut out = String::from("\nestimate, of the machines that are searched\n");
    out += &format!("  control states  {}\n", product(machines.collect(), sizes.control));
    if !sizes.channels.is_empty() {
        out += &format!("  channels        {}\n", product(channels.collect(), sizes.contents));
    }
    out += &format!("  variables       {}\n", number(sizes.values));
    let bound = if sizes.is_open { "with one process of each type that starts later, " } else { "" };
    out += &format!("  states          {bound}at most {}\n", number(sizes.states));
    let (bits, bytes) = (human::plural(sizes.bits, "bit"), human::plural(sizes.vector_bytes.into(), "byte"));
    out += &format!("  vector          {bits} if none is wasted; {bytes} as it is, at the start\n");
    out
}

/// `sender 5, receiver 9; together 45`.
fn product(parts: Vec<String>, all: Count) -> String {
    let named = parts.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    match parts.len() {
        0 => "none".to_string(),
        1 if !named.contains('×') => named,
        count if count > NAMED_MAX => {
            format!("{named} and {} more; together {}", count - NAMED_MAX, number(all))
        }
        _ => format!("{named}; together {}", number(all)),
    }
}

/// In full up to a million million, and then as a power of two.
fn number(count: Count) -> String {
    match count.number.and_then(|number| u64::try_from(number).ok()).filter(|number| *number < 1 << 40) {
        Some(number) => human::count(number),
        None => format!("2^{:.1}", count.log2),
    }
}

/// `{ "machines", "control_states", "channels", "channel_contents", "variable_values", "states", "bits", "vector_bytes",
/// "open" }`.
pub fn estimate_json(model: &Model, sizes: &Sizes) -> Value {
    let machine = |machine: &panoptes_check::MachineSize| {
        let name = &model.process(machine.process).name;
        json!({ "name": name, "instances": machine.instances, "states": machine.states })
    };
    let channel = |channel: &panoptes_check::ChannelSize| {
        let process = channel.process.map(|id| &model.process(id).name);
        json!({ "name": channel.name, "process": process, "contents": json_number(channel.contents) })
    };
    json!({
        "machines": sizes.machines.iter().map(machine).collect::<Vec<_>>(),
        "control_states": json_number(sizes.control),
        "channels": sizes.channels.iter().map(channel).collect::<Vec<_>>(),
        "channel_contents": json_number(sizes.contents),
        "variable_values": json_number(sizes.values),
        "states": json_number(sizes.states),
        "bits": sizes.bits,
        "vector_bytes": sizes.vector_bytes,
        "open": sizes.is_open,
    })
}

/// A whole number while every reader of JSON keeps it whole; then as near as a float comes; null beyond that.
fn json_number(count: Count) -> Value {
    match count.number.and_then(|number| u64::try_from(number).ok()).filter(|number| *number < 1 << 53) {
        Some(number) => json!(number),
        None => json!(Some(count.log2.exp2()).filter(|number| number.is_finite())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_as_long_as_they_can_be() {
        let large = Count::new(1 << 30).power(2);
        let huge = large.power(30);
        assert_eq!(
            (number(Count::new(5_040)), json_number(Count::new(5_040))),
            ("5,040".into(), json!(5_040))
        );
        assert_eq!((number(large), json_number(large)), ("2^60.0".into(), json!(60f64.exp2())));
        assert_eq!((number(huge), json_number(huge)), ("2^1800.0".into(), Value::Null));
    }
}
