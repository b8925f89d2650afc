//! What is computed once about a model: its accesses, the bits that stand for its objects, its settled values.

use super::access::{Access, Accesses, Use};
use super::slots::{Slots, extent};
use panoptes_model::{Expr, Model, Place, ProcId, ProcessKind, Region};

/// More cells than this share their bits.
const CELL_BITS_MAX: usize = 256;
const NO_CELL: u16 = u16::MAX;

/// Bits of the last word of a mask.
pub(super) const SPAWN: u64 = 1;
pub(super) const EXIT: u64 = 2;
pub(super) const COUNT: u64 = 4;
/// Like [`EXIT`], but of interest only if the process that exits is the younger one.
pub(super) const EXIT_OF_YOUNGER: u64 = 8;
/// An event that the monitor follows.
pub(super) const EVENT: u64 = 16;

/// Where the bits are in a mask: written cells, read cells, sends, receives, looks, waits for a message, waits for
/// room, and one word for the processes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub cell_words: usize,
    pub channel_words: usize,
}

impl Layout {
    pub fn words(self) -> usize {
        2 * self.cell_words + 5 * self.channel_words + 1
    }

    pub fn written(self) -> usize {
        0
    }

    pub fn read(self) -> usize {
        self.cell_words
    }

    pub fn sends(self) -> usize {
        2 * self.cell_words
    }

    pub fn receives(self) -> usize {
        self.sends() + self.channel_words
    }

    pub fn looks(self) -> usize {
        self.receives() + self.channel_words
    }

    /// Questions whether there is a message, of steps that wait for one.
    pub fn message_waits(self) -> usize {
        self.looks() + self.channel_words
    }

    /// Questions whether there is room, of steps that wait for it.
    pub fn room_waits(self) -> usize {
        self.message_waits() + self.channel_words
    }

    /// Where the bits of all uses of channels start.
    pub fn uses(self) -> [usize; 5] {
        [self.sends(), self.receives(), self.looks(), self.message_waits(), self.room_waits()]
    }

    pub fn processes(self) -> usize {
        self.words() - 1
    }
}

pub(super) struct Facts<'m> {
    pub model: &'m Model,
    /// By number of the transition.
    pub accesses: Vec<Accesses<'m>>,
    /// By number of the process type: what its initial values touch.
    pub initial: Vec<Vec<Access<'m>>>,
    /// By number of the process type.
    pub slots: Vec<Slots>,
    pub layout: Layout,
    /// The channels without slots, as bits; a process's own channel counts if it may be one.
    pub rendezvous: Vec<u64>,
    /// The highest number that a channel may have.
    pub channels_max: usize,
    pub lossy: bool,
    /// The channels whose sends and whose receives the monitor follows, as bits.
    pub followed: [[u64; 4]; 2],
    /// By number of the transition: its guard asks for a timeout.
    pub is_timeout: Vec<bool>,
    /// For each byte of the global part its cell; only written bytes have one.
    cell_of: Vec<u16>,
}

