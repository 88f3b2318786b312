#include <algorithm>
#include <functional>
#include <unordered_set>

#include "codegen/vm/dim_registers.h"
#include "codegen/vm/entry_part.h"
#include "codegen/vm/flat_function.h"
#include "codegen/vm/places.h"
#include "codegen/vm/root_registers.h"
#include "codegen/vm/size_values.h"
#include "codegen/vm/state_values.h"
#include "codegen/vm/value_names.h"
#include "ir/dims.h"
#include "ir/source_names.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

static_assert(kMaxRank == abi::kMaxRank, "a tensor that can be written can be compiled");

using abi::Opcode;

class Emitter {
 public:
  Emitter(const Module& module, const std::map<std::string, Ref<PrimFunc>>& lowered, const ProgramOptions& options)
      : module_(module), lowered_(lowered), options_(options) {}

  Program run() {
    std::vector<std::string> entries;
    if (!options_.kernels_alone) entries = entries_of(module_, options_);
    is_entry_.insert(entries.begin(), entries.end());
    first_inner_ = static_cast<uint32_t>(entries.size());
    for (const std::string& name : entries) emit(name, false);
    for (size_t i = 0; i < inner_.size(); ++i) {
      const auto host = hosts_.find(inner_[i]);
      if (host == hosts_.end()) {
        emit(std::string(inner_[i]), true);
        continue;
      }
      builder_.add_host_function(host->first, values_of(host->second.params), values_of(host->second.results));
      if (host->second.is_op) program_.ops.insert(host->first.substr(0, host->first.find('(')));
    }
    if (options_.kernels_alone)
      for (const auto& [name, func] : lowered_) kernel_number(name, {});
    program_.bytes = builder_.finish();
    return std::move(program_);
  }

 private:
  void emit(const std::string& name, bool is_inner) {
    Ref<Function> f = module_.find_as<Function>(name);
    if (!f) fail("E1022", {}, fmt::format("the module has no graph-level function `{}`", name));
    FlatFunction flat = is_inner ? inner_function(name) : flatten(name, *f, module_, is_inner);
    find_gifts(flat, [this](const std::string& callee) -> const FlatFunction& { return inner_function(callee); });
    hosts_.insert(flat.hosts.begin(), flat.hosts.end());
    if (is_inner) {
      // A function that callers see may be called by others as well.
      if (is_entry_.contains(name)) flat.name += " (called)";
      builder_.begin_inner_function(flat.name, signature(flat, *f), results(flat, *f));
    } else {
      std::vector<abi::ProgramBuilder::Value> params = signature(flat, *f), made = results(flat, *f);
      states_.bind(flat, params, made);
      builder_.begin_function(name, params, made);
    }
    DimRegisters dims(builder_);
    emit_entry(flat, f->attrs, builder_, dims);
    if (const auto* nesting = f->attrs.find<std::string>(kNestingAttr); nesting && !is_inner)
      program_.nesting[flat.name] = *nesting;
    roots_.emplace(flat, dims, builder_, [this](const ProgramWeight& w) { return weight_number(w); });
    steps(flat, dims);
    if (flat.delivers)
      leave(flat, dims);
    else
      for (size_t i = 0; i < flat.results.size(); ++i) roots_->copy_result(i);
    roots_->emit();
    if (!flat.delivers) builder_.emit(Opcode::Return);
  }

  const FlatFunction& inner_function(const std::string& name) {
    auto [known, is_new] = inner_functions_.try_emplace(name);
    if (is_new) known->second = flatten(name, *module_.find_as<Function>(name), module_, true);
    return known->second;
  }

  // Parameters or results of a function of the host: of any sizes.
  std::vector<abi::ProgramBuilder::Value> values_of(const std::vector<Type>& types) {
    std::vector<abi::ProgramBuilder::Value> out;
    for (const Type& type : types) {
      const auto* t = find<TensorType>(type);
      const auto rank = t ? static_cast<size_t>(t->rank) : sizes_of(type)->size();
      out.push_back({fmt::format("{}", out.size()), t ? element_type(t->dtype) : abi::kSizes,
                     std::vector<int64_t>(rank, builder_.symbol("?"))});
    }
    return out;
  }

