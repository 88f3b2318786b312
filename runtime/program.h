// Program: the verified tables of `program.bin`. It holds no run-time state.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/bytecode.h"
#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::runtime {

/// The tables as stored in the file; before verify_program only their bounds and alignment are checked.
struct ProgramTables {
  std::span<const abi::FunctionRecord> functions;
  std::span<const abi::ValueRecord> values;
  std::span<const abi::WeightRecord> weights;
  std::span<const abi::StateRecord> states;
  std::span<const abi::KernelRecord> kernels;
  std::span<const uint32_t> written;         // by kernels, `written_words` of each; empty where a program does not say
  std::vector<uint32_t> first_written = {};  // per kernel, into `written`
  std::span<const int64_t> dims;
  std::span<const uint32_t> words;
  std::string_view strings;
  size_t first_inner = 0;  // number of the first inner function

  /// Return a slice of the string pool, whose bounds must have been checked.
  std::string_view text(abi::StringRef ref) const { return strings.substr(ref.offset, ref.size); }
  std::string_view text(uint32_t offset, uint32_t size) const { return strings.substr(offset, size); }
  /// Returns the name of the symbol that a negative entry of the dim pool stands for: the zero-terminated text at byte
  /// -(dim + 1) of the string pool.
  const char* symbol(int64_t dim) const { return strings.data() + (-(dim + 1)); }
  /// True when the program says that a kernel writes its buffer of this number.
  bool writes(uint32_t kernel, uint32_t buffer) const {
    return !written.empty() && ((written[first_written[kernel] + buffer / 32] >> buffer % 32) & 1U) != 0;
  }
  std::span<const abi::ValueRecord> params(const abi::FunctionRecord& f) const {
    return values.subspan(f.first_param, f.param_count);
  }
  std::span<const abi::ValueRecord> results(const abi::FunctionRecord& f) const {
    return values.subspan(f.first_result, f.result_count);
  }
  std::span<const int64_t> shape(const abi::WeightRecord& weight) const {
    return dims.subspan(weight.first_dim, weight.rank);
  }
  std::span<const int64_t> shape(const abi::StateRecord& state) const {
    return dims.subspan(state.first_dim, state.rank);
  }
  std::span<const int64_t> shape(const abi::ValueRecord& value) const {
    return dims.subspan(value.first_dim, value.rank);
  }
};

/// What a parameter or result is bound to.
inline bool binds_weight(const abi::ValueRecord& value) { return value.weight < abi::kState; }
inline bool binds_state(const abi::ValueRecord& value) {
  return value.weight >= abi::kState && value.weight != abi::kNone;
}
inline uint32_t state_of(const abi::ValueRecord& value) { return value.weight - abi::kState; }
/// True for a function that reads or writes states.
inline bool has_state(std::span<const abi::ValueRecord> params, std::span<const abi::ValueRecord> results) {
  return std::any_of(params.begin(), params.end(), binds_state) ||
         std::any_of(results.begin(), results.end(), binds_state);
}

/// One function of a verified program.
struct FunctionView {
  std::string_view name;
  std::span<const abi::ValueRecord> params;
  std::span<const abi::ValueRecord> results;
  std::span<const uint32_t> words;
  uint32_t dim_registers;
  uint32_t tensor_registers;
  uint32_t storage_slots;
  bool is_inner;

  /// True for a function of the host, whose name is the form of the call.
  bool is_host() const { return words.empty(); }
  /// Returns the name of a function of the host.
  std::string_view host_name() const { return name.substr(0, name.find('(')); }
  /// True for a maker: a function that computes weights at load time and is not visible to callers.
  bool makes_weights() const { return !results.empty() && binds_weight(results[0]); }
  bool has_state() const { return runtime::has_state(params, results); }
};

class Program {
 public:
  /// Copies and verifies the bytes; the resulting program runs without further index checks.
  static io::Result<Program> read(std::span<const std::byte> file);

  const ProgramTables& tables() const { return tables_; }
  size_t function_count() const { return tables_.functions.size(); }
  FunctionView function(size_t index) const;

 private:
  Program() = default;

  std::shared_ptr<const std::vector<std::byte>> memory_;
  ProgramTables tables_;
};

/// Checks the rules of abi/bytecode.h that do not depend on shapes, except those of the file header, which
/// Program::read checks: E0854 for tables, E0855 for instructions.
io::Status verify_program(const ProgramTables& tables);

}  // namespace sunmao::runtime
