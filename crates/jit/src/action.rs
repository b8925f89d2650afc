//! Native code for actions and for blocks of them.

use crate::emit::Emitter;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types::I32};
use panoptes_model::{self as model, Action, BlockStep, Expr, Guard};

/// Steps that blocks may take in one transition before the reference executor is asked.
pub(crate) const BUDGET: i32 = 900_000;

impl Emitter<'_, '_> {
    /// Does the action, after its predicate; jumps to `fail` if that does not hold. Leaves the copy made or not.
    pub fn perform(&mut self, action: &Action, fail: Block) {
        match action {
            Action::Spawn(spawn) => {
                self.spawn(spawn);
            }
            Action::Assign { place, value: Expr::Spawn(spawn) } => {
                let value = self.spawn(spawn);
                let address = self.address(place);
                self.write(place.ty, value, address, place.offset as i32);
            }
            Action::Assign { place, value } => {
                self.copy();
                let value = self.eval(value);
                let address = self.address(place);
                self.write(place.ty, value, address, place.offset as i32);
            }
            Action::Assert { condition, .. } => {
                let value = self.eval(condition);
                let zero = self.int(0);
                let fails = self.compare(IntCC::Equal, value, zero);
                self.bail_if(fails);
            }
            Action::Print { args, .. } => {
                for arg in args {
                    self.eval(arg);
                }
            }
            Action::PrintName(value) => {
                self.eval(value);
            }
            Action::Send(send) => self.send(send, fail, |this, _| {
                this.bail();
                this.jump(fail);
            }),
            Action::Receive(receive) => self.receive(receive, fail),
            Action::Block(id) => self.run_block(self.shared.model.block(*id), fail),
            Action::Exit | Action::SetPriority { .. } | Action::Observe(_) => {
                unreachable!("not an action of native code")
            }
        }
    }

    fn run_block(&mut self, block: &model::Block, fail: Block) {
        let done = self.block();
        let nodes: Vec<Block> = block.nodes.iter().map(|_| self.block()).collect();
        self.node(block, block.entry as usize, &nodes, done, fail);
        self.nodes(block, &nodes, done);
    }

    /// Runs a block on from `step`, which has been taken.
    pub fn finish_block(&mut self, block: &model::Block, step: &BlockStep) {
        let done = self.block();
        let nodes: Vec<Block> = block.nodes.iter().map(|_| self.block()).collect();
        self.copy();
        self.jump(step.next.map_or(done, |next| nodes[next as usize]));
        self.nodes(block, &nodes, done);
    }

    /// Writes all nodes of a block; each works on the copy. Goes on where the block is done.
    fn nodes(&mut self, block: &model::Block, nodes: &[Block], done: Block) {
        for node in reachable(block) {
            self.switch_to(nodes[node]);
            self.set_copied();
            let stuck = self.block();
            self.node(block, node, nodes, done, stuck);
            self.switch_to(stuck);
            self.bail();
            self.jump(done);
        }
        for node in unreached(block) {
            self.switch_to(nodes[node]);
            self.jump(done);
        }
        self.switch_to(done);
        self.set_copied();
    }

    /// Takes the first step of a node that can be taken, or jumps to `fail`.
    fn node(&mut self, block: &model::Block, node: usize, nodes: &[Block], done: Block, fail: Block) {
        for step in &block.nodes[node].steps {
            let other = self.block();
            let before = self.mark();
            if let Guard::When(condition) = &step.guard {
                let holds = self.eval(condition);
                self.go_on_if(holds, other);
            }
            for action in &step.actions {
                self.perform(action, other);
            }
            self.copy();
            if step.next.is_some_and(|next| next as usize <= node) {
                self.spend();
            }
            self.jump(step.next.map_or(done, |next| nodes[next as usize]));
            self.reset(before);
            self.switch_to(other);
        }
        self.jump(fail);
    }

    /// Counts a step that may lead round a circle.
    fn spend(&mut self) {
        let left = self.builder.use_var(self.budget);
        let left = self.builder.ins().iadd_imm_s(left, -1);
        self.builder.def_var(self.budget, left);
        let zero = self.builder.ins().iconst(I32, 0);
        let spent = self.compare(IntCC::Equal, left, zero);
        self.bail_if(spent);
    }
}

/// The nodes that a step of the block leads to.
fn reachable(block: &model::Block) -> Vec<usize> {
    (0..block.nodes.len()).filter(|node| is_target(block, *node)).collect()
}

fn unreached(block: &model::Block) -> Vec<usize> {
    (0..block.nodes.len()).filter(|node| !is_target(block, *node)).collect()
}

fn is_target(block: &model::Block, node: usize) -> bool {
    block.nodes.iter().flat_map(|n| &n.steps).any(|step| step.next == Some(node as u32))
}
