//! Native code for actions and for blocks of them.

use crate::emit::Emitter;
use crate::helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types::I32};
use panoptes_model::{self as model, Action, BlockStep, Expr, FrameLayout, Guard, ScalarType};

/// Statements that blocks may take in one transition from one look at the clock to the next.
pub(crate) const BUDGET: i32 = 1 << 20;

impl Emitter<'_, '_> {
    /// Does the action, after its predicate; jumps to `fail` if that does not hold. Leaves the copy made or not.
    pub fn perform(&mut self, action: &Action, fail: Block) {
        match action {
            Action::Spawn(spawn) => {
                self.spawn(spawn);
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
            Action::SetPriority { pid, priority } => self.set_priority(pid, priority),
            Action::Exit | Action::Observe(_) => unreachable!("not an action of native code"),
        }
    }

    /// Gives the process a priority, if there is such a process.
    fn set_priority(&mut self, pid: &Expr, priority: &Expr) {
        self.copy();
        let (pid, priority) = (self.eval(pid), self.eval(priority));
        self.of_process(pid, |this, frame| {
            let (one, most) = (this.int(1), this.int(255 - 1));
            let above = this.builder.ins().isub(priority, one);
            let is_beyond = this.compare(IntCC::UnsignedGreaterThan, above, most);
            this.bail_if(is_beyond);
            if !this.process.frame.no_priority {
                this.write(ScalarType::BYTE, priority, frame, FrameLayout::PRIORITY as i32);
            }
            one
        });
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
                self.spend(block.nodes.len());
            }
            self.jump(step.next.map_or(done, |next| nodes[next as usize]));
            self.reset(before);
            self.switch_to(other);
        }
        self.jump(fail);
    }

    /// Counts a step that may lead round a circle, for as many statements as there can be from one such step to the next.
    fn spend(&mut self, statements: usize) {
        let left = self.builder.use_var(self.budget);
        let statements = statements.min(BUDGET as usize) as i64;
        let left = self.builder.ins().iadd_imm_s(left, -statements);
        self.builder.def_var(self.budget, left);
        let zero = self.builder.ins().iconst(I32, 0);
        let is_spent = self.compare(IntCC::SignedLessThanOrEqual, left, zero);
        let (spent, next) = (self.block(), self.block());
        self.builder.set_cold_block(spent);
        self.branch(is_spent, spent, next);
        self.switch_to(spent);
        let signature = &self.shared.signatures.refill;
        let budget = self.call(helpers::refill as *const () as usize, signature, &[self.context]);
        self.builder.def_var(self.budget, budget);
        let is_over = self.compare(IntCC::Equal, budget, zero);
        self.bail_if(is_over);
        self.jump(next);
        self.switch_to(next);
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
