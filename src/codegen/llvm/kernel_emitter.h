// KernelEmitter: translates a lowered PrimFunc to LLVM IR. The implementation is split over memory.cpp,
// packed_elements.cpp, byte_tables.cpp, temporaries.cpp, scalars.cpp, intrinsics.cpp, lane_masks.cpp, byte_dots.cpp,
// pair_dots.cpp, bfloat_rounding.cpp, control.cpp and parallel.cpp.
#pragma once
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/arithmetic.h"
#include "codegen/llvm/types.h"
#include "loop/calls.h"
#include "target/target.h"

namespace sunmao::llvm_codegen {

/// The LLVM module being built, shared by its kernels.
struct ModuleState {
  llvm::Module& module;
  const Target& target;
  std::map<std::string, llvm::GlobalVariable*> strings = {};
  int64_t scratch_bytes = 0;  // the most that its kernels need on a thread
};

/// Sets the target's features and vector width on `function`, and `no-builtins`, so that it calls no library.
void set_target_attributes(llvm::Function& function, const Target& target);

class KernelEmitter {
 public:
  KernelEmitter(ModuleState& state, std::string name, const Ref<PrimFunc>& func);
  /// Emits the kernel and returns its entry function, of type sunmao_kernel.
  llvm::Function* emit();

 private:
  struct InScratch {
    llvm::GetElementPtrInst* place;
    int64_t begin, end;
  };
  /// State of the function being emitted: the kernel's body, or the body of a parallel loop.
  struct Frame {
    llvm::Function* function = nullptr;
    llvm::Value* context = nullptr;        // sunmao_context*
    llvm::Instruction* allocas = nullptr;  // insertion point for local buffers
    llvm::Value* mask = nullptr;           // active lanes inside a vector `if`; null: all
    bool is_task = false;                  // true for the body of a parallel loop
    int64_t stack_bytes = 0;               // of temporaries on the stack
    int64_t scratch_end = 0;               // end of the present temporaries in scratch memory
    llvm::LoadInst* scratch = nullptr;     // its address; null until it is used
    std::vector<InScratch> in_scratch;
    std::unordered_map<const SymVar*, llvm::Value*> values;
    std::unordered_map<const Buffer*, llvm::Value*> buffers;
    std::map<std::pair<llvm::Type*, int>, llvm::AllocaInst*> lane_memory;
  };
  struct Captures {
    std::vector<Ref<SymVar>> vars;
    std::vector<Ref<Buffer>> buffers;
  };

  // Defined in parallel.cpp.
  /// Says whether a product and a sum may be rounded once, as some targets do. Where numbers are quantised they may
  /// not, so that bytes are the same on all targets; but products that are added up may, of bytes they are exact.
  void may_contract(bool may);
  llvm::Function* make_function(const std::string& name, llvm::ArrayRef<llvm::Type*> params);
  void begin_body(Frame& frame, llvm::Function* function);
  llvm::Function* emit_body();
  llvm::Function* emit_task(const For& loop, const Captures& captures);
  llvm::Function* emit_thunk(llvm::Function* task, llvm::StructType* closure);
  void emit_parallel(const For& loop, const Scalar& condition);
  void call_on_threads(llvm::Function* thunk, llvm::Value* closure, llvm::Value* count);
  void call_in_place(llvm::Function* thunk, llvm::Value* closure, llvm::Value* count);
  void return_if_failed(llvm::Value* status);
  Captures captures_of(const For& loop) const;
  /// Of sunmao_context (abi/kernel.h).
  enum class ContextField : uint8_t { NumThreads = 1, Fail = 3, FailIndex = 5, ParallelRanges = 6, Scratch = 8 };
  llvm::Value* context_field(ContextField field, llvm::Type* type);

  // Defined in control.cpp.
  void emit_stmt(const Stmt& s);
  void emit_for(const For& loop);
  void emit_while(const While& loop);
  void emit_if(const IfThenElse& s);
  void emit_assert(const Assert& s);
  llvm::Value* emit_index_check(const ScalarCall& call);
  llvm::Constant* text(const std::string& s);
  void emit_masked_if(const IfThenElse& s, llvm::Value* condition);
  void emit_serial_loop(llvm::Value* count, const std::string& name, const std::function<void(llvm::Value*)>& body);
  llvm::BasicBlock* make_block(const char* name);

  // Defined in temporaries.cpp.
  void emit_alloc(const AllocBuffer& s);
  llvm::Value* on_stack(const Buffer& buffer, int64_t bytes);
  llvm::Value* in_scratch(const Buffer& buffer, int64_t bytes);
  void end_body();

