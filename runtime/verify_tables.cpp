// Bytecode verifier for tables: weights, states, values, kernel names, functions.
#include <algorithm>

#include "io/concat.h"
#include "runtime/element_type.h"
#include "runtime/instruction.h"
#include "runtime/program.h"
#include "runtime/verify_code.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::quoted;
using io::Status;

class TableVerifier {
 public:
  explicit TableVerifier(const ProgramTables& tables) : t_(tables) {}

  Status run() const {
    for (size_t i = 0; i < t_.weights.size(); ++i) SUNMAO_TRY(check_weight(t_.weights[i], i));
    for (size_t i = 0; i < t_.states.size(); ++i) SUNMAO_TRY(check_state(t_.states[i], i));
    for (size_t i = 0; i < t_.values.size(); ++i) SUNMAO_TRY(check_value(t_.values[i], i));
    for (size_t i = 0; i < t_.kernels.size(); ++i)
      if (!has_text(t_.kernels[i].name)) return fail(concat("kernel ", i, ": its name is outside the string pool"));
    SUNMAO_TRY(check_functions());
    return check_names();
  }

 private:
  static Status fail(const std::string& message) {
    return Status::error("E0854", "program: " + message,
                         "the file is damaged or was not written by Sunmao; compile the model again");
  }

  bool has_text(abi::StringRef ref) const {
    return ref.offset <= t_.strings.size() && ref.size <= t_.strings.size() - ref.offset;
  }
  bool has_dims(uint32_t first, uint32_t rank) const {
    return rank <= abi::kMaxRank && first <= t_.dims.size() && rank <= t_.dims.size() - first;
  }
  bool is_dim(int64_t dim) const {
    if (dim >= 0) return true;
    const uint64_t start = static_cast<uint64_t>(-(dim + 1));
    return start < t_.strings.size() && t_.strings.find('\0', start) != std::string_view::npos;
  }

  Status check_weight(const abi::WeightRecord& weight, size_t index) const {
    if (!has_text(weight.name)) return fail(concat("weight ", index, ": its name is outside the string pool"));
    const std::string name = concat("weight ", quoted(t_.text(weight.name)));
    if (!is_supported(weight.type)) return fail(name + ": unknown element type " + to_string(weight.type));
    if (weight.type.code == kDLOpaqueHandle) return fail(name + ": a handle, which a program gives when it runs");
    if (!has_dims(weight.first_dim, weight.rank)) return fail(name + ": its shape is outside the dim pool");
    if (!byte_size(weight.type, t_.shape(weight))) return fail(name + ": its shape is no size");
    return {};
  }

  Status check_state(const abi::StateRecord& state, size_t index) const {
    if (!has_text(state.name)) return fail(concat("state ", index, ": its name is outside the string pool"));
    const std::string name = concat("state ", quoted(t_.text(state.name)));
    if (!is_supported(state.type)) return fail(name + ": unknown element type " + to_string(state.type));
    if (!has_dims(state.first_dim, state.rank)) return fail(name + ": its shape is outside the dim pool");
    if (!byte_size(state.type, t_.shape(state))) return fail(name + ": its shape is no size");
    if (state.weight == abi::kNone) return {};
    if (state.weight >= t_.weights.size()) return fail(concat(name, ": there is no weight ", state.weight));
    const abi::WeightRecord& weight = t_.weights[state.weight];
    const bool is_alike = same_type(state.type, weight.type) && std::ranges::equal(t_.shape(state), t_.shape(weight));
    return is_alike ? Status() : fail(name + ": its type or shape is not that of its weight");
  }

  Status check_value(const abi::ValueRecord& value, size_t index) const {
    if (!has_text(value.name)) return fail(concat("value ", index, ": its name is outside the string pool"));
    const std::string name = concat("value ", quoted(t_.text(value.name)));
    if (!is_supported(value.type) && !is_sizes(value.type))
      return fail(name + ": unknown element type " + to_string(value.type));
    if (!has_dims(value.first_dim, value.rank)) return fail(name + ": its shape is outside the dim pool");
    for (const int64_t dim : t_.shape(value))
      if (!is_dim(dim)) return fail(name + ": a symbol of its shape is outside the string pool");
    if (value.weight == abi::kNone) return {};
    if (binds_state(value)) {
      if (state_of(value) >= t_.states.size()) return fail(concat(name, ": there is no state ", state_of(value)));
      return fits(value, t_.states[state_of(value)]) ? Status()
                                                     : fail(name + ": its type or shape is not that of its state");
    }
    if (value.weight >= t_.weights.size()) return fail(concat(name, ": there is no weight ", value.weight));
    return fits(value, t_.weights[value.weight]) ? Status()
                                                 : fail(name + ": its type or shape is not that of its weight");
  }

  /// True for a value like a WeightRecord or StateRecord, some of whose sizes may be symbols.
  template <class Record>
  bool fits(const abi::ValueRecord& value, const Record& bound) const {
    if (!same_type(value.type, bound.type) || value.rank != bound.rank) return false;
    for (uint32_t i = 0; i < value.rank; ++i)
      if (t_.shape(value)[i] >= 0 && t_.shape(value)[i] != t_.shape(bound)[i]) return false;
    return true;
  }

