//! Native code that tries all processes of a population, the youngest first.
//!
//! Where the frames are is known, so each process costs a load of its control state, a load of that state's code, and
//! the call.

use crate::context::BAIL;
use crate::emit::flags;
use crate::population::Population;
use crate::runtime::{CODES_MIN, TypeTable};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Signature, types::I32, types::I64};
use cranelift_frontend::FunctionBuilder;
use panoptes_model::FrameLayout;

/// Writes the body of the function. The tables of codes must stay where they are.
pub(crate) fn write(
    builder: &mut FunctionBuilder<'_>,
    population: &Population,
    types: &[TypeTable],
    layout: FrameLayout,
    state_signature: &Signature,
) {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let (context, source) = (builder.block_params(entry)[0], builder.block_params(entry)[1]);
    let bail = builder.create_block();
    let signature = builder.import_signature(state_signature.clone());
    let processes = population.frames.iter().zip(&population.types).enumerate();
    for (pid, (frame, ty)) in processes.rev() {
        let codes = &types[usize::from(*ty)].codes;
        let at = *frame as i32 + layout.state_at() as i32;
        let state = if layout.short_state {
            assert!(codes.len() >= CODES_MIN, "every byte has its place");
            builder.ins().uload8(I64, flags(), source, at)
        } else {
            let state = builder.ins().uload16(I64, flags(), source, at);
            let is_known = builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, state, codes.len() as i64);
            let known = builder.create_block();
            builder.ins().brif(is_known, known, &[], bail, &[]);
            builder.switch_to_block(known);
            state
        };
        let table = builder.ins().iconst(I64, codes.as_ptr() as i64);
        let offset = builder.ins().ishl_imm_u(state, 3);
        let place = builder.ins().iadd(table, offset);
        let code = builder.ins().load(I64, flags(), place, 0);
        let base = builder.ins().iconst(I64, i64::from(*frame));
        let pid = builder.ins().iconst(I32, pid as i64);
        let call = builder.ins().call_indirect(signature, code, &[context, source, base, pid]);
        let answer = builder.inst_results(call)[0];
        let next = builder.create_block();
        builder.ins().brif(answer, bail, &[], next, &[]);
        builder.switch_to_block(next);
    }
    let done = builder.ins().iconst(I32, 0);
    builder.ins().return_(&[done]);
    builder.switch_to_block(bail);
    let given_up = builder.ins().iconst(I32, i64::from(BAIL));
    builder.ins().return_(&[given_up]);
}
