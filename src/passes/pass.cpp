#include "passes/pass.h"

#include "eval/evaluator.h"
#include "passes/graph/graph_passes.h"

namespace sunmao {

const Executor& evaluating_executor() {
  class Evaluating final : public Executor {
    Value call(const Module& module, const std::string& function, const std::vector<Value>& args) const override {
      return Evaluator(module).call(function, args);
    }
  };
  static const Evaluating executor;
  return executor;
}

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> passes{
      {"normalize",
       "operands become leaves, every type is known",
       "Normalize",
       normalize,
       true,
       {{"as_written", "whether calls of ops that programs have added stay as they are, default False", false}}},
      {"canonicalize-bindings", "bindings that only rename are removed", "CanonicalizeBindings", canonicalize_bindings,
       /*is_idempotent=*/false},
      {"fold-constants",
       "calls on constants are evaluated, unless that grows the module",
       "FoldConstant",
       fold_constants,
       true,
       {{"keep", "ops whose calls stay as they are"}}},
      {"simplify", "ops by algebraic rules that hold bit for bit", "", simplify},
      {"eliminate-dead-code",
       "what nothing uses is removed",
       "DeadCodeElimination",
       eliminate_dead_code,
       true,
       {{"entry_functions", "functions that stay beside those with a global symbol"}}},
      {"convert-to-dataflow",
       "runs of pure bindings become dataflow blocks",
       "ConvertToDataflow",
       convert_to_dataflow,
       false,
       {{"min_size", "the shortest run that makes a block, default 2", 2}}},
      {"merge-composite-functions", "neighbouring composite functions of one backend become one function",
       "MergeCompositeFunctions", merge_composite_functions},
      {"to-non-dataflow", "dataflow blocks become plain blocks", "ToNonDataflow", to_non_dataflow},
      {"eliminate-common-subexpr",
       "equal bindings are computed once",
       "EliminateCommonSubexpr",
       eliminate_common_subexpr,
       true,
       {{"call_only", "whether only calls are compared, default False", false}}},
      {"inline-private-functions", "calls of private functions become their bodies", "InlinePrivateFunctions",
       inline_private_functions},
      {"bind-params",
       "parameters become constants",
       "BindParams",
       bind_params,
       false,
       {{"func_name", "the function"}, {"params", "values by the names of parameters"}}},
      {"bind-symbolic-vars",
       "symbolic dimensions become numbers",
       "BindSymbolicVars",
       bind_symbolic_vars,
       false,
       {{"binding_map", "numbers by the names of symbols"}, {"func_name", "the function; None for all"}}},
      {"remove-redundant-reshape", "chains of reshapes become one", "RemoveRedundantReshape", remove_redundant_reshape},
      {"rewrite-dataflow-reshape", "kernels that only give another shape become reshapes", "RewriteDataflowReshape",
       rewrite_dataflow_reshape},
      {"remove-unused-parameters", "parameters that a private function does not read go", "RemoveUnusedParameters",
       remove_unused_parameters, false},
      {"remove-unused-outputs", "results of private functions that nobody takes go", "RemoveUnusedOutputs",
       remove_unused_outputs, false},
      {"expand-tuple-arguments", "private functions take the fields of tuples one by one", "ExpandTupleArguments",
       expand_tuple_arguments},
      {"topological-sort",
       "bindings of dataflow blocks are put in the order of a search",
       "TopologicalSort",
       topological_sort,
       false,
       {{"order", "depth-first (the default) or breadth-first", "depth-first"},
        {"direction", "from-inputs (the default) or from-outputs", "from-inputs"}}},
      {"compute-prim-value", "scalar expressions become calls of loop-level functions", "ComputePrimValue",
       compute_prim_value},
      {"normalize-global-var", "functions are renamed to their global symbols", "NormalizeGlobalVar",
       normalize_global_var},
      {"attach-global-symbol", "private functions become public under their names", "AttachGlobalSymbol",
       attach_global_symbol},
      {"lambda-lift", "local functions become functions of the module", "LambdaLift", lambda_lift},
      {"reorder-permute-dims-after-concat", "joined permutations become one permutation",
       "ReorderPermuteDimsAfterConcat", reorder_permute_dims_after_concat},
      {"reorder-take-after-matmul", "products with taken weights are taken afterwards", "ReorderTakeAfterMatmul",
       reorder_take_after_matmul},
      {"expand-matmul-of-sum", "a product with a sum becomes a sum of products", "ExpandMatmulOfSum",
       expand_matmul_of_sum},
      {"adjust-matmul-order", "products of three take the cheaper order", "AdjustMatmulOrder", adjust_matmul_order},
      {"combine-parallel-matmul", "products of one left operand become one product", "CombineParallelMatmul",
       combine_parallel_matmul},
      {"fuse-transpose-matmul", "products with a transposed operand read it as it is", "FuseTransposeMatmul",
       fuse_transpose_matmul},
      {"to-mixed-precision",
       "products compute on float16",
       "ToMixedPrecision",
       to_mixed_precision,
       false,
       {{"out_dtype", "what products accumulate in and give: float32, or float16", "float32"},
        {"fp16_input_names", "parameters that become float16"}}},
      {"convert-layout",
       "convolutions and pools compute in wanted layouts, and what lies between follows",
       "ConvertLayout",
       convert_layout,
       true,
       {{"desired_layouts", "for each op the layouts of its tensors, such as {nn.conv2d: [NHWC, OHWI]}"}}},
      {"decompose-ops-for-inference",
       "norms by their moving averages, in simpler ops",
       "DecomposeOpsForInference",
       decompose_ops_for_inference,
       true,
       {{"func_name", "the function; None for all"}}},
      {"decompose-ops-for-training",
       "norms by the batch, in simpler ops",
       "DecomposeOpsForTraining",
       decompose_ops_for_training,
       true,
       {{"func_name", "the function; None for all"}}},
      {"fold-batch-norm", "batch norms for inference go into the weights of convolutions", "FoldBatchnormToConv2D",
       fold_batch_norm},
      {"lower-call-tir", "results of loop-level calls get their memory before the call", "CallTIRRewrite",
       lower_call_tir},
      {"lower-alloc-tensor", "new tensors become tensors in new memory", "LowerAllocTensor", lower_alloc_tensor},
      {"kill-after-last-use", "tensors and memory are given back behind their last use", "KillAfterLastUse",
       kill_after_last_use, false},
      {"remove-purity-checking", "purity is tracked no further", "RemovePurityChecking", remove_purity_checking},
      {"pack-weights", "weights of products are packed for the target's kernels", "", pack_weights},
      {"lift-transform-params", "work on weights alone moves to <name>_transform_params", "LiftTransformParams",
       lift_transform_params},
      {"legalize-ops", "ops become calls of loop-level functions", "LegalizeOps", legalize_ops},
      {"lift-temporaries", "large temporaries of kernels become tensors whose memory is planned", "", lift_temporaries},
      {"fuse-kernels", "elementwise kernels join the kernel that feeds them", "", fuse_kernels},
  };
  return passes;
}

const Pass* find_pass(std::string_view name) {
  for (const Pass& p : all_passes())
    if (name == p.name) return &p;
  return nullptr;
}

}  // namespace sunmao