  Status check_functions() const {
    uint64_t values = 0;
    uint64_t words = 0;
    for (size_t i = 0; i < t_.functions.size(); ++i) {
      const abi::FunctionRecord& f = t_.functions[i];
      if (!has_text(f.name)) return fail(concat("function ", i, ": its name is outside the string pool"));
      const std::string name = concat("function ", quoted(t_.text(f.name)));
      if (f.first_param != values || f.first_result != values + f.param_count || f.first_word != words)
        return fail(name + ": its values or words do not follow those of the function before");
      values += uint64_t{f.param_count} + f.result_count;
      words += f.word_count;
      if (values > t_.values.size() || words > t_.words.size())
        return fail(name + ": its values or words are outside their tables");
      const uint32_t most = std::min(abi::kMaxRegisters, f.word_count);
      if (f.dim_registers > most || f.tensor_registers > most || f.storage_slots > most)
        return fail(name + ": more registers or slots than its instructions could define");
    }
    SUNMAO_TRY(check_sizes());
    SUNMAO_TRY(check_states());
    return check_makers();
  }

  /// No function has a state twice; results that are states come last.
  Status check_states() const {
    for (const abi::FunctionRecord& f : t_.functions) {
      const std::string name = concat("function ", quoted(t_.text(f.name)));
      if (has_state_twice(t_.params(f)) || has_state_twice(t_.results(f))) return fail(name + ": it has a state twice");
      if (!std::ranges::is_partitioned(t_.results(f), [](const abi::ValueRecord& r) { return !binds_state(r); }))
        return fail(name + ": a result behind those that are states");
    }
    return {};
  }
  static bool has_state_twice(std::span<const abi::ValueRecord> values) {
    std::vector<uint32_t> states;
    for (const abi::ValueRecord& value : values)
      if (binds_state(value)) states.push_back(state_of(value));
    std::ranges::sort(states);
    return std::ranges::adjacent_find(states) != states.end();
  }

  /// Inner functions have no weights and no state; results are tensors.
  Status check_sizes() const {
    for (size_t i = 0; i < t_.functions.size(); ++i) {
      const abi::FunctionRecord& f = t_.functions[i];
      const auto is_bound = [](const abi::ValueRecord& value) { return value.weight != abi::kNone; };
      const auto has_sizes = [](const abi::ValueRecord& value) { return is_sizes(value.type); };
      const auto params = t_.params(f);
      const auto results = t_.results(f);
      const std::string name = concat("function ", quoted(t_.text(f.name)));
      const bool is_inner = i >= t_.first_inner;
      if (is_inner && (std::any_of(params.begin(), params.end(), is_bound) ||
                       std::any_of(results.begin(), results.end(), is_bound)))
        return fail(name + ": an inner function with a weight or state");
      if (std::any_of(results.begin(), results.end(), has_sizes)) return fail(name + ": sizes in place of a tensor");
    }
    return {};
  }

  Status check_makers() const {
    std::vector<bool> is_made(t_.weights.size());
    std::vector<bool> is_taken(t_.weights.size());  // weights that have a maker
    bool is_behind_makers = false;
    for (const abi::FunctionRecord& f : t_.functions.first(t_.first_inner)) {
      const std::string name = concat("function ", quoted(t_.text(f.name)));
      const auto params = t_.params(f);
      const auto results = t_.results(f);
      const bool is_maker = std::any_of(results.begin(), results.end(), binds_weight);
      if (is_behind_makers && !is_maker) return fail(name + ": it comes behind functions that make weights");
      is_behind_makers = is_maker;
      if (!is_maker) continue;
      if (!std::all_of(results.begin(), results.end(), binds_weight) ||
          !std::all_of(params.begin(), params.end(), binds_weight))
        return fail(name + ": it makes weights, and a parameter or result of it is none");
      for (const abi::ValueRecord& param : params) is_taken[param.weight] = true;
      for (const abi::ValueRecord& result : results) {
        for (const int64_t dim : t_.shape(result))
          if (dim < 0) return fail(name + ": it makes a weight, and a size of its shape is a symbol");
        if (is_made[result.weight] || is_taken[result.weight])
          return fail(concat(name, ": it makes the weight ", quoted(t_.text(t_.weights[result.weight].name)),
                             " that another function made or took before"));
        is_made[result.weight] = true;
      }
    }
    return {};
  }

  Status check_names() const {
    SUNMAO_TRY(check_unique(t_.functions, "functions"));
    return check_unique(t_.states, "states");
  }
  template <class Record>
  Status check_unique(std::span<const Record> records, const char* what) const {
    std::vector<std::string_view> names;
    for (const Record& record : records) names.push_back(t_.text(record.name));
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    return twice == names.end() ? Status() : fail(concat("two ", what, " are called ", quoted(*twice)));
  }

  const ProgramTables& t_;
};

}  // namespace

Status verify_program(const ProgramTables& tables) {
  SUNMAO_TRY(TableVerifier(tables).run());
  for (size_t i = 0; i < tables.functions.size(); ++i) SUNMAO_TRY(verify_code(tables, i));
  return {};
}

}  // namespace sunmao::runtime
