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

/// Narrows the ranges of symbolic input dims to those of the registers that they are bound to or checked against.
void add_ranges(const FunctionView& f, Signature& signature) {
  const std::vector<Range> ranges = guarded_ranges(f);
  for (size_t at = 0; opcode_of(f.words[at]) != Opcode::Layout; at += length_of(f.words[at])) {
    const uint32_t* w = f.words.data() + at;
    const bool binds = opcode_of(w[0]) == Opcode::BindDim;
    if (!binds && opcode_of(w[0]) != Opcode::CheckDim) continue;
    const uint32_t input = signature.input_of_param[binds ? w[2] : w[1]];
    if (input == abi::kNone) continue;
    set_range(signature.inputs[input].told()[binds ? w[3] : w[2]], ranges[binds ? w[1] : w[3]]);
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

bool gets_results(const FunctionView& f) {
  bool ends = false;
  for (size_t at = 0; at < f.words.size(); at += length_of(f.words[at])) ends |= ends_with_call(opcode_of(f.words[at]));
  return ends;
}

}  // namespace

Signature make_signature(const ProgramTables& tables, const FunctionView& function) {
  Signature signature;
  signature.name = function.name;
  signature.is_delivered = gets_results(function);
  for (const abi::ValueRecord& param : function.params) {
    const bool is_input = param.weight == abi::kNone;
    signature.input_of_param.push_back(is_input ? static_cast<uint32_t>(signature.inputs.size()) : abi::kNone);
    if (is_input) signature.inputs.push_back(make_value(tables, param));
  }
  if (!function.is_host()) add_ranges(function, signature);
  for (const abi::ValueRecord& result : function.results) {
    SignatureValue& output = signature.outputs.emplace_back(make_value(tables, result));
    for (sunmao_dim& dim : output.dims) copy_range(signature.inputs, dim);
  }
  return signature;
}

}  // namespace sunmao::runtime
