#include "passes/lower/memory_plan.h"

#include <algorithm>

#include "ir/dims.h"
#include "ir/walk.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/state_params.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 47;  // the address space of a process
constexpr int kNoMemory = -1;

enum class Maker : uint8_t { Kernel, Param, Call };

/// Memory that holds a tensor.
struct HeldMemory {
  Maker maker;
  Type type;
  bool is_state = false;   // a parameter whose memory the function may take
  bool is_passed = false;  // other functions get it
  bool is_result = false;  // it is the memory of a result of the function
  int source = kNoMemory;  // whose contents it has first
  bool may_take_source = false;
  int home = kNoMemory;          // the memory that it is in
  size_t last_use = 0;           // the number of steps up to the last one that uses it, one more for a result; 0: none
  size_t first_pass = SIZE_MAX;  // the first step that is a call of something else than a kernel and uses it
};

/// The memory that a value names, or those of its fields.
struct Named {
  int memory = kNoMemory;
  Type seen = {};
  std::vector<Named> fields = {};
};

struct MemoryStep {
  Ref<Var> bound;
  bool is_kernel = false;
  std::vector<Named> inputs = {};  // of a kernel, in order
  std::vector<int> used = {};      // by other steps
  std::vector<int> outputs = {};
  std::vector<int64_t> places = {};
};

bool has_known_sizes(const Type& type) {
  if (const auto* tuple = find<TupleType>(type)) return std::ranges::all_of(tuple->fields, has_known_sizes);
  const auto* tensor = find<TensorType>(type);
  return !tensor || (tensor->dims() && !tensor->dtype.is_void());
}

bool is_whole(const HeldMemory& memory, const Type& seen) {
  const auto *tensor = find<TensorType>(memory.type), *shown = find<TensorType>(seen);
  return tensor && tensor->dims() && shown && shown->dims() && tensor->dtype == shown->dtype &&
         Analyzer().can_prove_equal(byte_size(*tensor->dims(), tensor->dtype),
                                    byte_size(*shown->dims(), tensor->dtype));
}

class MemoryPlanner {
 public:
  MemoryPlanner(const Module& module, bool is_inner) : module_(module), is_inner_(is_inner) {}

  MemoryPlan run(const Function& f) {
    const std::vector<StateParam> states = is_inner_ ? std::vector<StateParam>() : kept_state_params(f, "a function");
    for (const Ref<Var>& p : f.params) {
      const bool is_state = std::ranges::find(states, p, &StateParam::param) != states.end();
      names_[p] = named(p->type, Maker::Param, is_inner_ || is_state);
    }
    for (const Ref<BindingBlock>& block : f.body->blocks)
      for (const Binding& b : block->bindings) bind(b);
    results_ = leaves(value(f.body->body));
    delivers_ = is_inner_ || !states.empty() || !has_known_sizes(f.body->body->type) || delivers_;
    note_uses();
    for (size_t i = 0; i < steps_.size(); ++i)
      for (size_t r = 0; r < steps_[i].places.size(); ++r)
        if (steps_[i].places[r] >= 0) place(i, r);
    claim_results();
    give_places();
    show_calls();
    return std::move(plan_);
  }

 private:
  HeldMemory& at(int memory) { return memories_[static_cast<size_t>(home(memory))]; }
  int home(int memory) const {
    while (memories_[static_cast<size_t>(memory)].home != kNoMemory)
      memory = memories_[static_cast<size_t>(memory)].home;
    return memory;
  }

  int new_memory(HeldMemory memory) {
    memories_.push_back(std::move(memory));
    return static_cast<int>(memories_.size()) - 1;
  }

  Named named(const Type& type, Maker maker, bool is_state = false) {
    Named out{.seen = type};
    if (const auto* tuple = find<TupleType>(type))
      for (const Type& field : tuple->fields) out.fields.push_back(named(field, maker, is_state));
    else if (find<TensorType>(type))
      out.memory = new_memory({.maker = maker, .type = type, .is_state = is_state});
    return out;
  }

  static std::vector<Named> leaves(const Named& value) {
    if (value.memory != kNoMemory) return {value};
    std::vector<Named> out;
    for (const Named& field : value.fields) std::ranges::move(leaves(field), std::back_inserter(out));
    return out;
  }