  int64_t pool_dim(const Scalar& d) {
    const int64_t* size = find_int(d);
    return size ? *size : builder_.symbol(describe(d));
  }

  std::vector<int64_t> pool_dims(const Type& type) {
    std::vector<int64_t> out;
    if (const std::optional<std::vector<Scalar>> sizes = sizes_of(type))
      for (const Scalar& d : *sizes) out.push_back(pool_dim(d));
    else
      out.assign(static_cast<size_t>(find<TensorType>(type)->rank), builder_.symbol("?"));
    return out;
  }

  std::vector<abi::ProgramBuilder::Value> signature(const FlatFunction& flat, const Function& f) {
    std::vector<abi::ProgramBuilder::Value> out;
    auto bound = options_.bound.find(flat.name);
    for (const FlatParam& p : flat.params) {
      const auto* t = find<TensorType>(p.type);
      uint32_t weight = abi::kNone;
      if (bound != options_.bound.end())
        if (auto name = bound->second.find(p.name); name != bound->second.end())
          weight = weight_number(options_.weights.at(name->second));
      const std::string name = weight == abi::kNone ? input_name(f, p.name) : p.name;
      if (name != p.name) program_.identifiers[flat.name].emplace(name, p.name);
      out.push_back({name, t ? element_type(t->dtype) : abi::kSizes, pool_dims(p.type), weight});
    }
    return out;
  }

  std::vector<abi::ProgramBuilder::Value> results(const FlatFunction& flat, const Function& f) {
    const std::vector<std::string> names = output_names(f, flat.results.size());
    const std::vector<Type> types = result_types(flat);
    std::vector<abi::ProgramBuilder::Value> out;
    auto made = options_.made.find(flat.name);
    if (made != options_.made.end() && flat.ends_with_call)
      fail("E1020", f.span, "the virtual machine does not run weights whose sizes data decides");
    for (size_t i = 0; i < flat.results.size(); ++i) {
      const TensorType& t = flat.results[i].tensor();
      uint32_t weight =
          made == options_.made.end() ? abi::kNone : weight_number(options_.weights.at(made->second.at(i)));
      out.push_back(
          {names.empty() ? flat.result_names[i] : names[i], element_type(t.dtype), pool_dims(types[i]), weight});
    }
    return out;
  }

  // Returns the types of the results as the functions that deliver them know them: unknown where they disagree.
  std::vector<Type> result_types(const FlatFunction& flat) {
    std::vector<Type> types;
    for (const FlatTensor& t : flat.results) types.push_back(t.type);
    std::unordered_set<std::string> seen = {flat.name};
    const FlatFunction* from = &flat;
    while (from->ends_with_call && from->steps.back().callees.size() == 1) {
      const std::string& name = from->steps.back().callees[0].function;
      if (!seen.insert(name).second) break;
      from = &inner_function(name);
      for (size_t i = 0; i < types.size(); ++i)
        if (!sizes_of(types[i])) types[i] = from->results[i].type;
    }
    return types;
  }

  uint32_t weight_number(const ProgramWeight& weight) {
    auto [known, is_new] = weight_numbers_.try_emplace(weight.name, static_cast<uint32_t>(program_.weights.size()));
    if (is_new) {
      program_.weights.push_back(weight);
      builder_.add_weight(weight.name, element_type(weight.dtype), weight.shape);
    }
    return known->second;
  }

  // `written` are the buffers that the kernel writes.
  uint32_t kernel_number(const std::string& name, const std::vector<uint32_t>& written) {
    const auto known = kernel_numbers_.find(name);
    if (known != kernel_numbers_.end()) return known->second;
    const Ref<PrimFunc>& func = lowered_.at(name);
    program_.kernels.push_back({name, func, module_.find_as<PrimFunc>(name)});
    return kernel_numbers_[name] = builder_.add_kernel(name, static_cast<uint32_t>(func->buffers().size()),
                                                       static_cast<uint32_t>(func->dims().size()), written);
  }

