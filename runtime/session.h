// Session: what one caller that runs a model has of its own: arena, cached layouts, machine, and the model's state. One
// run at a time.
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
#include "runtime/output_blocks.h"
#include "runtime/profile.h"

namespace sunmao::runtime {

class Session {
 public:
  /// Makes a session for the model; fails (E0914) when the model was loaded without code.
  static io::Result<std::unique_ptr<Session>> create(std::shared_ptr<const Model> model);

  /// Runs a function. Outputs without data are set to memory of the session that is valid until its next run or its
  /// end.
  io::Status run(size_t function, std::span<const DLTensor> inputs, std::span<DLTensor> outputs);
  /// Runs a function; each output is allocated separately, and all are NULL after a failure.
  io::Status run_managed(size_t function, std::span<const DLTensor> inputs, std::span<DLManagedTensor*> outputs);

  /// Calls one kernel. E0902 when the number of buffers or dims is wrong; their contents are not checked.
  io::Status run_kernel(uint32_t kernel, std::span<void* const> buffers, std::span<const int64_t> dims);

  /// Gives all states their first values.
  io::Status reset();
  /// Makes a session of the same model with copies of the states, which calls the same functions of the host and asks
  /// the same question.
  io::Result<std::unique_ptr<Session>> copy();
  /// Return and set a state's value. E0925 when it was lost; for one that does not fit what an input fails with.
  io::Result<DLManagedTensor*> get_state(size_t state);
  io::Status set_state(size_t state, const DLTensor& value);
  /// Write the states to a safetensors file, and read them (runtime/state_file.h).
  io::Status save(const std::string& path);
  io::Status load(const std::string& path);

  /// Sets the host's function of that name; E0901 when the model calls none.
  io::Status set_host_function(std::string_view name, HostFunction function);
  /// Sets what runs ask from now on.
  io::Status set_stop(StopQuestion question);

  /// Records the runs from now on, at first nothing; `max_events` of them and their kernel calls one by one.
  io::Status start_profile(uint64_t max_events);
  /// Records no more; what was recorded stays.
  io::Status stop_profile();
  /// Returns what was recorded; null before the first start.
  const Profile* profile() const { return profile_.get(); }

  const Model& model() const { return *model_; }
  /// Returns the number of cached layouts of a function; for tests and statistics.
  size_t layout_count(size_t function) const { return layouts_[function].size(); }

 private:
  explicit Session(std::shared_ptr<const Model> model);

  /// Checks the inputs and returns the layout for their shapes, from the cache or newly made.
  io::Result<Layout*> prepare(size_t function, std::span<const DLTensor> inputs);
  /// Runs the function; a result without storage in results_ is placed in the arena.
  io::Status execute(size_t function, Layout& layout, std::span<const DLTensor> inputs);
  /// Checks the sizes of what a function delivered, and notes those of outputs.
  io::Status learn_sizes(const Signature& signature);
  /// Copies what was delivered to the caller's outputs, and to memory of the session what is not in it.
  io::Status hand_over(const Signature& signature, std::span<DLTensor> outputs);
  io::Status run_in_managed(size_t function, Layout& layout, std::span<const DLTensor> inputs,
                            std::span<DLManagedTensor*> outputs);
  io::Status run_to_managed(size_t function, Layout& layout, std::span<const DLTensor> inputs,
                            std::span<DLManagedTensor*> outputs);
  io::Status make_outputs(const Signature& signature, std::span<DLManagedTensor*> outputs,
                          std::span<const ResultLayout> layouts);
  io::Status separate(const Signature& signature);
  io::Status prepare_states(const Signature& signature);
  uint32_t threads() const;
  Profile* running_profile() const { return is_profiled_ ? profile_.get() : nullptr; }

  const std::shared_ptr<const Model> model_;
  std::vector<LayoutCache> layouts_;  // by function
  Machine machine_;
  Arena arena_;
  Arena copies_;  // outputs that were delivered and lie in memory of others
  const std::shared_ptr<OutputBlocks> blocks_ = std::make_shared<OutputBlocks>();
  std::atomic<bool> is_busy_{false};
  std::unique_ptr<Profile> profile_;
  bool is_profiled_ = false;

  // State of the current run, kept between runs to reuse its memory.
  std::vector<int64_t> shapes_;
  std::vector<InputArgument> arguments_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> results_;
  std::vector<bool> is_owned_;         // per result: it is placed in the arena
  std::vector<ResultLayout> learned_;  // of a function whose results are delivered
};

}  // namespace sunmao::runtime