  // What calls, tuples and views name.
  Named value(const Expr& e) {
    if (const Ref<Var> v = find_ref<Var>(e)) return names_[v];
    if (const auto* tuple = find<Tuple>(e)) {
      Named out{.seen = e->type};
      for (const Expr& field : tuple->fields) out.fields.push_back(value(field));
      return out;
    }
    if (const auto* item = find<TupleGetItem>(e)) {
      const auto i = static_cast<size_t>(item->index);
      const auto field = [&](const Named& of) { return i < of.fields.size() ? of.fields[i] : Named(); };
      const Ref<Var> tuple = find_ref<Var>(item->tuple);
      return tuple ? field(names_[tuple]) : field(value(item->tuple));
    }
    for (const char* view :
         {"memory.view", "tensor_to_shape", "hint_on_device", "memory.ensure_zero_offset", "to_vdevice"})
      if (const Call* call = sunmao::find_call(e, view)) {
        Named out = value(call->args[0]);
        out.seen = e->type;
        return out;
      }
    return {};
  }

  void bind(const Binding& b) {
    std::optional<KernelCall> kernel = find_kernel_call(b.value, module_);
    if (!kernel) kernel = find_update_call(b.value, module_);
    if (kernel) return bind_kernel(b, *kernel);
    const Named known = value(b.value);
    if (known.memory == kNoMemory && known.fields.empty() && (find<Call>(b.value) || find<If>(b.value)))
      return bind_call(b);
    names_[b.var] = known;
    if (b.is_match_cast() && has_known_sizes(b.cast_type)) names_[b.var].seen = b.cast_type;
  }

  void bind_kernel(const Binding& b, const KernelCall& kernel) {
    MemoryStep step{.bound = b.var, .is_kernel = true, .places = kernel.places};
    for (const Expr& input : kernel.inputs) step.inputs.push_back(value(input));
    Named out{.seen = b.value->type};
    for (const Type& type : kernel.outputs) {
      step.outputs.push_back(new_memory({.maker = Maker::Kernel, .type = type}));
      out.fields.push_back({.memory = step.outputs.back(), .seen = type});
    }
    names_[b.var] = find<TupleType>(b.value->type) ? out : out.fields[0];
    steps_.push_back(std::move(step));
  }

  // A call that is no kernel's: of a function, which keeps what it gets, or of the host, which does not.
  void bind_call(const Binding& b) {
    MemoryStep step{.bound = b.var};
    const auto* call = find<Call>(b.value);
    const Op* op = call ? op_of(*call) : nullptr;
    const bool is_host =
        call && (find<ExternFunc>(call->callee) || (op && op->info.calls_argument && find<ExternFunc>(call->args[0])));
    const auto* branch = find<If>(b.value);
    for (const Ref<Var>& v : free_vars(b.value))
      for (const Named& leaf : leaves(names_[v])) {
        const bool is_condition = branch && v == find_ref<Var>(branch->condition);
        step.used.push_back(leaf.memory);
        if (!is_host && !is_condition && find<TensorType>(leaf.seen)) at(leaf.memory).is_passed = true;
      }
    names_[b.var] = named(b.value->type, Maker::Call);
    delivers_ |= !has_known_sizes(b.value->type);
    for (const Named& leaf : leaves(names_[b.var])) step.outputs.push_back(leaf.memory);
    steps_.push_back(std::move(step));
  }

  // Results in place of an operand.

