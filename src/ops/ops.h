// The op library: the table of all ops, and the functions that register them.
#pragma once
#include "ir/op.h"

namespace sunmao {

/// Returns the table of all ops, built once.
const OpTable& builtin_ops();

// One function for each family of ops, each in a file of its own.
void register_unary_ops(OpTable& ops);
void register_activation_ops(OpTable& ops);
void register_binary_ops(OpTable& ops);
void register_incomplete_ops(OpTable& ops);
void register_ternary_ops(OpTable& ops);
void register_create_ops(OpTable& ops);
void register_datatype_ops(OpTable& ops);
void register_manipulate_ops(OpTable& ops);
void register_join_ops(OpTable& ops);
void register_repeat_ops(OpTable& ops);
void register_gather_ops(OpTable& ops);
void register_scatter_ops(OpTable& ops);
void register_layout_ops(OpTable& ops);
void register_index_ops(OpTable& ops);
void register_search_ops(OpTable& ops);
void register_statistical_ops(OpTable& ops);
void register_scan_ops(OpTable& ops);
void register_sorting_ops(OpTable& ops);
void register_set_ops(OpTable& ops);
void register_linear_algebra_ops(OpTable& ops);
void register_einsum_ops(OpTable& ops);
void register_matrix_solving_ops(OpTable& ops);
void register_factorisation_ops(OpTable& ops);
void register_reflection_ops(OpTable& ops);
void register_rotation_ops(OpTable& ops);
void register_convolution_ops(OpTable& ops);
void register_deformable_ops(OpTable& ops);
void register_pool_ops(OpTable& ops);
void register_norm_ops(OpTable& ops);
void register_attention_ops(OpTable& ops);
void register_recurrent_ops(OpTable& ops);
void register_linear_attention_ops(OpTable& ops);
void register_loss_ops(OpTable& ops);
void register_nn_ops(OpTable& ops);
void register_image_ops(OpTable& ops);
void register_vision_ops(OpTable& ops);
void register_dequantized_product_ops(OpTable& ops);
void register_qdq_ops(OpTable& ops);
void register_signal_ops(OpTable& ops);
void register_counting_ops(OpTable& ops);
void register_sampling_ops(OpTable& ops);
void register_random_ops(OpTable& ops);
void register_grad_ops(OpTable& ops);
void register_ccl_ops(OpTable& ops);
void register_call_ops(OpTable& ops);
void register_builtin_ops(OpTable& ops);
void register_memory_ops(OpTable& ops);
void register_inspect_ops(OpTable& ops);
void register_shape_change_ops(OpTable& ops);

}  // namespace sunmao
