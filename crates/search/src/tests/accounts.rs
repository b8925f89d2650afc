//! The memory that parts of a search say they take: all that they hold, and not much more. A limit rests on it.

use crate::chain::{Fingerprint, LinkId, Links};
use crate::frontier::stack::{Frame, Item, Stack};
use crate::labels::{Branch, Labels};
use crate::omitted::{Fork, Omitted};
use crate::parents::{NodeId, Parents};
use crate::revisit::{Base, Revisits};
use panoptes_store::{Prepared, StateRef};

const COUNT: usize = 3000;

/// Of so many things of a size.
fn assert_account(reported: usize, size: usize) {
    let held = COUNT * size;
    assert!((held..5 * held).contains(&reported), "{reported} bytes for {held}");
}

#[test]
fn parents_labels_and_links() {
    let (mut parents, mut labels, mut links) = (Parents::new(), Labels::default(), Links::default());
    assert_eq!((parents.heap_bytes(), labels.heap_bytes(), links.heap_bytes()), (0, 0, 0));
    for number in 0..COUNT {
        parents.push(NodeId::ROOT, Branch::default()).expect("room");
        labels.label(Branch { step: u32::MAX, end: number as u32 });
        links.extend(LinkId::NONE, 1, Fingerprint::of(&number.to_le_bytes(), 0)).expect("a new link");
    }
    assert_account(parents.heap_bytes(), 8);
    assert_account(labels.heap_bytes(), size_of::<Branch>());
    assert_account(links.heap_bytes(), 16);
    let mut parents = Parents::new();
    for _ in 0..(3 << 16) + 1 {
        parents.push(NodeId::ROOT, Branch::default()).expect("room");
    }
    assert_eq!(parents.heap_bytes(), (4 * 8) << 16, "whole pieces");
}

#[test]
fn the_depths_of_a_bounded_search() {
    let (mut met, mut path, mut cut) = (Revisits::default(), Revisits::default(), Revisits::default());
    let arrival = path.arrive(StateRef::made_up(0), true, 0).expect("it is new");
    cut.arrive(StateRef::made_up(0), true, 0);
    for number in 0..COUNT as u32 {
        met.arrive(StateRef::made_up(number), true, 0);
        path.push(arrival);
        cut.push(crate::revisit::Arrival { state: StateRef::made_up(number), ..arrival });
        cut.cut();
        cut.pop();
    }
    assert_account(met.heap_bytes(), size_of::<(StateRef, u32)>());
    assert_account(path.heap_bytes(), size_of::<Base>());
    assert_account(cut.heap_bytes(), size_of::<(StateRef, u64)>());
}

#[test]
fn the_stack() {
    let frame = || Frame { state: StateRef::made_up(0), label: 0, depth: 0, untried: 0 };
    let stack = |hidden: usize, with_checkpoints, vector: &[u8]| {
        let mut stack = Stack::new(hidden, with_checkpoints);
        (0..COUNT).for_each(|_| stack.push(frame(), vector));
        stack.heap_bytes()
    };
    assert_account(stack(0, false, &[]), size_of::<Frame>());
    assert_account(stack(400, false, &[0; 400]), 400);
    // Every third vector is kept here.
    assert_account(stack(0, true, &[0; 900]), 300);
    let mut stack = Stack::new(0, false);
    stack.push(frame(), &[]);
    for end in 0..COUNT as u32 {
        stack.push_item(Branch { step: 0, end }, Item::new(Prepared(0), 1, &[]), &[]);
    }
    assert_account(stack.heap_bytes(), size_of::<u32>() + size_of::<Item>());
    (0..COUNT).for_each(|_| stack.put_back(Item::new(Prepared(0), 1, &[0; 300]), &[0; 300]));
    assert_account(stack.heap_bytes(), 300);
}

#[test]
fn omitted_states() {
    let mut states = Omitted::default();
    (0..200).for_each(|hash| states.note(StateRef::made_up(hash), &[0; 1500], 1, |_| None));
    assert_account(states.heap_bytes(), 100);
    let mut paths = Omitted::default();
    let branches = vec![Branch::default(); COUNT / 10];
    for hash in 0..10 {
        paths.note(StateRef::made_up(hash), &[], 1, |_| Some(Fork { shared: 0, branches: branches.clone() }));
    }
    assert_account(paths.heap_bytes(), size_of::<Branch>());
}