  void steps(const FlatFunction& flat, DimRegisters& dims) {
    for (const FlatStep& step : flat.steps) {
      if (step.is_copy()) {
        copy(step.inputs[0], step.outputs[0]);
        continue;
      }
      if (!step.kernel) {
        const bool is_left = flat.ends_with_call && (&step == &flat.steps.back() || is_chained(step));
        if (!is_left) invoke(flat, step, dims);
        continue;
      }
      program_.origins[flat.name].push_back(origin_of(step.span));
      std::vector<FlatTensor> tensors = step.inputs;
      std::vector<uint32_t> written;
      for (size_t i = 0; i < step.outputs.size(); ++i) {
        const bool is_in_place = step.kernel->is_in_place(i);
        written.push_back(static_cast<uint32_t>(is_in_place ? step.kernel->places[i] : std::ssize(tensors)));
        if (is_in_place)
          tensors[written.back()] = step.outputs[i];
        else
          tensors.push_back(step.outputs[i]);
      }
      const uint32_t kernel = kernel_number(step.kernel->callee->name, written);
      for (const FlatTensor& t : tensors) roots_->define(t);
      std::vector<uint32_t> values;
      for (const Ref<SymVar>& s : step.kernel->func->dims()) values.push_back(dims.get(step.kernel->symbols.at(s)));
      roots_->later([=, this] {
        std::vector<uint32_t> registers;
        for (const FlatTensor& t : tensors) registers.push_back(roots_->at(t));
        builder_.call(kernel, registers, values);
      });
    }
  }

  void copy(const FlatTensor& from, const FlatTensor& to) {
    roots_->define(from);
    roots_->define(to);
    roots_->later([=, this] { builder_.emit(Opcode::Copy, {roots_->at(to), roots_->at(from)}); });
  }

  uint32_t inner_number(const std::string& name) {
    const auto [known, is_new] = inner_numbers_.try_emplace(name, static_cast<uint32_t>(inner_.size()));
    if (is_new) inner_.push_back(name);
    return first_inner_ + known->second;
  }

  // A tensor on its way to another function; root -1: sizes alone.
  struct Passed {
    int root;
    std::vector<uint32_t> sizes;
    uint32_t result = abi::kNone;  // of the call before that delivered it at an unknown size
  };
  Passed passed(const FlatFunction& flat, const FlatArgument& a, DimRegisters& dims) {
    Passed out{-1, dims.get(a.sizes)};
    if (a.unknown > 0) out.sizes.assign(static_cast<size_t>(a.unknown), abi::kNone);
    if (!a.tensor) return out;
    out.root = a.tensor->root;
    const std::optional<uint32_t> result = delivered_number(flat, out.root);
    if (!result) {
      roots_->define(out.root);
      return out;
    }
    out.result = *result;
    std::ranges::fill(out.sizes, abi::kNone);
    return out;
  }
  // Returns which result of the chained call the root is, if it is one.
  static std::optional<uint32_t> delivered_number(const FlatFunction& flat, int root) {
    if (flat.steps.size() < 2 || flat.steps[flat.steps.size() - 2].kernel) return std::nullopt;
    const FlatStep& step = flat.steps[flat.steps.size() - 2];
    if (!is_chained(step)) return std::nullopt;
    auto found = std::ranges::find(step.outputs, root, &FlatTensor::root);
    if (found == step.outputs.end()) return std::nullopt;
    return static_cast<uint32_t>(found - step.outputs.begin());
  }
  void append(const Passed& p, std::vector<uint32_t>& operands) const {
    operands.push_back(p.result != abi::kNone ? abi::kDelivered + p.result
                       : p.root < 0           ? abi::kNone
                                              : roots_->at(p.root));
    operands.insert(operands.end(), p.sizes.begin(), p.sizes.end());
  }

  // True for the step before the last one when it delivers at a size that nothing says before.
  static bool is_chained(const FlatStep& step) {
    return std::ranges::any_of(step.outputs, [](const FlatTensor& t) { return !t.tensor().dims(); });
  }

  using Callees = std::vector<std::pair<uint32_t, std::vector<Passed>>>;
  Callees callees_of(const FlatFunction& flat, const FlatStep& step, DimRegisters& dims) {
    Callees out;
    for (const FlatCallee& c : step.callees) {
      out.emplace_back(inner_number(c.function), std::vector<Passed>());
      for (const FlatArgument& a : c.args) out.back().second.push_back(passed(flat, a, dims));
    }
    return out;
  }

