//! Whether a bit array can have a bit of its own for each state that the model could have.

use panoptes_model::Model;
use panoptes_optimise::byte_values;
use panoptes_search::SearchOptions;
use panoptes_store::{BitStore, Digit, Digits};

/// The digits of states, if the array that is asked for, or allowed, has enough bits.
pub(crate) fn digits(model: &Model, options: &SearchOptions) -> Option<Digits> {
    let digit = |byte: panoptes_optimise::ByteValues| Digit {
        at: byte.at,
        low: byte.low,
        count: u16::from(byte.high - byte.low) + 1,
    };
    let digits = Digits::new(byte_values(model)?.into_iter().map(digit).collect())?;
    let bits_max = match (options.store.bits, options.memory_bytes) {
        (Some(bits), _) => bits,
        (None, Some(bytes)) => BitStore::bits_within(bytes),
        (None, None) => BitStore::BITS_DEFAULT,
    };
    (digits.numbers() <= bits_max).then_some(digits)
}