impl<'m> Facts<'m> {
    pub fn new(model: &'m Model, lossy: bool) -> Facts<'m> {
        let accesses: Vec<Accesses> = model
            .transitions
            .iter()
            .map(|transition| match model.process(transition.process).kind {
                ProcessKind::Process => Accesses::of(model, transition),
                _ => Accesses::default(),
            })
            .collect();
        let slots =
            (0..model.processes.len()).map(|id| Slots::of(model, ProcId(id as u32), &accesses)).collect();
        let initial: Vec<Vec<Access>> =
            model.processes.iter().map(|process| Accesses::of_actions(model, &process.init)).collect();
        let (cell_of, cells) =
            cells(model, accesses.iter().flat_map(Accesses::iter).chain(initial.iter().flatten()));
        let has_own = model.processes.iter().any(|process| !process.channels.is_empty());
        let channels_max = if has_own { 255 } else { model.channels.len() };
        let layout =
            Layout { cell_words: cells.div_ceil(64), channel_words: (channels_max + 1).div_ceil(64) };
        let mut rendezvous = vec![0; layout.channel_words];
        let own_rendezvous =
            model.processes.iter().flat_map(|process| &process.channels).any(|c| c.is_rendezvous());
        for number in 1..=channels_max {
            if model.channels.get(number - 1).map_or(own_rendezvous, |channel| channel.is_rendezvous()) {
                rendezvous[number / 64] |= 1 << (number % 64);
            }
        }
        let is_timeout: Vec<bool> = model
            .transitions
            .iter()
            .map(|transition| super::why_not::timeout_conditions(&transition.guard) > 0)
            .collect();
        Facts {
            model,
            accesses,
            initial,
            slots,
            layout,
            rendezvous,
            channels_max,
            lossy,
            followed: followed(model),
            is_timeout,
            cell_of,
        }
    }

    /// The bit of the cell at an address; none if it never changes.
    pub fn cell(&self, address: u32) -> Option<usize> {
        self.cell_of.get(address as usize).filter(|cell| **cell != NO_CELL).map(|cell| usize::from(*cell))
    }

    /// Does the monitor follow such a use of the channel?
    pub fn is_event(&self, how: Use, channel: usize) -> bool {
        let [sends, receives] = self.followed;
        let bits = match how {
            Use::Send | Use::SortedSend => sends,
            Use::Receive | Use::RandomReceive => receives,
            Use::HasMessage { .. } | Use::HasRoom { .. } | Use::Look => return false,
        };
        bits[channel / 64] >> (channel % 64) & 1 == 1
    }

    /// Does the value in those bytes of the global part never change after the start?
    pub fn is_constant(&self, address: u32, bytes: usize) -> bool {
        (address..address + bytes as u32).all(|byte| self.cell(byte).is_none())
    }
}

fn followed(model: &Model) -> [[u64; 4]; 2] {
    let mut bits = [[0; 4]; 2];
    if let Some(monitor) = &model.monitor {
        for (bits, numbers) in bits.iter_mut().zip([&monitor.sends, &monitor.receives]) {
            numbers.iter().for_each(|number| bits[usize::from(*number) / 64] |= 1 << (number % 64));
        }
    }
    bits
}

/// What is known of the process whose accesses are looked at.
#[derive(Clone, Copy)]
pub(super) enum Locals<'a> {
    /// It lives: where its frame starts, its number, and the number of its first channel.
    Frame {
        slots: &'a Slots,
        unsettled: u64,
        start: u32,
        pid: u8,
        first_channel: usize,
        channel_count: usize,
    },
    /// It will be started with those parameters: the first byte of each in the frame, its bytes and the value if known.
    Args { slots: &'a Slots, unsettled: u64, values: &'a [(u32, usize, Option<i32>)], has_channels: bool },
}

/// Where settled values come from.
#[derive(Clone, Copy)]
pub(super) struct Env<'a, 'm> {
    pub facts: &'a Facts<'m>,
    pub vector: &'a [u8],
    pub locals: Locals<'a>,
}

impl<'a, 'm> Env<'a, 'm> {
    /// The same for a new process of some type of which nothing is known.
    pub fn of_new(&self, id: ProcId) -> Env<'a, 'm> {
        let locals = Locals::Args {
            slots: &self.facts.slots[id.index()],
            unsettled: u64::MAX,
            values: &[],
            has_channels: !self.facts.model.process(id).channels.is_empty(),
        };
        Env { locals, ..*self }
    }

