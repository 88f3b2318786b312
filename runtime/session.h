// What one caller runs a model with: an arena, the layouts of shapes seen, and the machine. One run at a time.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "io/status.h"
#include "runtime/arena.h"
#include "runtime/call_arguments.h"
#include "runtime/layout_cache.h"
#include "runtime/machine.h"
#include "runtime/model.h"

namespace sunmao::runtime {

class Session {
 public:
  /// E0914 for a model that was loaded without code.
  static io::Result<std::unique_ptr<Session>> create(std::shared_ptr<const Model> model);

  /// Runs a function. Outputs without data are filled in with memory of the session, good until the next run.
  io::Status run(size_t function, std::span<const DLTensor> inputs, std::span<DLTensor> outputs);
  /// Runs a function; `outputs` are allocated one by one, and are all NULL after a failure.
  io::Status run_managed(size_t function, std::span<const DLTensor> inputs, std::span<DLManagedTensor*> outputs);

  /// Calls one kernel. E0902 unless there are as many buffers and dims as it takes; their contents are not checked.
  io::Status run_kernel(uint32_t kernel, std::span<void* const> buffers, std::span<const int64_t> dims);

  const Model& model() const { return *model_; }
  /// Layouts kept for a function: for tests and statistics.
  size_t layout_count(size_t function) const { return layouts_[function].size(); }

 private:
  explicit Session(std::shared_ptr<const Model> model);

  /// Checks inputs and finds the layout for their shapes; fills in inputs_.
  io::Result<Layout*> prepare(size_t function, std::span<const DLTensor> inputs);
  /// Results go to results_ where that has storage, else to the arena.
  io::Status execute(size_t function, const Layout& layout, std::span<const DLTensor> inputs);
  io::Status separate(const Signature& signature);
  uint32_t threads() const;

  const std::shared_ptr<const Model> model_;
  Machine machine_;
  Arena arena_;
  std::vector<LayoutCache> layouts_;  // by function
  std::atomic<bool> is_busy_{false};

  // Of the run under way; kept so that their memory is.
  std::vector<int64_t> shapes_;
  std::vector<InputArgument> arguments_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> results_;
  std::vector<bool> is_owned_;  // by result: it lies in the arena
};

}  // namespace sunmao::runtime
