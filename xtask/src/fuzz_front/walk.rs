//! A short search: a few hundred configurations by the interpreter, each step taken twice, and, where that is all
//! there is, both searches over the whole.

use super::subject::{Depth, Failure};
use panoptes_exec::{Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::{Model, StateView};
use panoptes_search::SearchOptions;
use panoptes_source::SourceMap;
use panoptes_store::ExactStore;
use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

const CONFIGURATIONS_MAX: usize = 200;
const TIME_MAX: Duration = Duration::from_millis(30);

/// A configuration: the vector and who has control.
type Configuration = (Vec<u8>, Option<u8>);

pub fn walk(model: &Model, sources: &SourceMap) -> Result<Depth, Failure> {
    let mut interpreter = Interpreter::new(model, InterpreterOptions::default());
    let Ok(initial) = interpreter.initial() else { return Ok(Depth::Lowered) };
    let started = Instant::now();
    let mut known: HashSet<Configuration> = HashSet::from([(initial.clone(), None)]);
    let mut pending: VecDeque<Configuration> = VecDeque::from([(initial, None)]);
    let mut out = Successors::default();
    while let Some((state, control)) = pending.pop_front() {
        if known.len() > CONFIGURATIONS_MAX || started.elapsed() > TIME_MAX {
            return Ok(Depth::Lowered);
        }
        show(model, &state)?;
        interpreter.successors(&state, control, &mut out);
        for (index, item) in out.items.iter().enumerate() {
            check_step(&mut interpreter, (&state, control), index, &out)?;
            if let Some(fault) = out.fault(item) {
                let _ = sources.user_position(fault.span);
            }
            let next = (out.state(item).to_vec(), item.control());
            if item.has_state() && known.insert(next.clone()) {
                pending.push_back(next);
            }
        }
        let bare = (state, None);
        if out.ending == panoptes_exec::Ending::LetGo && known.insert(bare.clone()) {
            pending.push_back(bare);
        }
    }
    search_whole(model)?;
    Ok(Depth::Searched)
}

/// The state can be shown to people.
fn show(model: &Model, state: &[u8]) -> Result<(), Failure> {
    let view = StateView::new(model, state)
        .map_err(|error| Failure::Disagreement(format!("a state that cannot be shown: {error:?}")))?;
    view.variables();
    view.channels().iter().for_each(|channel| drop(channel.messages()));
    Ok(())
}

/// A step that was listed can be taken again, to the same state.
fn check_step(
    interpreter: &mut Interpreter<'_>,
    (state, control): (&[u8], Option<u8>),
    index: usize,
    out: &Successors,
) -> Result<(), Failure> {
    let item = &out.items[index];
    let Some(again) = interpreter.replay(state, control, index) else {
        return Err(Failure::Disagreement(format!("{:?} cannot be taken again", item.step())));
    };
    let is_cut = !item.has_state();
    if (again.is_cut, again.fault.as_ref()) != (is_cut, out.fault(item))
        || !is_cut && (again.state != out.state(item) || again.control != item.control())
    {
        return Err(Failure::Disagreement(format!("{:?} leads elsewhere when taken again", item.step())));
    }
    Ok(())
}

/// Depth first and breadth first find the same states.
fn search_whole(model: &Model) -> Result<(), Failure> {
    let options = SearchOptions { all_errors: true, ..SearchOptions::default() };
    let mut counts = Vec::new();
    for search in [panoptes_search::dfs::<ExactStore>, panoptes_search::bfs_by_steps::<ExactStore>] {
        let mut interpreter = Interpreter::new(model, InterpreterOptions::default());
        let outcome = search(model, &mut interpreter, &options, &mut ());
        counts.push((outcome.statistics.stored, outcome.errors.is_empty()));
    }
    if counts[0] != counts[1] {
        return Err(Failure::Disagreement(format!("dfs and bfs found {counts:?}")));
    }
    Ok(())
}