  // Defined in memory.cpp.
  void declare(const Ref<Buffer>& buffer, llvm::Value* pointer);
  llvm::Value* pointer_of(const Ref<Buffer>& buffer) const;
  /// An offset in elements from a buffer's pointer: `variable`, null for none, and a constant, apart from each other,
  /// so that accesses to neighbouring elements share the former.
  struct Offset {
    llvm::Value* variable = nullptr;
    int64_t constant = 0;
  };
  Offset split_offset(const Ref<Buffer>& buffer, std::span<const Scalar> indices);
  Offset split_index(const Scalar& s);
  llvm::Value* element_offset(const Ref<Buffer>& buffer, std::span<const Scalar> indices);
  /// Returns the address of an element.
  llvm::Value* place_of(const Ref<Buffer>& buffer, std::span<const Scalar> indices);
  llvm::Value* emit_index(const Scalar& s);
  llvm::Value* emit_load(const BufferLoad& load);
  void emit_store(const BufferStore& store);
  void emit_prefetch(const BufferLoad& load);
  llvm::Value* load_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices, DType dtype);
  /// Returns what lanes at known distances read, by a load of the vector that they lie in; null for other lanes. No
  /// element is read before the first or behind the last one that an active lane reads.
  llvm::Value* load_near_lanes(const Ref<Buffer>& buffer, std::span<const Scalar> indices);
  void store_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices, llvm::Value* value);
  llvm::Value* full_or_current_mask(int lanes);
  /// Returns the current mask, restricted by `predicate` unless it is null.
  llvm::Value* narrowed_mask(const Scalar& predicate);
  /// Returns the indices of the first lane if `indices` are consecutive elements, else nullopt.
  static std::optional<std::vector<Scalar>> first_of_contiguous(const Buffer& buffer, std::span<const Scalar> indices);
  /// Returns the offset of the first lane if `indices` are consecutive elements, else null.
  llvm::Value* contiguous_offset(const Ref<Buffer>& buffer, std::span<const Scalar> indices);
  /// Returns a pointer to the first lane if `indices` are consecutive elements, else null.
  llvm::Value* contiguous_pointer(const Ref<Buffer>& buffer, std::span<const Scalar> indices);
  llvm::Value* lane_pointers(const Ref<Buffer>& buffer, std::span<const Scalar> indices, int lanes);

  // Defined in bfloat_rounding.cpp.
  /// True for what loads bfloat16 and chooses among them: its values are bfloat16 before they are rounded.
  static bool is_bfloat(const Scalar& s);
  /// The same as `to_memory`, by an instruction of the target where it has one.
  llvm::Value* round_to_memory(llvm::Value* value, DType dtype);

  // Defined in byte_tables.cpp. Returns null where the buffer is no table of 256 bytes, or the places are no bytes.
  llvm::Value* load_from_table(const Ref<Buffer>& buffer, std::span<const Scalar> indices);

  // Defined in packed_elements.cpp. Values are codes: bytes of which the low bits count.
  llvm::Value* load_packed(const Ref<Buffer>& buffer, std::span<const Scalar> indices);
  llvm::Value* load_packed_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices, int lanes);
  void store_packed(const Ref<Buffer>& buffer, std::span<const Scalar> indices, llvm::Value* codes);
  void store_packed_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices, llvm::Value* codes);
  struct PackedLanes;
  PackedLanes packed_lanes(const Ref<Buffer>& buffer, std::span<const Scalar> indices, int lanes);
  llvm::Value* load_packed_lanes(const PackedLanes& at);
  void store_packed_lanes(const PackedLanes& at, llvm::Value* codes);
  /// Returns a condition for the lanes to be whole bytes; null when they cannot be.
  llvm::Value* fills_bytes(const PackedLanes& at);
  /// Returns a pointer to the offsets of all lanes; null for consecutive ones.
  llvm::Value* stored_offsets(const PackedLanes& at);
  llvm::Value* lane_offset(const PackedLanes& at, llvm::Value* offsets, llvm::Value* lane);
  /// Returns memory for a value of each lane, which the next call for such lanes gets as well.
  llvm::Value* lane_memory(llvm::Type* type, int lanes);
  /// True when other threads may store to the memory at the same time.
  bool is_shared(llvm::Value* memory) const;
  /// Emits a loop over the lanes that the current mask admits.
  void for_each_lane(int lanes, const std::function<void(llvm::Value*)>& body);
  // Defined in scalars.cpp, intrinsics.cpp.
  llvm::Value* emit(const Scalar& s, Wrap wrap = Wrap::Data);
  llvm::Value* emit_lazy_choice(const Scalar& condition, const Scalar& yes, const Scalar& no, Wrap wrap);
  llvm::Value* emit_call(const ScalarCall& call);
  llvm::Value* emit_float_call(const ScalarCall& call);
  llvm::Value* emit_integer_call(const ScalarCall& call);
  llvm::Value* emit_reinterpret(const ScalarCall& call);
  /// Emits a bitwise operation or shift; null for other calls.
  llvm::Value* emit_bits(const ScalarCall& call);
  llvm::Value* emit_shuffle(const Shuffle& shuffle);
  /// Emits a cast of what is rounded and clamped; null for others. Defined in quantising_casts.cpp.
  llvm::Value* emit_quantised(const Cast& cast);
  // Defined in lane_masks.cpp. Compares places whose distances between lanes are known, in lanes as narrow as elements
  // of memory have; null for other comparisons.
  llvm::Value* emit_lane_comparison(const Binary& n);
  // Defined in byte_dots.cpp.
  llvm::Value* emit_byte_dots(const ByteDots& dots);
  llvm::Value* emit_short_dots(const ShortDots& dots);
  // Defined in pair_dots.cpp.
  llvm::Value* emit_pair_dots(const PairDots& dots);
  llvm::Value* emit_int_power(llvm::Value* base, llvm::Value* exponent, DType dtype);
  llvm::Value* value_of(const SymVar& var) const;

  llvm::LLVMContext& context() const { return state_.module.getContext(); }

  ModuleState& state_;
  const std::string name_;
  const Ref<PrimFunc> func_;
  Builder b_;
  Frame* frame_ = nullptr;
  int tasks_ = 0, loops_ = 0;  // emitted so far
};

}  // namespace sunmao::llvm_codegen
