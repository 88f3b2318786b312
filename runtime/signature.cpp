#include "runtime/signature.h"

#include <algorithm>
#include <cstring>

#include "runtime/element_type.h"
#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

using abi::Opcode;

struct Range {
  int64_t low = 0;
  int64_t high = INT64_MAX;
};

/// Returns the range of each dim register, from the guards of the entry part.
std::vector<Range> guarded_ranges(const FunctionView& f) {
  std::vector<Range> ranges(f.dim_registers);
  for (size_t at = 0; opcode_of(f.words[at]) != Opcode::Layout; at += length_of(f.words[at])) {
    const uint32_t* w = f.words.data() + at;
    if (opcode_of(w[0]) != Opcode::GuardRange) continue;
    Range& range = ranges[w[1]];
    range.low = std::max(range.low, immediate_at(w + 2));
    range.high = std::min(range.high, immediate_at(w + 4));
  }
  return ranges;
}

SignatureValue make_value(const ProgramTables& tables, const abi::ValueRecord& value) {
  const bool holds_sizes = is_sizes(value.type);
  const abi::ElementType type = holds_sizes ? kSizeType : value.type;
  SignatureValue out = {std::string(tables.text(value.name)), to_string(type), type, {}, holds_sizes};
  if (holds_sizes) out.dims.push_back({value.rank, nullptr, value.rank, value.rank});
  for (const int64_t dim : tables.shape(value))
    out.told().push_back(dim >= 0 ? sunmao_dim{dim, nullptr, dim, dim}
                                  : sunmao_dim{-1, tables.symbol(dim), 0, INT64_MAX});
  return out;
}

void set_range(sunmao_dim& dim, Range range) {
  if (!dim.symbol) return;
  dim.minimum = std::max(dim.minimum, range.low);
  dim.maximum = std::min(dim.maximum, range.high);
}

/// Narrows the ranges of symbolic dims to those of the registers that they are bound to or checked against. `value_of`
/// returns the value of a parameter, or null.
template <class ValueOf>
void add_ranges(const FunctionView& f, const ValueOf& value_of) {
  const std::vector<Range> ranges = guarded_ranges(f);
  for (size_t at = 0; opcode_of(f.words[at]) != Opcode::Layout; at += length_of(f.words[at])) {
    const uint32_t* w = f.words.data() + at;
    const bool binds = opcode_of(w[0]) == Opcode::BindDim;
    if (!binds && opcode_of(w[0]) != Opcode::CheckDim) continue;
    SignatureValue* const value = value_of(binds ? w[2] : w[1]);
    if (value) set_range(value->told()[binds ? w[3] : w[2]], ranges[binds ? w[1] : w[3]]);
  }
}

/// Narrows the range of an output's symbol to that of the first input dim with the same symbol.
void copy_range(const std::vector<SignatureValue>& inputs, sunmao_dim& dim) {
  if (!dim.symbol) return;
  for (const SignatureValue& input : inputs)
    for (const sunmao_dim& known : input.told())
      if (known.symbol && std::strcmp(known.symbol, dim.symbol) == 0) {
        set_range(dim, {known.minimum, known.maximum});
        return;
      }
}

bool delivers(const FunctionView& f) {
  bool ends = f.has_state();
  for (size_t at = 0; at < f.words.size(); at += length_of(f.words[at])) ends |= ends_with_call(opcode_of(f.words[at]));
  return ends;
}

/// Adds what a function says about a state: a size that one of them knows is known.
void merge(const SignatureValue& seen, SignatureValue& state) {
  if (state.dims.empty()) state.dims = seen.dims;
  for (size_t axis = 0; axis < seen.dims.size(); ++axis)
    if (state.dims[axis].symbol && !seen.dims[axis].symbol) state.dims[axis] = seen.dims[axis];
}

}  // namespace

Signature make_signature(const ProgramTables& tables, const FunctionView& function) {
  Signature signature;
  signature.name = function.name;
  signature.is_delivered = delivers(function);
  for (const abi::ValueRecord& param : function.params) {
    const bool is_input = param.weight == abi::kNone;
    signature.state_of_param.push_back(binds_state(param) ? state_of(param) : abi::kNone);
    signature.input_of_param.push_back(is_input ? static_cast<uint32_t>(signature.inputs.size()) : abi::kNone);
    if (is_input) signature.inputs.push_back(make_value(tables, param));
  }
  const auto input_of = [&](uint32_t param) {
    const uint32_t input = signature.input_of_param[param];
    return input == abi::kNone ? nullptr : &signature.inputs[input];
  };
  if (!function.is_host()) add_ranges(function, input_of);
  for (const abi::ValueRecord& result : function.results) {
    if (binds_state(result)) signature.states_given.push_back(state_of(result));
    if (binds_state(result)) continue;
    SignatureValue& output = signature.outputs.emplace_back(make_value(tables, result));
    for (sunmao_dim& dim : output.dims) copy_range(signature.inputs, dim);
  }
  return signature;
}

std::vector<SignatureValue> describe_states(const Program& program) {
  const ProgramTables& tables = program.tables();
  std::vector<SignatureValue> states;
  for (const abi::StateRecord& state : tables.states)
    states.push_back({std::string(tables.text(state.name)), to_string(state.type), state.type, {}});
  for (size_t i = 0; i < tables.first_inner; ++i) {
    const FunctionView f = program.function(i);
    for (const auto values : {f.params, f.results})
      for (const abi::ValueRecord& value : values)
        if (binds_state(value)) merge(make_value(tables, value), states[state_of(value)]);
  }
  for (size_t s = 0; s < states.size(); ++s)  // those that no function has
    if (states[s].dims.empty())
      for (const int64_t size : tables.shape(tables.states[s])) states[s].dims.push_back({size, nullptr, size, size});
  for (size_t i = 0; i < tables.first_inner; ++i) {
    const FunctionView f = program.function(i);
    if (f.has_state())
      add_ranges(f, [&](uint32_t p) { return binds_state(f.params[p]) ? &states[state_of(f.params[p])] : nullptr; });
  }
  return states;
}

}  // namespace sunmao::runtime
