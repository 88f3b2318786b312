// Declarations of the graph-level passes; each is implemented in a file of its name.
#pragma once
#include "passes/pass.h"

namespace sunmao {

/// Binds nested computations to variables, so that all operands are leaves, and infers missing types.
Module normalize(const Module& m, const PassContext& ctx);
/// Replaces calls of functions that are custom ops (ir/custom_op.h) by their bodies.
Module inline_ops(const Module& m, const PassContext& ctx);
/// Defines a symbol for each size that data decides, by a match_cast behind the value; calls of ops with such results
/// become their sized forms.
Module name_sizes(const Module& m, const PassContext& ctx);
/// Inserts run-time checks (match_cast) for relations between sizes that type inference assumed without proof.
Module check_sizes(const Module& m, const PassContext& ctx);
/// Replaces variables that rename other variables, and fields of known tuples, by the values they stand for.
Module canonicalize_bindings(const Module& m, const PassContext& ctx);
/// Kernels that copy an operand to their result and change parts of it write to the operand, where nothing else reads
/// it.
Module update_in_place(const Module& m, const PassContext& ctx);
/// Kernels that are called with fractions known now become kernels with these numbers.
Module bind_numbers(const Module& m, const PassContext& ctx);
Module copies_to_views(const Module& m, const PassContext& ctx);
/// Groups at least `min_size` consecutive pure bindings into a dataflow block.
Module convert_to_dataflow(const Module& m, const PassContext& ctx);
/// Turns dataflow blocks into plain blocks and dataflow variables into plain variables.
Module to_non_dataflow(const Module& m, const PassContext& ctx);
/// Replaces a pure binding whose value equals that of an earlier binding by a rename of the earlier variable.
Module eliminate_common_subexpr(const Module& m, const PassContext& ctx);
/// Evaluates pure calls of ops and loop-level functions whose arguments are all known at compile time, within limits on
/// the size of the result.
Module fold_constants(const Module& m, const PassContext& ctx);
/// Replaces tensors and shapes that are computed from sizes alone by symbolic shapes and small constants.
Module evaluate_shapes(const Module& m, const PassContext& ctx);
/// Removes pure bindings that nothing uses, and functions that no entry point reaches.
Module eliminate_dead_code(const Module& m, const PassContext& ctx);
/// Makes float32 matmuls read their weights packed into panels as wide as the target's kernels expect.
/// Moves the computations that depend on weights alone into a function, by default `<name>_transform_params`.
Module lift_transform_params(const Module& m, const PassContext& ctx);
/// Bundles the parameters from index `num_input` on into one tuple parameter.
Module bundle_model_params(const Module& m, const PassContext& ctx);
/// Makes functions that transform weights fetch raw weights and hand over results by calls of named functions, one
/// weight at a time.
Module lazy_transform_params(const Module& m, const PassContext& ctx);
/// Replaces weight parameters by calls of a callback parameter that returns one weight.
Module lazy_get_input(const Module& m, const PassContext& ctx);
/// Replaces the fields of the result by calls of a callback parameter that receives one field.
Module lazy_set_output(const Module& m, const PassContext& ctx);
/// Records in each kernel's attributes which of its buffers are weights or constants.
Module attach_attr_layout_free_buffers(const Module& m, const PassContext& ctx);
/// Assigns a virtual device to every tensor type for which one is determined, replaces device hints by copies where
/// data moves, and removes the hints.
Module realize_vdevice(const Module& m, const PassContext& ctx);
/// Replaces one virtual device of the module by another.
Module update_vdevice(const Module& m, const PassContext& ctx);
/// Replaces calls of ops by calls of loop-level functions that the op records generate, and reshapes by views.
Module legalize_ops(const Module& m, const PassContext& ctx);
/// Turns temporary buffers of kernels that are too large to stay in them into additional outputs of the kernel calls.
Module lift_temporaries(const Module& m, const PassContext& ctx);
/// Fuses a kernel with the elementwise kernel that is the only consumer of its result, if the value between them can be
/// kept small.
Module fuse_kernels(const Module& m, const PassContext& ctx);
/// Makes handles of values that bytecode has no form for, and calls of functions of the host of what is done with them:
/// objects, texts, functions as values, tensors of unknown rank or dtype.
Module box_objects(const Module& m, const PassContext& ctx);
/// Moves the branches of Ifs into private functions, so that a branch is a call. Functions that hold local functions,
/// lack types, or use a symbol outside of the branch that defines it stay as they are.
Module outline_branches(const Module& m, const PassContext& ctx);
Module outline_regions(const Module& m, const PassContext& ctx);
/// Adds the form of each called kernel for each target (passes/loop/kernel_forms.h): a copy, which the loop passes
/// below schedule.
Module add_target_forms(const Module& m, const PassContext& ctx);
/// Inline elementwise blocks into the blocks that read them; apply to each block the schedule that fits it; turn blocks
/// into plain statements, marked loops into vector operations and into copies of their bodies; simplify indices. Each
/// works on the forms of kernels, in a module without forms on the kernels.
Module inline_elementwise(const Module& m, const PassContext& ctx);
/// Kernels that the tuning of the module knows name the plans by which `schedule` writes them.
Module apply_tuning(const Module& m, const PassContext& ctx);
Module schedule(const Module& m, const PassContext& ctx);
Module lower_blocks(const Module& m, const PassContext& ctx);
Module vectorize_loops(const Module& m, const PassContext& ctx);
Module unroll_loops(const Module& m, const PassContext& ctx);
Module simplify_loops(const Module& m, const PassContext& ctx);
Module expand_intrinsics(const Module& m, const PassContext& ctx);

/// Inlines calls of private functions, except recursive ones.
Module inline_private_functions(const Module& m, const PassContext& ctx);
/// Replaces parameters of the function `func_name` by the constants in `params`.
Module bind_params(const Module& m, const PassContext& ctx);
/// Replaces the symbols that `binding_map` names by numbers, in `func_name` or in all functions.
Module bind_symbolic_vars(const Module& m, const PassContext& ctx);
/// Merges a reshape of a reshape into one, and removes a reshape to the shape that its operand already has.
Module remove_redundant_reshape(const Module& m, const PassContext& ctx);
/// Rewrites calls of ops by the algebraic rules of the op library until none applies.
Module simplify(const Module& m, const PassContext& ctx);
/// Replaces calls, inside dataflow blocks, of loop-level functions that only reshape a tensor by `reshape`.
Module rewrite_dataflow_reshape(const Module& m, const PassContext& ctx);
/// Renames every function that has a global symbol to that symbol; private functions in conflict get other names.
Module normalize_global_var(const Module& m, const PassContext& ctx);
/// Gives every private function its name as global symbol; loop-level functions get the module's `system_lib_prefix` in
/// front.
Module attach_global_symbol(const Module& m, const PassContext& ctx);
/// Sorts the bindings of each dataflow block topologically, by breadth-first or depth-first search.
Module topological_sort(const Module& m, const PassContext& ctx);
/// Removes parameters that a private function does not read, together with the arguments at its call sites.
Module remove_unused_parameters(const Module& m, const PassContext& ctx);
/// Removes fields of a private function's result tuple that no call site reads.
Module remove_unused_outputs(const Module& m, const PassContext& ctx);
/// Replaces the tuple parameters of private functions by one parameter per field.
Module expand_tuple_arguments(const Module& m, const PassContext& ctx);
/// Replaces scalar expressions used as values by calls of loop-level functions that compute them.
Module compute_prim_value(const Module& m, const PassContext& ctx);
/// Lifts local functions to private functions of the module; those with free variables or symbols, and those used as
/// values, are reached through closures.
Module lambda_lift(const Module& m, const PassContext& ctx);
/// Rewrites concat(permute(a), permute(b)) to permute(concat(a, b)).
Module reorder_permute_dims_after_concat(const Module& m, const PassContext& ctx);
/// Rewrites matmul(x, take(table, i)) to take(matmul(x, table), i).
Module reorder_take_after_matmul(const Module& m, const PassContext& ctx);
/// Rewrites matmul(x, a + b), where a and b have the same shape, to matmul(x, a) + matmul(x, b), unless a + b is known
/// at compile time.
Module expand_matmul_of_sum(const Module& m, const PassContext& ctx);
/// Computes products (matmul, convolution and the like) in dataflow blocks in float16. Ops between them run in float16,
/// too, where that needs no further casts.
Module to_mixed_precision(const Module& m, const PassContext& ctx);
/// Converts ops to the tensor layouts that `desired_layouts` names; ops between them follow.
Module convert_layout(const Module& m, const PassContext& ctx);
Module channels_last(const Module& m, const PassContext& ctx);
/// Replaces transposed convolutions, channels last, by convolutions that compute the phases of their strides as
/// channels.
Module transposed_conv_to_conv(const Module& m, const PassContext& ctx);
Module choose_weight_layouts(const Module& m, const PassContext& ctx);
Module hoist_weight_work(const Module& m, const PassContext& ctx);
Module share_weight_layouts(const Module& m, const PassContext& ctx);
/// Removes pairs of layout transforms that cancel each other.
Module optimize_layout_transform(const Module& m, const PassContext& ctx);
/// Splits kernels that start with a layout transform of parameters in two, so that the first can run ahead of time.
Module split_layout_rewrite(const Module& m, const PassContext& ctx);
/// Replaces kernels that carry an `operator_name` by given implementations, which may expect other layouts.
Module alter_op_impl(const Module& m, const PassContext& ctx);
/// Reassociates a * b * c into the provably cheaper order, keeping factors that are known at compile time together.
Module adjust_matmul_order(const Module& m, const PassContext& ctx);
/// Fuses matmul(x, permute_dims(w)), where the last two axes of w are swapped, into one kernel that reads w directly.
Module fuse_transpose_matmul(const Module& m, const PassContext& ctx);
/// Merges matmuls with the same left operand into one matmul whose result is split.
Module combine_parallel_matmul(const Module& m, const PassContext& ctx);
/// Decompose norms into simpler ops: batch norms by their moving averages for inference; batch norms by the statistics
/// of the batch, and layer norms, for training. The dimensions of shapes that are computed from tensors are bound to
/// symbols.
Module decompose_ops_for_inference(const Module& m, const PassContext& ctx);
Module decompose_ops_for_training(const Module& m, const PassContext& ctx);
/// Chooses narrow elements of a weight before they are widened to floats.
Module choose_before_widening(const Module& m, const PassContext& ctx);
/// Makes products of quantised tensors sums of integers, which are scaled afterwards.
Module compute_in_integers(const Module& m, const PassContext& ctx);
/// Makes what depends on one byte alone, between two tensors of bytes, a table.
Module compute_by_table(const Module& m, const PassContext& ctx);
/// Makes products of float32 data read weights of 16 bits or less as they are before they are widened.
Module keep_weights_narrow(const Module& m, const PassContext& ctx);
/// Casts the operands of products of float32 to bfloat16; sums and results stay float32.
Module compute_in_bfloat16(const Module& m, const PassContext& ctx);
/// Folds a batch norm after a convolution or a matmul, by its moving averages, into the weight, and adds a bias.
Module fold_batch_norm(const Module& m, const PassContext& ctx);
/// Folds channel scales known at compile time, before or after convolutions and matmuls, into their weights.
Module fold_scale_axis(const Module& m, const PassContext& ctx);
/// Replaces a product, a softmax of its rows and a second product by nn.product_attention, where its schedule takes the
/// sizes.
Module recognize_attention(const Module& m, const PassContext& ctx);
/// Rewrites calls that allocate their results into calls that write into preallocated memory.
Module lower_call_tir(const Module& m, const PassContext& ctx);
/// Rewrites tensor allocations into a storage allocation and a tensor in that storage.
Module lower_alloc_tensor(const Module& m, const PassContext& ctx);
/// Turns shapes that are made from a heap of sizes into shapes of symbols, and functions of upstream's virtual machine
/// into ops.
Module raise_shapes(const Module& m, const PassContext& ctx);
/// Turns calls that fill memory into calls with results, where no tensor is read after another one in its memory has
/// been written.
Module raise_calls(const Module& m, const PassContext& ctx);
/// Calls kernels with the memory that they fill, where bytecode will have it.
Module plan_memory(const Module& m, const PassContext& ctx);
/// Begins functions with what bytecode does with sizes before kernels run: where they come from, what is checked, and
/// what is computed.
Module lower_sizes(const Module& m, const PassContext& ctx);
/// Frees tensors and storage after their last use.
Module kill_after_last_use(const Module& m, const PassContext& ctx);
/// Replaces tensor allocations whose uses are known by tensors in storages, which tensors share that are not alive at
/// the same time.
Module plan_block_memory(const Module& m, const PassContext& ctx);
/// Turns ops that the virtual machine runs into calls of its functions by name.
Module lower_runtime_builtin(const Module& m, const PassContext& ctx);
/// Makes functions check what they are given, and keep the sizes that shapes are made from in a heap of numbers.
Module lower_shapes_to_heap(const Module& m, const PassContext& ctx);
/// Makes elementwise calls in dataflow blocks write to the memory of an argument that nothing reads any more.
Module use_inplace_calls(const Module& m, const PassContext& ctx);
/// Sets `force_pure` on pure functions; turns `call_pure_packed` and `invoke_pure_closure` into plain calls.
Module remove_purity_checking(const Module& m, const PassContext& ctx);
/// Groups neighbouring calls of `Composite` functions that share a backend into functions that carry `Codegen`. The
/// composite functions become local functions of the group's function.
Module merge_composite_functions(const Module& m, const PassContext& ctx);
/// States in each kernel's attributes the pattern by which it reads its inputs (passes/analysis/op_pattern.h).
Module annotate_op_pattern(const Module& m, const PassContext& ctx);
/// Moves groups of kernel calls in dataflow blocks into functions that carry `Primitive`, by the patterns of the
/// kernels.
Module fuse_ops(const Module& m, const PassContext& ctx);
/// Replaces functions that carry `Primitive` by loop-level functions, into which the kernels that they call are joined.
Module fuse_tir(const Module& m, const PassContext& ctx);

}  // namespace sunmao
