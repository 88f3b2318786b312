// Runs the body of a function: resolves tensors and calls kernels. It trusts the verifier and the layout.
#pragma once
#include <atomic>
#include <span>
#include <vector>

#include "abi/kernel.h"
#include "io/status.h"
#include "runtime/layout.h"
#include "runtime/model.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

/// Where everything is that a body touches.
struct Frame {
  const FunctionView& function;
  const Layout& layout;
  Storage arena;
  std::span<const Tensor> inputs;
  std::span<const Tensor> results;
};

class Machine {
 public:
  /// Reserves what the largest function needs, so that running allocates nothing.
  explicit Machine(const Model& model);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// E0913 when a kernel fails. `threads` may take part in each kernel.
  io::Status run(const Frame& frame, size_t function, uint32_t threads);

 private:
  io::Status call(const Frame& frame, const uint32_t* words);
  static int parallel_for(sunmao_context* context, sunmao_parallel_body body, void* closure, int64_t count);
  static int loop_in_place(sunmao_context* context, sunmao_parallel_body body, void* closure, int64_t count);
  static int fail(sunmao_context* context, const char* message);

  const Model& model_;
  std::vector<Tensor> tensors_;
  std::vector<void*> buffers_;
  std::vector<int64_t> dims_;
  sunmao_context outer_;  // of kernels
  sunmao_context inner_;  // of the bodies of parallel loops
  std::atomic<const char*> failure_{nullptr};
};

}  // namespace sunmao::runtime
