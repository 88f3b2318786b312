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
#include "runtime/blocks.h"
#include "runtime/known_starts.h"
#include "runtime/layout_cache.h"
#include "runtime/model.h"
#include "runtime/op_form.h"
#include "runtime/profile.h"
#include "runtime/states.h"
#include "runtime/storage.h"
#include "sunmao/runtime.h"

namespace sunmao::runtime {

/// What one run executes, and the memory that it accesses.
struct Frame {
  size_t function;
  Layout& layout;
  Storage arena;
  std::span<const Tensor> inputs;
  std::span<const Tensor> results;  // of a function that writes them
};

/// What a function delivered.
struct Delivered {
  std::vector<Tensor> tensors;
  std::vector<int64_t> sizes;  // of all tensors, concatenated
};

/// What a run asks now and then; null: nothing.
struct StopQuestion {
  int (*should_stop)(void* data) = nullptr;
  void* data = nullptr;
};

/// A function of the host, which makes its results or is a kernel of an op; null: none.
struct HostFunction {
  sunmao_host_function call = nullptr;
  sunmao_op op = nullptr;
  void* data = nullptr;
};

class Machine {
 public:
  /// Allocates the registers of the largest function, so that a run that succeeds allocates nothing where no function
  /// calls another, and nothing that the run before did not need where one does. `layouts`, a cache for each function,
  /// lives as long as the machine.
  Machine(const Model& model, std::vector<LayoutCache>& layouts);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Executes a function's body on up to `threads` threads per kernel. E0913 when a kernel fails, E0919 when an element
  /// of a tensor is an invalid index.
  /// E0921 when calls are nested too deep; what making the layout of a called function fails with.
  /// The states that the function has are ready. `end_run` must follow.
  io::Status run(const Frame& frame, uint32_t threads);
  /// Makes what the run delivered for states their values. E0910 when there is no memory for a copy.
  io::Status keep_states();
  /// Ends the run; states that were not kept are as before, those that it had changed are lost.
  void end_run();
  States& states() { return states_; }
  /// Returns the results of the last run of a function that does not write them itself. They stay until the next run.
  const Delivered& delivered() const { return delivered_; }
  /// Calls one kernel; E0913 when it fails, E0919 when an element of a tensor is an invalid index. The caller
  /// guarantees that `buffers` and `dims` match its signature.
  io::Status run_kernel(uint32_t kernel, void* const* buffers, const int64_t* dims, uint32_t threads);
  /// Records the kernel calls of `run` from now on; null: no longer.
  void set_profile(Profile* profile) { profile_ = profile; }
  void set_stop(StopQuestion question) { stop_ = question; }
  /// To be called when a layout has been added to a cache, which may drop another.
  void forget_starts() { known_.clear(); }
  /// Takes over the functions of the host and the question of another machine of the same model.
  void share_host(const Machine& other);
  /// Sets the host's function of that name. E0901 when the model calls none, E0927 when it calls one in a form that is
  /// none of a kernel.
  io::Status set_host_function(std::string_view name, HostFunction function);

 private:
  /// A function that runs.
  struct Activation {
    const FunctionView* view = nullptr;
    Layout* layout = nullptr;
    std::byte* arena = nullptr;
    const uint32_t* at = nullptr;     // where it goes on
    uint32_t registers = 0;           // its first tensor register in tensors_
    uint32_t params = 0;              // its first parameter in params_; of inner functions
    uint32_t blocks = kNoBlock;       // the list of what it took
    uint32_t arena_block = kNoBlock;  // kNoBlock: none, or memory of the session
    // What waits in its caller for what it delivers; both null: nothing, it began the run.
    const uint32_t* results = nullptr;  // operands of the call
    const uint32_t* next = nullptr;     // a function, with its arguments, that takes the caller's place
  };
  struct RegisteredFunction {
    HostFunction function;
    std::string form = {};
    std::shared_ptr<const OpForm> op_form = nullptr;  // of a kernel
  };
  /// The registers that an inner function begins by filling with parameters, which whoever starts it does in place of
  /// these instructions; empty for a function that reads parameters elsewhere too.
  struct ParamRegisters {
    std::vector<uint32_t> of_param;  // kNone: it reads only the sizes
    size_t words = 0;                // of the instructions
  };
  static ParamRegisters find_param_registers(const FunctionView& f);
  /// What the present activation is made of, at hand.
  struct Now {
    const Layout* layout;
    Tensor* tensors;
    std::byte* arena;
    const uint32_t* at;
  };