  static Opcode opcode_of_call(bool is_choice, bool is_last, bool is_chain) {
    if (is_chain) return is_choice ? Opcode::ChainIf : Opcode::Chain;
    if (is_last) return is_choice ? Opcode::FollowIf : Opcode::Follow;
    return is_choice ? Opcode::InvokeIf : Opcode::Invoke;
  }

  void invoke(const FlatFunction& flat, const FlatStep& step, DimRegisters& dims) {
    const bool is_chain = is_chained(step) && &step != &flat.steps.back();
    const bool is_last = flat.ends_with_call && &step == &flat.steps.back(), is_choice = step.condition.has_value();
    if (is_choice) roots_->define(*step.condition);
    Callees callees = callees_of(flat, step, dims);
    std::vector<Passed> results;
    for (const FlatTensor& t : step.outputs) {
      roots_->expect(t.root);
      if (!is_last && !is_chain) results.push_back({t.root, dims.get(*t.tensor().dims())});
    }
    if (is_chain) std::ranges::move(callees_of(flat, flat.steps.back(), dims), std::back_inserter(callees));
    std::vector<Passed> stated;
    for (const auto& [tensor, sizes] : step.stated)
      if (!is_last && !is_chain) stated.push_back({tensor.root, dims.get(sizes)});
    for (const FlatGift& gift : step.gifts) roots_->give(gift);
    const Span span = step.span;
    roots_->later([=, this, condition = step.condition] {
      std::vector<uint32_t> operands;
      if (condition) operands.push_back(roots_->at(*condition));
      for (const auto& [function, args] : callees) {
        operands.push_back(function);
        for (const Passed& p : args) append(p, operands);
      }
      for (const Passed& r : results) {
        roots_->set(r.root, builder_.new_tensor());
        append(r, operands);
      }
      if (operands.size() >= abi::kMaxInstructionWords)
        fail("E1020", span, fmt::format("the virtual machine does not run a call with {} operands", operands.size()),
             fmt::format("it takes fewer than {}", abi::kMaxInstructionWords));
      builder_.emit(opcode_of_call(is_choice, is_last, is_chain), operands);
      for (const Passed& s : stated) builder_.check_values(roots_->at(s.root), s.sizes);
    });
  }

  // The end of a function that delivers its results.
  void leave(const FlatFunction& flat, DimRegisters& dims) {
    if (flat.ends_with_call) {
      const size_t last = flat.steps.size() - 1;
      const bool is_chain = last > 0 && !flat.steps[last - 1].kernel && is_chained(flat.steps[last - 1]);
      return invoke(flat, flat.steps[is_chain ? last - 1 : last], dims);
    }
    std::vector<Passed> results;
    for (const FlatTensor& t : flat.results) results.push_back(passed(flat, {t, *t.tensor().dims()}, dims));
    roots_->later([=, this] {
      std::vector<uint32_t> operands;
      for (const Passed& r : results) append(r, operands);
      builder_.emit(Opcode::Deliver, operands);
    });
  }

  const Module& module_;
  const std::map<std::string, Ref<PrimFunc>>& lowered_;
  const ProgramOptions& options_;
  abi::ProgramBuilder builder_;
  Program program_;
  StateValues states_{builder_, options_.states, [this](const ProgramWeight& w) { return weight_number(w); }};
  std::unordered_map<std::string, uint32_t> weight_numbers_, kernel_numbers_, inner_numbers_;
  std::unordered_set<std::string> is_entry_;
  std::optional<RootRegisters> roots_;                             // of the function that is emitted
  std::map<std::string, FlatHost> hosts_;                          // by form
  std::unordered_map<std::string, FlatFunction> inner_functions_;  // without the gifts of their steps
  std::vector<std::string> inner_;  // functions that others call, in the order of their numbers
  uint32_t first_inner_ = 0;        // number of the first of them
};

}  // namespace

Program emit_program(const Module& module, const std::map<std::string, Ref<PrimFunc>>& lowered,
                     const ProgramOptions& options) {
  return Emitter(module, lowered, options).run();
}

}  // namespace sunmao
