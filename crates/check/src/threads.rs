//! How many threads search, and where the others have their executors from.

use crate::engine::with_engine;
use crate::symmetry::Exchange;
use crate::{CheckSettings, Engine};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_search::{Crew, Executors};

/// More than any machine needs; each takes some memory.
const THREADS_MAX: usize = 512;

/// Of one search. (A swarm has its own.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// None for as many as there are cores.
    pub count: Option<u32>,
    /// One of them stores so many states before the others join.
    pub alone_until: u64,
}

/// One. Programs that use several tell so: depths and the paths of traces then may differ from run to run.
impl Default for Threads {
    fn default() -> Threads {
        Threads { count: Some(1), alone_until: Crew::ALONE_UNTIL }
    }
}

impl Threads {
    /// As many as that, from the start.
    pub fn at_once(count: u32) -> Threads {
        Threads { count: Some(count), alone_until: 0 }
    }

    /// How many may search at a time.
    pub(crate) fn most(self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.count.map_or_else(cores, |count| count as usize).clamp(1, THREADS_MAX)
    }

    pub(crate) fn crew<'c>(self, executors: &'c Others<'_>) -> Crew<'c> {
        let level_min = usize::try_from(self.alone_until).unwrap_or(usize::MAX).clamp(1, Crew::LEVEL_MIN);
        Crew { alone_until: self.alone_until, level_min, ..Crew::new(self.most(), executors) }
    }
}

/// Makes executors for all threads but the first.
pub(crate) struct Others<'o> {
    pub model: &'o Model,
    pub settings: &'o CheckSettings,
    pub exchange: Option<&'o Exchange>,
}

impl Executors for Others<'_> {
    fn with_one(&self, work: &mut dyn FnMut(&mut dyn Executor)) {
        // By now it is known that the model is not small.
        let engine = match self.settings.engine {
            Engine::Auto => Engine::Jit,
            other => other,
        };
        let settings = CheckSettings { engine, ..self.settings.clone() };
        with_engine(self.model, &settings, self.exchange, |executor| work(executor));
    }
}
