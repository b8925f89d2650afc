//! What the finder found, in the terms of the vector: where references stand, which arrays are subscripted by them, who owns a number.

use crate::classes::Node;
use crate::find::{Area, ChannelKey, Finder};
use crate::ready::twins;
use panoptes_model::{Channel, FrameLayout, Model, ProcId, ProcessKind, ScalarType};
use std::collections::{BTreeMap, BTreeSet};

/// A set of values that are references, each to something that belongs to one process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub kind: Kind,
    /// Values that rules name: whoever has one is told apart.
    pub constants: BTreeSet<i32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Process numbers.
    Pid,
    /// Channel numbers.
    Channel,
    /// What processes were given as a parameter, each another value.
    #[default]
    Given,
}

/// The values of a class with a constant added: what stands in a variable, or as a subscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ref {
    pub class: usize,
    pub plus: i32,
}

/// A variable that holds a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub at: u32,
    pub ty: ScalarType,
    pub of: Ref,
}

#[derive(Clone, Debug)]
pub(crate) struct Dim {
    pub stride: u32,
    pub len: u32,
    pub of: Option<Ref>,
}

/// An array with a subscript that is a reference.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub at: u32,
    pub width: u32,
    pub dims: Vec<Dim>,
    pub elements: Option<Ref>,
    pub ty: ScalarType,
    pub is_written: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ChannelPart {
    pub at: u32,
    pub len_type: ScalarType,
    pub capacity: u32,
    pub message_bytes: u32,
    pub total_bytes: u32,
    /// Where each field starts in a message.
    pub fields: Vec<(u32, ScalarType, Option<Ref>)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub cells: Vec<Cell>,
    pub tables: Vec<Table>,
    pub channels: Vec<ChannelPart>,
}

/// A process type.
#[derive(Clone, Debug)]
pub(crate) struct TypeParts {
    pub layout: FrameLayout,
    pub parts: Parts,
    /// By control state and cell: is it live there?
    pub live: Vec<Vec<bool>>,
    pub is_ready: Vec<bool>,
    pub is_always_ready: bool,
    /// By control state: there is nothing left but to end.
    pub is_done: Vec<bool>,
    /// Its processes may change places.
    pub is_free: bool,
    /// The parameters and other variables that no rule writes.
    pub params: Vec<(u32, ScalarType, Option<Ref>)>,
}

/// What can be done about the symmetry of a model.
#[derive(Clone, Debug)]
pub struct Symmetry {
    pub(crate) count_at: usize,
    pub(crate) frames_at: usize,
    pub(crate) classes: Vec<Class>,
    pub(crate) globals: Parts,
    pub(crate) types: Vec<TypeParts>,
    pub(crate) named: BTreeSet<i32>,
    pub(crate) channels_move: bool,
    /// A free type can end, and nobody can tell.
    pub(crate) can_end: bool,
    names: Vec<String>,
    notes: Vec<String>,
    loses_parameters: bool,
}

/// Why no process of a model may change places with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// There are no two of a type.
    NoTwins,
    Because(String),
}

impl Symmetry {
    /// Looks at a model. With `keeps_lengths`, processes that end are left alone: only the youngest may, so how many steps
    /// lead to an error can depend on numbers.
    pub fn of(model: &Model, keeps_lengths: bool) -> Result<Symmetry, WhyNot> {
        let twins = twins(model);
        if !twins.contains(&true) {
            return Err(WhyNot::NoTwins);
        }
        let because = |text: &str| Err(WhyNot::Because(text.to_string()));
        if model.uses_priorities {
            return because("priorities tell processes apart");
        } else if model.header.last.is_some() {
            return because("`_last` names the process that moved");
        } else if model.monitor.is_some() {
            return because("a trace assertion names channels and messages");
        } else if model.header.hidden_bytes > 0 {
            return because("hidden variables are not compared");
        } else if !model.waiting.is_empty() || !model.requirements.is_empty() {
            return because("requirements and unspecified receptions are told process by process");
        }
        let mut finder = Finder::new(model);
        finder.run();
        if let Some(obstacle) = &finder.obstacle {
            return Err(WhyNot::Because(format!("{obstacle} is not understood")));
        }
        Builder::new(finder).build(&twins, keeps_lengths)
    }

