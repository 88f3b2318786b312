// Table of the intrinsics `T.<name>(…)`: scalar functions that are read as calls by name.
#include <algorithm>
#include <array>
#include <vector>

#include "script/intrinsics.h"
#include "script/spelling.h"
#include "support/spelling.h"

namespace sunmao::script {
namespace {

constexpr std::array<std::string_view, 142> kNames{"TVMBackendAllocWorkspace",
                                                   "TVMBackendFreeWorkspace",
                                                   "abs",
                                                   "acos",
                                                   "acosh",
                                                   "address_of",
                                                   "anylist_getitem",
                                                   "anylist_resetitem",
                                                   "anylist_setitem_call_cpacked",
                                                   "anylist_setitem_call_packed",
                                                   "asin",
                                                   "asinh",
                                                   "assume",
                                                   "atan",
                                                   "atan2",
                                                   "atanh",
                                                   "bitwise_and",
                                                   "bitwise_not",
                                                   "bitwise_or",
                                                   "bitwise_xor",
                                                   "break_loop",
                                                   "call_cpacked",
                                                   "call_cpacked_lowered",
                                                   "call_extern",
                                                   "call_function",
                                                   "call_intrin",
                                                   "call_kernel",
                                                   "call_llvm_intrin",
                                                   "call_llvm_pure_intrin",
                                                   "call_packed",
                                                   "call_packed_lowered",
                                                   "call_pure_extern",
                                                   "call_tir",
                                                   "ceil",
                                                   "ceildiv",
                                                   "checked_index",
                                                   "clz",
                                                   "continue_loop",
                                                   "cooperative_tensor_fill",
                                                   "cooperative_tensor_load",
                                                   "cooperative_tensor_multiply_accumulate",
                                                   "cooperative_tensor_store",
                                                   "copysign",
                                                   "cos",
                                                   "cosh",
                                                   "create_barriers",
                                                   "dp4a",
                                                   "end_profile_intrinsic",
                                                   "erf",
                                                   "exp",
                                                   "exp10",
                                                   "exp2",
                                                   "fabs",
                                                   "filter",
                                                   "floor",
                                                   "fma",
                                                   "fmod",
                                                   "get_active_lane_mask",
                                                   "handle_add_byte_offset",
                                                   "hypot",
                                                   "if_then_else",
                                                   "ignore_loop_partition",
                                                   "isfinite",
                                                   "isinf",
                                                   "isnan",
                                                   "isnullptr",
                                                   "large_uint_imm",
                                                   "ldexp",
                                                   "likely",
                                                   "llvm_lookup_intrinsic_id",
                                                   "log",
                                                   "log10",
                                                   "log1p",
                                                   "log2",
                                                   "lookup_param",
                                                   "mma_fill",
                                                   "mma_fill_legacy",
                                                   "mma_store",
                                                   "mma_store_legacy",
                                                   "nearbyint",
                                                   "nextafter",
                                                   "popcount",
                                                   "pow",
                                                   "power",
                                                   "prefetch",
                                                   "print_buffer",
                                                   "ptr_byte_offset",
                                                   "q_multiply_shift",
                                                   "q_multiply_shift_per_axis",
                                                   "reinterpret",
                                                   "ret",
                                                   "round",
                                                   "rsqrt",
                                                   "selector",
                                                   "shift_left",
                                                   "shift_right",
                                                   "sigmoid",
                                                   "sin",
                                                   "sinh",
                                                   "sqrt",
                                                   "start_profile_intrinsic",
                                                   "static_assert",
                                                   "tan",
                                                   "tanh",
                                                   "thread_return",
                                                   "trunc",
                                                   "tvm_access_ptr",
                                                   "tvm_bmma_sync",
                                                   "tvm_call_cpacked",
                                                   "tvm_call_cpacked_lowered",
                                                   "tvm_call_packed",
                                                   "tvm_call_packed_lowered",
                                                   "tvm_check_return",
                                                   "tvm_context_id",
                                                   "tvm_fill_fragment",
                                                   "tvm_global_barrier_kinit",
                                                   "tvm_kernel_replace_point",
                                                   "tvm_load_matrix_sync",
                                                   "tvm_mma_sync",
                                                   "tvm_stack_alloca",
                                                   "tvm_stack_make_array",
                                                   "tvm_stack_make_shape",
                                                   "tvm_static_handle",
                                                   "tvm_storage_sync",
                                                   "tvm_store_matrix_sync",
                                                   "tvm_struct_get",
                                                   "tvm_struct_set",
                                                   "tvm_thread_allreduce",
                                                   "tvm_thread_invariant",
                                                   "tvm_throw_last_error",
                                                   "tvm_tuple",
                                                   "tvm_warp_activemask",
                                                   "tvm_warp_shuffle",
                                                   "tvm_warp_shuffle_down",
                                                   "tvm_warp_shuffle_up",
                                                   "tvm_warp_shuffle_xor",
                                                   "type_annotation",
                                                   "undef",
                                                   "vectorcombine",
                                                   "vectorhigh",
                                                   "vectorlow",
                                                   "vscale"};
static_assert(std::ranges::is_sorted(kNames));

// Device-specific functions are recognised by the prefix of their family: `T.ptx.…`, `T.metal.…`.
constexpr std::array<std::string_view, 9> kFamilies{"cuda",       "hexagon", "metal", "nvshmem", "ptx",
                                                    "ptx_legacy", "rocm",    "s_tir", "webgpu"};

}  // namespace

bool is_intrinsic(std::string_view name) {
  if (std::ranges::binary_search(kNames, name)) return true;
  bool is_older = name.starts_with("ptx_") || name.starts_with("simdgroup_") || name.starts_with("make_filled_");
  if (is_older && is_name(name)) return true;
  size_t dot = name.find('.');
  if (dot == std::string_view::npos || std::ranges::find(kFamilies, name.substr(0, dot)) == kFamilies.end())
    return false;
  for (size_t at = dot; at != std::string_view::npos;) {
    size_t next = name.find('.', at + 1);
    std::string_view part = name.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    if (part.empty()) return false;
    at = next;
  }
  return true;
}

std::string nearest_intrinsic(std::string_view name) {
  std::vector<std::string> names;
  for (std::string_view known : kNames) names.emplace_back(known);
  return did_you_mean(std::string(name), names);
}

}  // namespace sunmao::script
