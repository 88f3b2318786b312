// The passes on the graph level, one file each.
#pragma once
#include "passes/pass.h"

namespace sunmao {

/// Operands become leaves, each nested computation a binding of its own; every type is known.
Module normalize(const Module& m, const PassContext& ctx);
/// What inference took for granted of sizes is checked where the function runs.
Module check_sizes(const Module& m, const PassContext& ctx);
/// Bindings that only rename, and fields of tuples that are at hand, are replaced by what they stand for.
Module canonicalize_bindings(const Module& m, const PassContext& ctx);
/// Runs of at least `min_size` pure bindings become dataflow blocks.
Module convert_to_dataflow(const Module& m, const PassContext& ctx);
/// Dataflow blocks become plain ones, and their variables plain variables.
Module to_non_dataflow(const Module& m, const PassContext& ctx);
/// The second of two equal pure bindings becomes a name of the first.
Module eliminate_common_subexpr(const Module& m, const PassContext& ctx);
/// Evaluates calls whose arguments are all constants, unless the result is larger than they are.
Module fold_constants(const Module& m, const PassContext& ctx);
/// What is computed of sizes alone becomes symbolic shapes and small constants.
Module evaluate_shapes(const Module& m, const PassContext& ctx);
/// Removes pure bindings that nothing uses, and functions that no entry point reaches.
Module eliminate_dead_code(const Module& m, const PassContext& ctx);
/// Products with a weight read it packed into panels as wide as the target's kernels want them.
Module pack_weights(const Module& m, const PassContext& ctx);
/// Whatever depends on weights alone moves to `<name>_transform_params`.
Module lift_transform_params(const Module& m, const PassContext& ctx);
/// The parameters behind `num_input` become one tuple.
Module bundle_model_params(const Module& m, const PassContext& ctx);
/// Transforms of weights get raw weights and hand over prepared ones through named functions, one at a time.
Module lazy_transform_params(const Module& m, const PassContext& ctx);
/// Weights come from a function that is a parameter.
Module lazy_get_input(const Module& m, const PassContext& ctx);
/// Results go to a function that is a parameter.
Module lazy_set_output(const Module& m, const PassContext& ctx);
/// Kernels say which of their tensors are weights or constants.
Module attach_attr_layout_free_buffers(const Module& m, const PassContext& ctx);
/// Every type says where its tensor lies; hints become copies where data moves, and go.
Module realize_vdevice(const Module& m, const PassContext& ctx);
/// One virtual device of the module becomes another one.
Module update_vdevice(const Module& m, const PassContext& ctx);
/// Ops become calls of loop-level functions made by their records; reshapes become views.
Module legalize_ops(const Module& m, const PassContext& ctx);
/// Temporaries of kernels that no stack holds become results of their calls.
Module lift_temporaries(const Module& m, const PassContext& ctx);
/// A kernel and the elementwise kernels that alone use its result become one kernel.
Module fuse_kernels(const Module& m, const PassContext& ctx);

/// Calls of private functions become their bodies; functions that call themselves stay.
Module inline_private_functions(const Module& m, const PassContext& ctx);
/// Parameters of the function `func_name` become the values in `params`.
Module bind_params(const Module& m, const PassContext& ctx);
/// Symbols of the names in `binding_map` become numbers, in `func_name` or everywhere.
Module bind_symbolic_vars(const Module& m, const PassContext& ctx);
/// A reshape of a reshape becomes one, and a reshape to the shape at hand none.
Module remove_redundant_reshape(const Module& m, const PassContext& ctx);
/// Calls of ops by the algebraic rules of the op library, until none applies.
Module simplify(const Module& m, const PassContext& ctx);
/// Inside dataflow blocks, calls of loop-level functions that only give a tensor another shape become reshapes.
Module rewrite_dataflow_reshape(const Module& m, const PassContext& ctx);
/// Every function with a global symbol under that name; private ones make way.
Module normalize_global_var(const Module& m, const PassContext& ctx);
/// Every private function gets its name as global symbol; loop-level ones with the module's `system_lib_prefix`.
Module attach_global_symbol(const Module& m, const PassContext& ctx);
/// The bindings of dataflow blocks in the order of a search.
Module topological_sort(const Module& m, const PassContext& ctx);
/// Parameters that a private function does not read go, at its calls too.
Module remove_unused_parameters(const Module& m, const PassContext& ctx);
/// Fields of a private function's result that no caller takes go.
Module remove_unused_outputs(const Module& m, const PassContext& ctx);
/// Private functions take the fields of tuples one by one.
Module expand_tuple_arguments(const Module& m, const PassContext& ctx);
/// Scalar expressions that stand as values become calls of loop-level functions.
Module compute_prim_value(const Module& m, const PassContext& ctx);
/// Local functions become private functions of the module, closures where they capture something.
Module lambda_lift(const Module& m, const PassContext& ctx);
/// concat(permute(a), permute(b)) becomes permute(concat(a, b)).
Module reorder_permute_dims_after_concat(const Module& m, const PassContext& ctx);
/// matmul(x, take(table, i)) becomes take(matmul(x, table), i).
Module reorder_take_after_matmul(const Module& m, const PassContext& ctx);
/// matmul(x, a + b) becomes matmul(x, a) + matmul(x, b), unless a + b is known before the run.
Module expand_matmul_of_sum(const Module& m, const PassContext& ctx);
/// Products compute on float16; what lies between them follows where nothing else has to be converted.
Module to_mixed_precision(const Module& m, const PassContext& ctx);
/// Ops compute on tensors in the layouts that `desired_layouts` names, and what lies between follows them.
Module convert_layout(const Module& m, const PassContext& ctx);
/// Changes of layout that undo one another go.
Module optimize_layout_transform(const Module& m, const PassContext& ctx);
/// Kernels that begin by bringing parameters into another layout become two, the first for before the run.
Module split_layout_rewrite(const Module& m, const PassContext& ctx);
/// Kernels with an `operator_name` become others that may want their tensors in other layouts.
Module alter_op_impl(const Module& m, const PassContext& ctx);
/// a * b * c in the order that is provably cheaper; what is known before the run stays together.
Module adjust_matmul_order(const Module& m, const PassContext& ctx);
/// matmul(x, permute_dims(w)) that swaps w's last two axes becomes a kernel that reads w as it is.
Module fuse_transpose_matmul(const Module& m, const PassContext& ctx);
/// Products of one left operand with several right ones become one product, whose result is split.
Module combine_parallel_matmul(const Module& m, const PassContext& ctx);
/// Norms in simpler ops: by the moving averages for inference, by the batch for training; shapes that tensors hold get
/// named dimensions.
Module decompose_ops_for_inference(const Module& m, const PassContext& ctx);
Module decompose_ops_for_training(const Module& m, const PassContext& ctx);
/// A batch norm for inference behind a convolution or a matmul becomes part of its weights, and a sum.
Module fold_batch_norm(const Module& m, const PassContext& ctx);
/// Known scales of channels in front of convolutions and matmuls, or behind them, become part of their known weights.
Module fold_scale_axis(const Module& m, const PassContext& ctx);
/// Calls that make their results become calls that write into memory which stands ready.
Module lower_call_tir(const Module& m, const PassContext& ctx);
/// New tensors become tensors in new pieces of memory.
Module lower_alloc_tensor(const Module& m, const PassContext& ctx);
/// Tensors and memory are given back behind their last use.
Module kill_after_last_use(const Module& m, const PassContext& ctx);
/// Pure functions are declared so by force; calls that promise to be pure become plain calls.
Module remove_purity_checking(const Module& m, const PassContext& ctx);
/// Calls of functions that carry `Composite`, where neighbours have one backend, become one function that carries
/// `Codegen`; the composite functions stand inside of it.
Module merge_composite_functions(const Module& m, const PassContext& ctx);

}  // namespace sunmao