    /// The process types whose processes may change places.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Are parameters set back by which processes could be known?
    pub fn loses_parameters(&self) -> bool {
        self.loses_parameters
    }

    /// What may keep the others apart.
    pub fn note(&self) -> Option<&str> {
        self.notes.first().map(String::as_str)
    }
}

struct Builder<'m> {
    finder: Finder<'m>,
    /// By root.
    roots: BTreeMap<Node, usize>,
    classes: Vec<Class>,
    notes: Vec<String>,
    loses_parameters: bool,
}

impl<'m> Builder<'m> {
    fn new(finder: Finder<'m>) -> Builder<'m> {
        Builder {
            finder,
            roots: BTreeMap::new(),
            classes: Vec::new(),
            notes: Vec::new(),
            loses_parameters: false,
        }
    }

    fn build(mut self, twins: &[bool], keeps_lengths: bool) -> Result<Symmetry, WhyNot> {
        let model = self.finder.model;
        let is_process = |index: usize| model.processes[index].kind == ProcessKind::Process;
        let free: Vec<bool> = (0..model.processes.len())
            .map(|index| {
                twins[index] && is_process(index) && self.is_free(ProcId(index as u32), keeps_lengths)
            })
            .collect();
        if !free.contains(&true) {
            let why = self.notes.first().cloned().unwrap_or_default();
            return Err(WhyNot::Because(why));
        }
        // A class that stands nowhere in the vector may still have constants.
        for node in self.finder.number_nodes() {
            self.reference(node, false);
        }
        // Parameters first: they make classes.
        let mut params: Vec<Vec<(u32, ScalarType, Option<Ref>)>> =
            (0..free.len()).map(|index| if free[index] { self.params(index) } else { Vec::new() }).collect();
        let globals = self.parts(Area::Global, &model.channels)?;
        let mut types = Vec::new();
        for (index, process) in model.processes.iter().enumerate() {
            let area = Area::Frame(index as u32);
            let channels = if is_process(index) { &process.channels[..] } else { &[] };
            let parts = self.parts(area, channels)?;
            let params = std::mem::take(&mut params[index]);
            let live = (0..process.states.len())
                .map(|state| {
                    // Only what is set back counts as dead: all else is renamed, used or not.
                    let is_reset = |cell: &Cell| self.finder.reset.contains(&(area, cell.at));
                    let liveness = &self.finder.liveness[index];
                    let is_live = |cell: &Cell| !is_reset(cell) || liveness.is_live(state, cell.at);
                    if is_process(index) { parts.cells.iter().map(is_live).collect() } else { Vec::new() }
                })
                .collect();
            let is_ready = self.finder.standing[index].is_ready.clone();
            types.push(TypeParts {
                layout: process.frame,
                parts,
                live,
                is_always_ready: is_ready.iter().all(|ready| *ready),
                is_done: self.finder.standing[index].is_done.clone(),
                is_ready,
                is_free: free[index],
                params,
            });
        }
        self.note_named();
        let can_end = (0..free.len()).any(|index| free[index] && self.finder.standing[index].can_exit);
        let names =
            (0..free.len()).filter(|index| free[*index]).map(|index| model.processes[index].name.clone());
        Ok(Symmetry {
            count_at: model.header.process_count(),
            frames_at: model.header.frames as usize,
            globals,
            types,
            named: self.finder.named.clone(),
            channels_move: self.finder.computed_channel.is_none(),
            can_end,
            names: names.collect(),
            classes: self.classes,
            notes: self.notes,
            loses_parameters: self.loses_parameters,
        })
    }

    /// May processes of the type change places?
    fn is_free(&mut self, id: ProcId, keeps_lengths: bool) -> bool {
        let finder = &self.finder;
        let process = finder.model.process(id);
        let name = &process.name;
        let computed = |text: &str| format!("`{text}` computes with the number of a process {name}");
        let pid = finder.known_pid(id).and_then(|node| finder.classes.info(node).broken.clone());
        let ends = |index: usize| finder.standing[index].can_exit;
        let has_channels = |index: usize| ends(index) && !finder.model.processes[index].channels.is_empty();
        let why = if let Some(text) = pid {
            Some(computed(&text))
        } else if let Some(text) = finder.oldest.get(&id.0) {
            Some(format!("`{text}` asks for the oldest process {name}"))
        } else if let (Some(text), false) = (&finder.computed_channel, process.channels.is_empty()) {
            Some(format!("`{text}` computes a channel, and each process {name} has its own"))
        } else if !ends(id.index()) {
            None
        } else if keeps_lengths {
            Some(format!("a process {name} can end, and the number of steps is asked for"))
        } else if finder.counts_processes {
            Some(format!("a process {name} can end, and `_nr_pr` is asked for"))
        } else if finder.looks_on {
            Some(format!("a process {name} can end, and processes are looked at from outside"))
        } else if (0..finder.standing.len()).any(has_channels) {
            Some("a process that can end has channels".to_string())
        } else {
            None
        };
        let is_free = why.is_none();
        self.notes.extend(why);
        is_free
    }

    /// The parameters and other variables that no rule writes.
    fn params(&mut self, index: usize) -> Vec<(u32, ScalarType, Option<Ref>)> {
        let process = &self.finder.model.processes[index];
        let area = Area::Frame(index as u32);
        let mut params = Vec::new();
        for (number, variable) in process.variables.iter().enumerate() {
            if number >= process.param_count && variable.count > 1 {
                continue;
            }
            let width = variable.ty.bytes() as u32;
            for element in 0..variable.count {
                let at = variable.offset + element * width;
                if self.finder.written.contains(&(area, at)) {
                    continue;
                }
                let node = self.finder.cells.get(&(area, at)).map(|(node, _)| *node);
                if self.finder.reset.contains(&(area, at)) {
                    let is_whole = |node| self.finder.classes.info(node).broken.is_none();
                    self.loses_parameters |= node.is_some_and(is_whole);
                    continue;
                }
                if let Some(text) = node.and_then(|node| self.finder.classes.info(node).broken.clone()) {
                    self.notes.push(format!(
                        "the processes {} are told apart by `{}`, which `{text}` computes with",
                        process.name, variable.name
                    ));
                }
                let of = node.and_then(|node| self.reference(node, true));
                params.push((at, variable.ty, of));
            }
        }
        params
    }

    /// Notes where a constant names a process, which keeps its place then.
    fn note_named(&mut self) {
        let model = self.finder.model;
        // Who is started later has a number that is not known here.
        let may_start = self.finder.standing.iter().any(|standing| standing.is_ready.contains(&false));
        let numbers = 0..if may_start { i32::MAX } else { model.initial.len() as i32 };
        for (node, value, text) in std::mem::take(&mut self.finder.constants) {
            let Some(Ref { class, plus }) = self.reference(node, false) else { continue };
            let is_named = match self.classes[class].kind {
                Kind::Pid => numbers.contains(&value.wrapping_sub(plus)),
                Kind::Channel => false,
                Kind::Given => true,
            };
            if is_named {
                self.notes.push(format!("`{text}` names a process by its number"));
                return;
            }
        }
    }

    /// The class that the values of a node are of, if they are references. One that only parameters make so becomes one by `is_given`.
    fn reference(&mut self, node: Node, is_given: bool) -> Option<Ref> {
        let (root, shift) = self.finder.classes.find(node);
        let info = self.finder.classes.info(root);
        if info.broken.is_some() {
            return None;
        }
        let (kind, number) = match (info.pid, info.channel) {
            (Some(number), _) => (Kind::Pid, number),
            (None, Some(number)) => (Kind::Channel, number),
            (None, None) => (Kind::Given, 0),
        };
        let class = match self.roots.get(&root) {
            Some(class) => *class,
            None if kind == Kind::Given && !is_given => return None,
            None => {
                let constants = info.constants.iter().map(|value| value.wrapping_add(number)).collect();
                self.classes.push(Class { kind, constants });
                self.roots.insert(root, self.classes.len() - 1);
                self.classes.len() - 1
            }
        };
        Some(Ref { class, plus: shift.wrapping_sub(number) })
    }

    fn parts(&mut self, area: Area, channels: &[Channel]) -> Result<Parts, WhyNot> {
        let cells: Vec<(u32, Node, ScalarType)> = self
            .finder
            .cells
            .range((area, 0)..=(area, u32::MAX))
            .map(|((_, at), (node, ty))| (*at, *node, *ty))
            .collect();
        let cells = cells
            .into_iter()
            .filter_map(|(at, node, ty)| Some(Cell { at, ty, of: self.reference(node, false)? }))
            .collect();
        let tables = self.tables(area)?;
        let channels = (0..)
            .zip(channels)
            .map(|(index, channel)| {
                let key = match area {
                    Area::Global => ChannelKey::Global(index),
                    Area::Frame(process) => ChannelKey::Local(process, index),
                };
                self.channel(key, channel)
            })
            .collect();
        Ok(Parts { cells, tables, channels })
    }

    fn channel(&mut self, key: ChannelKey, channel: &Channel) -> ChannelPart {
        let mut within = 0;
        let mut fields = Vec::new();
        for (field, ty) in channel.fields.iter().enumerate() {
            let node = self.finder.field(key, field);
            fields.push((within, *ty, self.reference(node, false)));
            within += ty.bytes() as u32;
        }
        ChannelPart {
            at: channel.offset,
            len_type: channel.len_type(),
            capacity: u32::from(channel.capacity),
            message_bytes: channel.message_bytes() as u32,
            total_bytes: channel.total_bytes() as u32,
            fields,
        }
    }

    /// The arrays with a subscript that is a reference, each element in one of them.
    fn tables(&mut self, area: Area) -> Result<Vec<Table>, WhyNot> {
        let mut accesses: Vec<_> =
            self.finder.accesses.iter().filter(|access| access.area == area).cloned().collect();
        let size =
            |dims: &[(u32, u32, Node)]| dims.iter().map(|(_, len, _)| *len as usize).product::<usize>();
        accesses.sort_by_key(|access| std::cmp::Reverse(size(&access.dims)));
        let mut covered: BTreeMap<u32, usize> = BTreeMap::new();
        let mut tables: Vec<Table> = Vec::new();
        for access in accesses {
            let dims: Vec<Dim> = access
                .dims
                .iter()
                .map(|(stride, len, node)| Dim {
                    stride: *stride,
                    len: *len,
                    of: self.reference(*node, false),
                })
                .collect();
            if dims.iter().all(|dim| dim.of.is_none()) {
                continue;
            }
            let elements = self.reference(access.node, false);
            let mut table = Table {
                at: access.offset,
                width: access.ty.bytes() as u32,
                dims,
                elements,
                ty: access.ty,
                is_written: false,
            };
            let mut cells = Vec::new();
            table.each_cell(&mut |at, _| cells.push(at));
            table.is_written = cells.iter().any(|at| self.finder.written.contains(&(area, *at)));
            let known = cells.iter().filter(|at| covered.contains_key(at)).count();
            if known == 0 {
                cells.iter().for_each(|at| {
                    covered.insert(*at, tables.len());
                });
                tables.push(table);
                continue;
            }
            let by =
                &tables[covered[cells.iter().find(|at| covered.contains_key(at)).expect("one is known")]];
            let goes_along = |dim: &Dim| {
                dim.of.is_none()
                    || by.dims.iter().any(|other| other.stride == dim.stride && other.of == dim.of)
            };
            if known < cells.len() || !table.dims.iter().all(goes_along) {
                return Err(WhyNot::Because(
                    "an array is subscripted in ways that do not go together".to_string(),
                ));
            }
        }
        Ok(tables)
    }
}

impl Table {
    /// Calls `visit` with each element's place, and its subscripts.
    pub fn each_cell(&self, visit: &mut dyn FnMut(u32, &[u32])) {
        let mut rows = vec![0; self.dims.len()];
        loop {
            let at = rows.iter().zip(&self.dims).map(|(row, dim)| row * dim.stride).sum::<u32>() + self.at;
            visit(at, &rows);
            let mut dim = 0;
            loop {
                if dim == rows.len() {
                    return;
                }
                rows[dim] += 1;
                if rows[dim] < self.dims[dim].len {
                    break;
                }
                rows[dim] = 0;
                dim += 1;
            }
        }
    }
}
