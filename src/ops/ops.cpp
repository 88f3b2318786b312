#include "ops/ops.h"

namespace sunmao {

const OpTable& builtin_ops() {
  static const OpTable table = [] {
    OpTable ops;
    register_unary_ops(ops);
    register_activation_ops(ops);
    register_binary_ops(ops);
    register_incomplete_ops(ops);
    register_ternary_ops(ops);
    register_create_ops(ops);
    register_datatype_ops(ops);
    register_manipulate_ops(ops);
    register_join_ops(ops);
    register_repeat_ops(ops);
    register_gather_ops(ops);
    register_scatter_ops(ops);
    register_layout_ops(ops);
    register_index_ops(ops);
    register_search_ops(ops);
    register_statistical_ops(ops);
    register_scan_ops(ops);
    register_sorting_ops(ops);
    register_set_ops(ops);
    register_linear_algebra_ops(ops);
    register_einsum_ops(ops);
    register_matrix_solving_ops(ops);
    register_factorisation_ops(ops);
    register_reflection_ops(ops);
    register_rotation_ops(ops);
    register_convolution_ops(ops);
    register_deformable_ops(ops);
    register_pool_ops(ops);
    register_norm_ops(ops);
    register_attention_ops(ops);
    register_recurrent_ops(ops);
    register_linear_attention_ops(ops);
    register_loss_ops(ops);
    register_nn_ops(ops);
    register_image_ops(ops);
    register_vision_ops(ops);
    register_dequantized_product_ops(ops);
    register_qdq_ops(ops);
    register_signal_ops(ops);
    register_counting_ops(ops);
    register_sampling_ops(ops);
    register_random_ops(ops);
    register_grad_ops(ops);
    register_ccl_ops(ops);
    register_call_ops(ops);
    register_builtin_ops(ops);
    register_memory_ops(ops);
    register_inspect_ops(ops);
    register_shape_change_ops(ops);
    return ops;
  }();
  return table;
}

}  // namespace sunmao