    /// The value of an expression if it is settled.
    pub fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Load(place) => {
                let address = self.address(place)?;
                match place.region {
                    Region::Global => {
                        let is_constant = self.facts.is_constant(address, place.ty.bytes());
                        is_constant.then(|| place.ty.read(&self.vector[address as usize..]))
                    }
                    Region::Local => self.local(address, place.ty),
                }
            }
            Expr::Unary(op, operand) => Some(op.apply(self.value(operand)?)),
            Expr::Binary(op, left, right) => op.apply(self.value(left)?, self.value(right)?),
            Expr::Cond(condition, then, otherwise) => {
                self.value(if self.value(condition)? != 0 { then } else { otherwise })
            }
            Expr::SelfPid => match self.locals {
                Locals::Frame { pid, .. } => Some(i32::from(pid)),
                Locals::Args { .. } => None,
            },
            Expr::OwnChannel(index) => match self.locals {
                Locals::Frame { first_channel, .. } => Some(first_channel as i32 + *index as i32),
                Locals::Args { .. } => None,
            },
            _ => None,
        }
    }

    fn address(&self, place: &Place) -> Option<u32> {
        let mut address = place.offset;
        for term in &place.indices {
            let index = u32::try_from(self.value(&term.index)?).ok().filter(|index| *index < term.len)?;
            address += index * term.stride;
        }
        Some(address)
    }

    fn local(&self, offset: u32, ty: panoptes_model::ScalarType) -> Option<i32> {
        let (Locals::Frame { slots, unsettled, .. } | Locals::Args { slots, unsettled, .. }) = self.locals;
        let is_settled = |byte| slots.bit(byte).is_some_and(|bit| bit & unsettled == 0);
        if !(offset..offset + ty.bytes() as u32).all(is_settled) {
            return None;
        }
        match self.locals {
            Locals::Frame { start, .. } => Some(ty.read(&self.vector[(start + offset) as usize..])),
            Locals::Args { values, .. } => {
                values.iter().find(|(at, bytes, _)| (*at, *bytes) == (offset, ty.bytes()))?.2
            }
        }
    }

    /// Calls `found` on each address that a place may stand for.
    pub fn addresses(&self, place: &Place, found: &mut dyn FnMut(u32)) {
        self.addresses_from(place, 0, place.offset, found);
    }

    fn addresses_from(&self, place: &Place, term: usize, address: u32, found: &mut dyn FnMut(u32)) {
        let Some(index) = place.indices.get(term) else { return found(address) };
        let value = self.value(&index.index).and_then(|value| u32::try_from(value).ok());
        match value.filter(|value| *value < index.len) {
            Some(value) => self.addresses_from(place, term + 1, address + value * index.stride, found),
            None => {
                for value in 0..index.len {
                    self.addresses_from(place, term + 1, address + value * index.stride, found);
                }
            }
        }
    }

    /// The numbers of the channels that an expression may stand for; none if it may be any.
    pub fn channels(&self, number: &Expr) -> Option<Vec<usize>> {
        let channel = |number: i32| usize::try_from(number).ok().filter(|n| *n <= self.facts.channels_max);
        if let Some(number) = self.value(number) {
            return Some(channel(number).into_iter().collect());
        }
        let Expr::Load(place) = number else { return None };
        if place.region != Region::Global {
            return None;
        }
        let (mut numbers, mut is_constant) = (Vec::new(), true);
        self.addresses(place, &mut |address| {
            is_constant &= self.facts.is_constant(address, place.ty.bytes());
            numbers.extend(channel(place.ty.read(&self.vector[address as usize..])));
        });
        is_constant.then_some(numbers)
    }
}

/// Gives each variable or array element that some step writes a bit: the bit of each byte, and how many bits there are.
fn cells<'a>(model: &Model, accesses: impl Iterator<Item = &'a Access<'a>>) -> (Vec<u16>, usize) {
    let mut written = vec![false; model.header.frames as usize];
    for access in accesses {
        if let Access::Write(place) = access {
            extent(place).for_each(|byte| written[byte as usize] = true);
        }
    }
    let mut cell_of = vec![NO_CELL; written.len()];
    let mut count = 0;
    for variable in &model.variables {
        // What is hidden and written is never read, or there is no reduction.
        if variable.offset < model.header.hidden_bytes {
            continue;
        }
        for element in 0..variable.count {
            let start = variable.offset as usize + element as usize * variable.ty.bytes();
            let bytes = start..start + variable.ty.bytes();
            if written[bytes.clone()].contains(&true) {
                cell_of[bytes].fill((count % CELL_BITS_MAX) as u16);
                count += 1;
            }
        }
    }
    // Nothing is left out, whatever the list of variables says.
    for byte in model.header.hidden_bytes as usize..written.len() {
        if written[byte] && cell_of[byte] == NO_CELL {
            cell_of[byte] = 0;
            count = count.max(1);
        }
    }
    (cell_of, count.min(CELL_BITS_MAX))
}
