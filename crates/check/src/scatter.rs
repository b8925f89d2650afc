//! What a scatter search looks at: few of the steps of a state, those that are most likely to lead to an error.

use crate::Order;
use crate::limits::smaller;
use panoptes_model::Model;
use panoptes_search::{Scope, auto_depth};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scatter {
    /// The order where priorities do not tell.
    pub order: Order,
    /// Follow only so many processes a state.
    pub processes_max: Option<u32>,
    /// Follow only so many steps of each.
    pub options_max: Option<u32>,
    /// Channels take only so many messages.
    pub queue_limit: Option<u16>,
    /// Timeouts are taken only where nothing else can be done.
    pub timeouts_last: bool,
}

impl Scatter {
    pub const DEFAULT: Scatter =
        Scatter { processes_max: Some(1), queue_limit: Some(2), ..Scatter::EVERYTHING };

    /// It leaves nothing out, and only goes to likely errors first.
    pub const EVERYTHING: Scatter = Scatter {
        order: Order::Listed,
        processes_max: None,
        options_max: None,
        queue_limit: None,
        timeouts_last: true,
    };
}

impl Default for Scatter {
    fn default() -> Scatter {
        Scatter::DEFAULT
    }
}

impl Scatter {
    /// How many messages a channel takes, if `limit` bounds that as well.
    pub(crate) fn queue_limit(&self, limit: Option<u16>) -> Option<u16> {
        smaller(self.queue_limit, limit)
    }

    /// The same for a model, within the limits of the check.
    pub(crate) fn scope(&self, model: &Model, depth_max: Option<u64>, queue_limit: Option<u16>) -> Scope {
        Scope {
            processes_max: self.processes_max,
            options_max: self.options_max,
            queue_limit: self.queue_limit(queue_limit),
            depth_max: depth_max.or_else(|| Some(auto_depth(model))),
            states_max: None,
            timeouts_last: self.timeouts_last && !model.timeouts.is_empty(),
        }
    }
}