  void note_uses() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (const Named& input : steps_[i].inputs)
        if (input.memory != kNoMemory) at(input.memory).last_use = i + 1;
      for (const int used : steps_[i].used) {
        HeldMemory& memory = at(used);
        memory.last_use = i + 1;
        memory.first_pass = std::min(memory.first_pass, i);
      }
    }
    for (const Named& result : results_) at(result.memory).last_use = steps_.size() + 1;
  }

  bool is_used(int memory, size_t step, size_t operand) {
    const std::vector<Named>& inputs = steps_[step].inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i != operand && inputs[i].memory != kNoMemory && home(inputs[i].memory) == home(memory)) return true;
    return at(memory).last_use > step + 1;
  }

  void place(size_t step, size_t result) {
    const auto operand = static_cast<size_t>(steps_[step].places[result]);
    const Named from = steps_[step].inputs[operand];
    const int to = steps_[step].outputs[result];
    if (from.memory == kNoMemory) {
      at(to).source = to;  // a constant is copied
      return;
    }
    const HeldMemory source = at(from.memory);
    const bool is_free = is_whole(source, from.seen) && !is_used(from.memory, step, operand);
    if (is_free && source.maker == Maker::Kernel && source.first_pass >= step) {
      HeldMemory &into = at(from.memory), &updated = at(to);
      into.is_passed |= updated.is_passed;
      into.last_use = std::max(into.last_use, updated.last_use);
      into.first_pass = std::min(into.first_pass, updated.first_pass);
      updated.home = home(from.memory);
      return;
    }
    at(to).source = home(from.memory);
    at(to).may_take_source = is_free && (source.maker != Maker::Param || source.is_state);
  }

  void claim_results() {
    for (const Named& result : results_) {
      HeldMemory& memory = at(result.memory);
      if (delivers_)
        memory.is_passed = true;
      else if (memory.maker == Maker::Kernel && is_whole(memory, result.seen))
        memory.is_result = true;
    }
  }

  // Places.

  std::vector<io::SlotLife> lives() {
    std::vector<io::SlotLife> out(memories_.size());
    const auto use = [&](int memory, size_t step) {
      if (memory == kNoMemory) return;
      io::SlotLife& life = out[static_cast<size_t>(home(memory))];
      life.first = std::min(life.first, step);
      life.last = std::max(life.last, step);
    };
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (const Named& input : steps_[i].inputs) use(input.memory, i);
      for (const int used : steps_[i].used) use(used, i);
      for (const int output : steps_[i].outputs) {
        use(output, i);
        use(at(output).source, i);
      }
    }
    for (const Named& result : results_) use(result.memory, steps_.size());
    return out;
  }

  void give_places() {
    const std::vector<io::SlotLife> lives = this->lives();
    std::vector<uint64_t> sizes;
    std::vector<io::SlotLife> known;
    std::vector<int> slots;
    Analyzer analyzer;
    for (size_t i = 0; i < memories_.size(); ++i) {
      const HeldMemory& m = memories_[i];
      const auto* type = find<TensorType>(m.type);
      const bool has_size = m.maker == Maker::Kernel && type->dims();
      const Scalar bytes = has_size ? analyzer.simplify(byte_size(*type->dims(), type->dtype)) : Scalar();
      const bool is_slot = has_size && m.home == kNoMemory && !m.is_result && !m.is_passed && !m.may_take_source;
      plan_.tensors.push_back({.type = m.type, .bytes = bytes, .is_slot = is_slot, .life = lives[i]});
      const int64_t* size = is_slot ? find_int(bytes) : nullptr;
      if (!size) continue;
      slots.push_back(static_cast<int>(i));
      sizes.push_back(static_cast<uint64_t>(*size));
      known.push_back(lives[i]);
    }
    const std::optional<io::SlotPlaces> places = io::place_slots(sizes, known, kMostBytes);
    if (!places) return;
    for (size_t i = 0; i < slots.size(); ++i) plan_.tensors[static_cast<size_t>(slots[i])].offset = places->offsets[i];
    plan_.storage_bytes = places->bytes;
  }

  // A call is shown where it fills new memory, or changes memory that a call filled which is shown.
  void show_calls() {
    std::vector<bool> is_shown(memories_.size());
    for (size_t i = 0; i < steps_.size(); ++i) {
      plan_.steps[steps_[i].bound] = i;
      if (!steps_[i].is_kernel) continue;
      PlannedCall call{{}, i};
      bool shows_all = true;
      for (const int output : steps_[i].outputs) {
        const int memory = home(output);
        call.tensors.push_back(memory);
        shows_all &= memory == output ? memories_[static_cast<size_t>(memory)].source == kNoMemory
                                      : is_shown[static_cast<size_t>(memory)];
      }
      if (!shows_all) continue;
      for (const int tensor : call.tensors) is_shown[static_cast<size_t>(tensor)] = true;
      plan_.calls.emplace(steps_[i].bound, std::move(call));
    }
    for (size_t i = 0; i < is_shown.size(); ++i) {
      PlannedTensor& tensor = plan_.tensors[i];
      tensor.is_slot &= is_shown[i];
      if (!tensor.is_slot) continue;
      plan_.ending[tensor.life.last].push_back(static_cast<int>(i));
      if (tensor.offset) plan_.storage_end = std::max(plan_.storage_end, tensor.life.last);
    }
  }

  MemoryPlan plan_;
  const Module& module_;
  const bool is_inner_;
  std::vector<HeldMemory> memories_;
  std::vector<MemoryStep> steps_;
  std::vector<Named> results_;
  std::unordered_map<Ref<Var>, Named> names_;
  bool delivers_ = false;  // its results, wherever they lie
};

}  // namespace

MemoryPlan plan_of(const Module& module, const Function& f, bool is_inner) {
  return MemoryPlanner(module, is_inner).run(f);
}

}  // namespace sunmao
