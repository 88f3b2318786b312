// Names of the intrinsics `T.<name>(…)` that are read as calls by name: those of loop/intrinsics/table.h, and others,
// most of which scripts alone know.
#include <algorithm>
#include <array>
#include <vector>

#include "loop/intrinsics/table.h"
#include "script/intrinsics.h"
#include "script/spelling.h"
#include "support/spelling.h"

namespace sunmao::script {
namespace {

constexpr std::array<std::string_view, 96> kNames{"TVMBackendAllocWorkspace",
                                                  "TVMBackendFreeWorkspace",
                                                  "address_of",
                                                  "anylist_getitem",
                                                  "anylist_resetitem",
                                                  "anylist_setitem_call_cpacked",
                                                  "anylist_setitem_call_packed",
                                                  "assume",
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
                                                  "ceildiv",
                                                  "checked_index",
                                                  "clz",
                                                  "continue_loop",
                                                  "cooperative_tensor_fill",
                                                  "cooperative_tensor_load",
                                                  "cooperative_tensor_multiply_accumulate",
                                                  "cooperative_tensor_store",
                                                  "create_barriers",
                                                  "dp2a",
                                                  "dp4a",
                                                  "end_profile_intrinsic",
                                                  "filter",
                                                  "get_active_lane_mask",
                                                  "handle_add_byte_offset",
                                                  "if_then_else",
                                                  "ignore_loop_partition",
                                                  "isnullptr",
                                                  "large_uint_imm",
                                                  "ldexp",
                                                  "llvm_lookup_intrinsic_id",
                                                  "lookup_param",
                                                  "mma_fill",
                                                  "mma_fill_legacy",
                                                  "mma_store",
                                                  "mma_store_legacy",
                                                  "nextafter",
                                                  "popcount",
                                                  "prefetch",
                                                  "print_buffer",
                                                  "ptr_byte_offset",
                                                  "q_multiply_shift",
                                                  "q_multiply_shift_per_axis",
                                                  "reinterpret",
                                                  "ret",
                                                  "selector",
                                                  "start_profile_intrinsic",
                                                  "static_assert",
                                                  "thread_return",
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
  if (find_intrinsic(name) || std::ranges::binary_search(kNames, name)) return true;
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
  for (const Intrinsic& known : all_intrinsics()) names.emplace_back(known.name);
  return did_you_mean(std::string(name), names);
}

}  // namespace sunmao::script
