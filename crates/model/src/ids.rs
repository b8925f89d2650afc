//! Typed indices: one table a type, so that a control state is never taken for a transition.

macro_rules! define_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

define_id!(
    /// A process type in [`crate::Model::processes`].
    ProcId
);
define_id!(
    /// A control state in [`crate::Process::states`].
    StateId
);
define_id!(
    /// A transition in [`crate::Model::transitions`].
    TransId
);
define_id!(
    /// An indivisible block in [`crate::Model::blocks`].
    BlockId
);
define_id!(
    /// A set of named values in [`crate::Model::enumerations`].
    EnumId
);
