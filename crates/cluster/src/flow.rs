//! The dataflow: one operator on each process, whose output comes back to its input, at another process if a letter is for that.
//!
//! ```text
//!      ┌──────────────────────────────────────────┐
//!      ▼                                          │ each time plus `later`
//!   letters ──by owner──▶ post office ──▶ feedback┘
//! ```
//!
//! The search itself does not run inside the operator: it borrows a model and an executor, which an operator cannot. The operator has a
//! box for letters that came and one for letters to go, and the search looks at both between two steps.
//!
//! A time can be sent at only by one who holds a *capability* for it, or gets one with a letter that comes. So when nobody holds any and
//! no letter is under way, nothing can come any more: that is how everybody learns that the search is over.

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::scheduling::Activator;
use timely::worker::Worker;

/// A letter under way.
#[derive(Clone, Serialize, Deserialize)]
struct Parcel {
    to: u64,
    bytes: Bytes,
}

/// Bytes that are copied at once, not one by one.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct AsBytes;
        impl Visitor<'_> for AsBytes {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(AsBytes)
    }
}

/// One process's end of the dataflow.
pub(crate) struct PostOffice {
    boxes: Rc<RefCell<Boxes>>,
    activator: Activator,
}

struct Boxes {
    /// With the times at which they came.
    arrived: Vec<(u64, Vec<u8>)>,
    to_go: Vec<Parcel>,
    held: Option<Capability<u64>>,
    /// What becomes of the capability when all letters have gone.
    then: Then,
    /// The least time at which something can still come; none if nothing can.
    earliest: Option<u64>,
}

/// What a process wants to be able to send at.
#[derive(Clone, Copy, Default)]
pub(crate) enum Then {
    #[default]
    Same,
    /// This time and later ones.
    From(u64),
    /// Nothing, unless something comes.
    Nothing,
}

impl PostOffice {
    /// A letter that goes out at a time arrives `later`. All processes build the same.
    pub fn open(worker: &mut Worker, later: u64) -> PostOffice {
        let (boxes, activator) = worker.dataflow::<u64, _, _>(|scope| {
            let (handle, letters) = scope.feedback::<Vec<Parcel>>(later);
            let mut inside = None;
            letters
                .unary_frontier::<CapacityContainerBuilder<Vec<Parcel>>, _, _, _>(
                    Exchange::new(|parcel: &Parcel| parcel.to),
                    "post office",
                    |capability, info| {
                        let boxes = Rc::new(RefCell::new(Boxes {
                            arrived: Vec::new(),
                            to_go: Vec::new(),
                            held: Some(capability),
                            then: Then::Same,
                            earliest: Some(0),
                        }));
                        inside = Some((boxes.clone(), info.address));
                        move |(input, frontier), output| {
                            let boxes = &mut *boxes.borrow_mut();
                            // First what was decided before anything else came.
                            if let Some(held) = &boxes.held {
                                let mut session = output.session(held);
                                boxes.to_go.drain(..).for_each(|parcel| session.give(parcel));
                            }
                            match std::mem::take(&mut boxes.then) {
                                Then::Same => {}
                                Then::From(time) => {
                                    boxes.held.iter_mut().for_each(|held| held.downgrade(&time));
                                }
                                Then::Nothing => boxes.held = None,
                            }
                            let Boxes { arrived, held, .. } = boxes;
                            input.for_each(|capability, parcels| {
                                let time = *capability.time();
                                if held.as_ref().is_none_or(|held| time < *held.time()) {
                                    *held = Some(capability.retain(0));
                                }
                                arrived.extend(parcels.drain(..).map(|parcel| (time, parcel.bytes.0)));
                            });
                            boxes.earliest = frontier.frontier().iter().min().copied();
                        }
                    },
                )
                .connect_loop(handle);
            let (boxes, address) = inside.expect("the operator was made");
            let activator = scope.activator_for(address);
            (boxes, activator)
        });
        PostOffice { boxes, activator }
    }

    /// Sends what is to go, if anything is, and looks what has come.
    pub fn step(&self, worker: &mut Worker) {
        let boxes = self.boxes.borrow();
        let is_due = !boxes.to_go.is_empty() || !matches!(boxes.then, Then::Same);
        drop(boxes);
        if is_due {
            self.activator.activate();
        }
        worker.step();
    }

    /// Waits until something happens, not for long. (An operator that is woken makes work for others, so who would wake it in each
    /// turn would never sleep.)
    pub fn wait(&self, worker: &mut Worker, longest: Duration) {
        let start = Instant::now();
        worker.step_or_park(Some(longest));
        if start.elapsed() >= longest {
            self.activator.activate();
        }
    }

    /// The letters that came, each with its time.
    pub fn take_arrived(&self) -> Vec<(u64, Vec<u8>)> {
        std::mem::take(&mut self.boxes.borrow_mut().arrived)
    }

    /// The time at which this process may send now, if it may.
    pub fn time(&self) -> Option<u64> {
        self.boxes.borrow().held.as_ref().map(|held| *held.time())
    }

    /// The least time at which something can still come; none if nothing can.
    pub fn earliest(&self) -> Option<u64> {
        self.boxes.borrow().earliest
    }

    /// These go out at the time that is held, which becomes another then.
    pub fn send(&self, letters: impl IntoIterator<Item = panoptes_search::Letter>, then: Then) {
        let boxes = &mut *self.boxes.borrow_mut();
        let parcels =
            letters.into_iter().map(|letter| Parcel { to: letter.to as u64, bytes: Bytes(letter.bytes) });
        boxes.to_go.extend(parcels);
        boxes.then = then;
    }
}
