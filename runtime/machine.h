// Machine: interprets the body of a function, its instructions after `Layout`: resolves tensors and calls kernels. It
// trusts the verifier and the layout.
#pragma once
#include <atomic>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "abi/kernel.h"
#include "io/status.h"
#include "runtime/arena.h"
#include "runtime/layout.h"
#include "runtime/model.h"
#include "runtime/profile.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

/// What one run executes, and the memory that it accesses.
struct Frame {
  const FunctionView& function;
  const Layout& layout;
  Storage arena;
  std::span<const Tensor> inputs;
  std::span<const Tensor> results;
};

class Machine {
 public:
  /// Allocates the registers of the largest function, so that a run that succeeds allocates nothing.
  explicit Machine(const Model& model);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Executes a function's body on up to `threads` threads per kernel. E0913 when a kernel fails, E0919 when an element
  /// of a tensor is an invalid index.
  io::Status run(const Frame& frame, size_t function, uint32_t threads);
  /// Calls one kernel; E0913 when it fails, E0919 when an element of a tensor is an invalid index. The caller
  /// guarantees that `buffers` and `dims` match its signature.
  io::Status run_kernel(uint32_t kernel, void* const* buffers, const int64_t* dims, uint32_t threads);
  /// Records the kernel calls of `run` from now on; null: no longer.
  void set_profile(Profile* profile) { profile_ = profile; }

 private:
  void clear_unused_bits(const Frame& frame, uint32_t tensor) const;
  io::Status call(const Frame& frame, const uint32_t* words);
  /// Converts a kernel's return value and recorded message to a status.
  io::Status status_of(uint32_t kernel, int status, std::string_view function) const;
  /// Makes the scratch memory hold parts for `threads` threads.
  io::Status prepare_threads(uint32_t threads);
  static int parallel_ranges(sunmao_context* context, sunmao_range_body body, void* closure, int64_t count);
  static int parallel_for(sunmao_context* context, sunmao_parallel_body body, void* closure, int64_t count);
  static int fail(sunmao_context* context, const char* message);
  static int fail_index(sunmao_context* context, const char* what, int64_t index, int64_t size);
  void forget_failure();

  const Model& model_;
  Profile* profile_ = nullptr;
  std::vector<Tensor> tensors_;
  std::vector<void*> buffers_;
  std::vector<int64_t> dims_;
  sunmao_context outer_;  // the context of kernels
  sunmao_context inner_;  // that of bodies of parallel loops
  uint64_t scratch_stride_;
  Arena scratch_;
  struct BadIndex {
    int64_t index, size;
  };
  std::atomic<const char*> failure_{nullptr};
  std::optional<BadIndex> bad_index_;  // set together with `failure_`
};

}  // namespace sunmao::runtime
