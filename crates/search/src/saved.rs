//! What a search writes into a checkpoint and reads again: its small parts, each as an image of its own. The large ones (visited set,
//! frontier, parent links) do so beside their structures.

use crate::{Bitset, Finding, FindingKind, Path, Statistics};
use panoptes_exec::{Fault, FaultKind, Step, Stuck};
use panoptes_model::{Model, ProcId, StateId, TransId};
use panoptes_source::Span;
use panoptes_store::{ImageReader, ImageWriter, StateRef, damaged, hash_seeded};
use std::fmt::{self, Write};
use std::io;

pub(crate) trait Saved: Sized {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()>;
    fn load(image: &mut ImageReader) -> io::Result<Self>;
}

/// A structure is saved field by field.
macro_rules! saved {
    ($type:ident { $($field:ident),* }) => {
        impl $crate::saved::Saved for $type {
            fn save(&self, image: &mut panoptes_store::ImageWriter) -> std::io::Result<()> {
                $($crate::saved::Saved::save(&self.$field, image)?;)*
                Ok(())
            }

            fn load(image: &mut panoptes_store::ImageReader) -> std::io::Result<Self> {
                Ok($type { $($field: $crate::saved::Saved::load(image)?),* })
            }
        }
    };
}
pub(crate) use saved;

/// A number is saved as it is.
macro_rules! number {
    ($type:ident) => {
        impl Saved for $type {
            #[inline]
            fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
                image.$type(*self)
            }

            #[inline]
            fn load(image: &mut ImageReader) -> io::Result<Self> {
                image.$type()
            }
        }
    };
}

number!(bool);
number!(u32);
number!(u64);
number!(usize);
number!(f64);

macro_rules! small_number {
    ($type:ident as $wide:ident) => {
        impl Saved for $type {
            fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
                (*self as $wide).save(image)
            }

            fn load(image: &mut ImageReader) -> io::Result<Self> {
                Ok($wide::load(image)? as $type)
            }
        }
    };
}

small_number!(u8 as u32);
small_number!(u16 as u32);
small_number!(i32 as u32);

impl Saved for String {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.bytes(self.as_bytes())
    }

    fn load(image: &mut ImageReader) -> io::Result<String> {
        image.text()
    }
}

impl<T: Saved> Saved for Vec<T> {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.list(self.iter(), |image, item| item.save(image))
    }

    fn load(image: &mut ImageReader) -> io::Result<Vec<T>> {
        image.list(T::load)
    }
}

impl<T: Saved> Saved for Option<T> {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.is_some().save(image)?;
        self.iter().try_for_each(|value| value.save(image))
    }

    fn load(image: &mut ImageReader) -> io::Result<Option<T>> {
        bool::load(image)?.then(|| T::load(image)).transpose()
    }
}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.0.save(image)?;
        self.1.save(image)
    }

    fn load(image: &mut ImageReader) -> io::Result<(A, B)> {
        Ok((A::load(image)?, B::load(image)?))
    }
}

impl Saved for StateRef {
    #[inline]
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.bits().save(image)
    }

    #[inline]
    fn load(image: &mut ImageReader) -> io::Result<StateRef> {
        u64::load(image).map(StateRef::of_image)
    }
}

macro_rules! id {
    ($($type:ident),*) => {
        $(impl Saved for $type {
            fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
                self.0.save(image)
            }

            fn load(image: &mut ImageReader) -> io::Result<Self> {
                u32::load(image).map($type)
            }
        })*
    };
}

id!(ProcId, StateId, TransId);
saved!(Step { pid, transition, partner });
saved!(Stuck { process, state, channel, head });
saved!(Fault { kind, message, span });

impl Saved for Span {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.numbers().iter().try_for_each(|number| number.save(image))
    }

    fn load(image: &mut ImageReader) -> io::Result<Span> {
        Ok(Span::of_numbers([image.u32()?, image.u32()?, image.u32()?, image.u32()?]))
    }
}

impl Saved for FaultKind {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        let place = FaultKind::ALL.iter().position(|kind| kind == self);
        place.expect("all kinds are listed").save(image)
    }

    fn load(image: &mut ImageReader) -> io::Result<FaultKind> {
        FaultKind::ALL.get(image.usize()?).copied().ok_or_else(|| damaged("a kind of error is not known"))
    }
}

impl Saved for FindingKind {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        match self {
            FindingKind::Deadlock => (true, None),
            FindingKind::Witness => (false, None),
            FindingKind::Fault(kind) => (false, Some(*kind)),
        }
        .save(image)
    }

    fn load(image: &mut ImageReader) -> io::Result<FindingKind> {
        Ok(match Saved::load(image)? {
            (_, Some(kind)) => FindingKind::Fault(kind),
            (true, None) => FindingKind::Deadlock,
            (false, None) => FindingKind::Witness,
        })
    }
}

impl Saved for Path {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.iter().collect::<Vec<Step>>().save(image)
    }

    fn load(image: &mut ImageReader) -> io::Result<Path> {
        Ok(Vec::<Step>::load(image)?.into_iter().collect())
    }
}

/// While a search goes on: its path is not found yet.
impl Saved for Finding {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.kind.save(image)?;
        self.fault.save(image)?;
        self.length.save(image)?;
        self.standing.save(image)?;
        self.count.save(image)
    }

    fn load(image: &mut ImageReader) -> io::Result<Finding> {
        Ok(Finding {
            kind: Saved::load(image)?,
            fault: Saved::load(image)?,
            length: Saved::load(image)?,
            path: Path::default(),
            lost_to: None,
            standing: Saved::load(image)?,
            cycle_start: None,
            count: Saved::load(image)?,
        })
    }
}

impl Saved for Bitset {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.iter().collect::<Vec<usize>>().save(image)
    }

    fn load(image: &mut ImageReader) -> io::Result<Bitset> {
        let mut set = Bitset::default();
        Vec::<u64>::load(image)?.into_iter().for_each(|number| set.insert(number as usize));
        Ok(set)
    }
}

/// What was counted. The rest is derived from what the search holds.
impl Saved for Statistics {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        let Statistics { stored, transitions, expanded, generated, endless_chains, max_depth, .. } = *self;
        [stored, transitions, expanded, generated, endless_chains, max_depth].to_vec().save(image)?;
        self.vector_bytes.save(image)
    }

    fn load(image: &mut ImageReader) -> io::Result<Statistics> {
        let [stored, transitions, expanded, generated, endless_chains, max_depth] =
            Vec::load(image)?.try_into().map_err(|_| damaged("a number is missing"))?;
        let vector_bytes = usize::load(image)?;
        Ok(Statistics {
            stored,
            transitions,
            expanded,
            generated,
            endless_chains,
            max_depth,
            vector_bytes,
            ..Statistics::default()
        })
    }
}

/// Tells models apart, and the same model differently optimised.
pub(crate) fn identity(model: &Model) -> u64 {
    /// Nothing is kept of what is written: a large model has a long text.
    struct Hash(u64);

    impl fmt::Write for Hash {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = hash_seeded(text.as_bytes(), self.0);
            Ok(())
        }
    }

    let mut hash = Hash(0);
    write!(hash, "{model:?}").expect("it takes everything");
    hash.0
}