  Now now() {
    const Activation& a = activations_.back();
    return {a.layout, tensors_.data() + a.registers, a.arena, a.at};
  }
  /// Returns where the word of that number of the present function is.
  const uint32_t* word(uint32_t number) const { return activations_.back().view->words.data() + number; }
  io::Status interpret(const Frame& frame);
  const Tensor& param(const Frame& frame, uint32_t number) const;
  io::Status take_block(uint64_t bytes, uint32_t& block);
  /// The running function as an owner of blocks: known by how many functions run.
  Blocks::Owner owner() { return {activations_.back().blocks, activations_.size()}; }
  io::Status make_block(uint32_t reg);
  /// The same, if there is a block at hand that is none of the large ones.
  bool make_small_block(const Layout& layout, uint32_t reg, Tensor& to);
  /// Executes `Own`, whose operands begin at `words`.
  io::Status own(const uint32_t* words);
  /// True when the running function alone uses the block of a tensor: none of the tensors counted at `others` is there.
  bool has_alone(const Tensor* tensors, uint32_t tensor, const uint32_t* others) const;
  io::Status make_values(const uint32_t* words);
  io::Status check_values(const uint32_t* words);
  struct Callee {
    const uint32_t* words = nullptr;  // its number, then its arguments
    // As in its activation; both null: it takes the place of the present function.
    const uint32_t* results = nullptr;
    const uint32_t* next = nullptr;
    bool is_nested() const { return results || next; }
  };
  /// Returns the first word after a function and its arguments.
  const uint32_t* after(const uint32_t* callee) const { return callee + argument_words_[*callee]; }
  /// Return the function that a call names, or one of two: of one that waits, and of one that ends with the call.
  Callee callee_of(const uint32_t* words, const Tensor* tensors) const;
  const uint32_t* callee_of_follow(const uint32_t* words, const Tensor* tensors) const;
  /// Starts a function and makes it the present one; one of the host has ended then. The present one goes on at `at`.
  io::Status start(const Callee& callee, const uint32_t* at);
  /// The same for a start that is known, but for memory; false when it is not, or too deep.
  bool start_known(const Callee& callee, const uint32_t* at);
  /// The same for a start of which nothing is known.
  io::Status start_new(const Callee& callee, const uint32_t* at);
  /// Starts a function that takes the place of the present one; false where that is more than moving arguments.
  bool follow_known(const uint32_t* callee, const Now& now);
  /// Ends the list of the present function, but for what is passed.
  void end_followed(const KnownStarts::Moves& moves, uint32_t& list, const Tensor* registers) {
    for (size_t m = 0; m < moves.staying; ++m) blocks_.keep(registers[moves.move[m].from].storage.block);
    for (size_t m = moves.staying; m < moves.all; ++m)
      blocks_.keep(delivered_.tensors[moves.move[m].from].storage.block);
    blocks_.end({list, activations_.size()});
  }
  void pass_known(const KnownStarts::Moves& moves, const Tensor* from, Tensor* to) const {
    if (moves.is_circle) [[unlikely]]
      return pass_circle(moves, from, to);
    for (size_t m = 0; m < moves.moving; ++m) to[moves.move[m].to] = from[moves.move[m].from];
    for (size_t m = moves.staying; m < moves.all; ++m) to[moves.move[m].to] = delivered_.tensors[moves.move[m].from];
  }
  void pass_circle(const KnownStarts::Moves& moves, const Tensor* from, Tensor* to) const;
  /// Makes an activation that of what starts.
  static void enter(Activation& a, const KnownStarts::Start& start) {
    if (a.layout) --a.layout->users;
    ++start.layout->users;
    a.layout = start.layout;
    a.view = start.view;
    a.at = start.at;
  }
  /// Remembers a start.
  void learn(const Callee& callee, const Layout* caller, Layout* layout);
  /// Gives the present function memory for its slots.
  io::Status take_arena();
  /// Adds an activation for a function that its caller, which goes on at `at`, waits for; false when there are too
  /// many.
  bool nest(const Callee& callee, const uint32_t* at);
  io::Status too_deep(const FunctionView& function) const;
  struct Passed {
    bool is_valid = true;           // false: a size that a tensor holds is negative, or there are too few
    bool is_sized_by_data = false;  // or by a function of the host
  };
  /// Writes the arguments of a function to params_, from `first` on, and their sizes to shapes_.
  Passed pass(const uint32_t* words, const Now& now, size_t first);
  /// Calls a function of the host, which ends before the machine goes on.
  io::Status call_host(const Callee& callee, const uint32_t* at);
  io::Status run_host(const FunctionView& view, const RegisteredFunction& host);
  io::Status run_op(const FunctionView& view, const RegisteredFunction& host);
  /// Lists the arguments of a function of the host.
  void list_inputs(const FunctionView& view, std::span<const Tensor> args);
  /// Makes a tensor of these sizes that is delivered.
  io::Status make_result(std::span<const int64_t> shape, uint64_t bytes);
  io::Status take_result(const FunctionView& view, size_t result, const DLManagedTensor* tensor);
  io::Status check_host_sizes(const FunctionView& view, const uint32_t* results) const;
  io::Status negative_size(const FunctionView& function) const;
  void pass_delivered(uint32_t index, std::span<int64_t> sizes, Tensor& to);
  /// Finds the layout of a function for the sizes in shapes_, or makes it.
  io::Status find_layout(size_t function, Layout*& layout);
  /// Copies what the present function delivers, the operands being at `words`.
  void deliver(const uint32_t* words);
  /// Ends the present function, which has delivered, and goes on with its caller.
  io::Status end_call();
  io::Status write_results(const uint32_t* to, const FunctionView& from);
  /// Writes the sizes of what a function delivered, the operands of its `Deliver` being at `words`.
  void write_sizes(const uint32_t* words, const FunctionView& from, const Layout& layout);
  /// Fails (E0922) when it is time to ask and the answer is to stop.
  io::Status ask();
  static bool is_true(const Tensor& condition) {
    return *static_cast<const uint8_t*>(cpu_address(condition.storage)) != 0;
  }
  static void clear_unused_bits(const Layout& layout, uint32_t reg, const Tensor& tensor);
  /// Returns the status of the kernel; 0 is success.
  int call(const uint32_t* words, const Layout& layout, const Tensor* tensors);
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
  std::vector<LayoutCache>& layouts_;
  const sunmao_kernel* kernels_;
  std::vector<FunctionView> functions_;
  std::vector<RegisteredFunction> hosts_;        // by function
  std::vector<size_t> argument_words_;           // by function: of its number and its arguments in a call
  std::vector<ParamRegisters> param_registers_;  // by function
  std::vector<Activation> activations_;
  std::vector<Tensor> params_;
  std::vector<int64_t> shapes_;  // of arguments on their way
  Delivered delivered_;
  const FunctionView* delivered_from_ = nullptr;
  const Layout* delivered_by_ = nullptr;    // null: by the host
  const uint32_t* delivered_at_ = nullptr;  // operands that delivered_.sizes are yet to be written from; null: they are
  KnownStarts known_;
  std::vector<DLTensor> host_inputs_;
  std::vector<int64_t> host_counts_;  // of the sizes that inputs hold
  std::vector<DLManagedTensor*> host_outputs_;
  std::vector<DLTensor> op_inputs_, op_outputs_;
  std::vector<sunmao_op_value> op_values_;
  Blocks blocks_;
  States states_;
  Profile* profile_ = nullptr;
  StopQuestion stop_;
  uint64_t asked_ = 0;         // when, in cycles
  uint64_t read_ = 0;          // when the time was read
  uint32_t until_time_ = 1;    // steps until it is read again
  uint32_t steps_unseen_ = 1;  // between two reads
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
