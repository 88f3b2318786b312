#include "codegen/vm/state_values.h"

#include <algorithm>

#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Fails unless a tensor can be the value of a state of this type and first shape.
void check_value(const std::string& what, const Type& type, const TensorType& expected,
                 const std::vector<int64_t>& shape) {
  const auto* t = find<TensorType>(type);
  bool fits = t && t->dtype == expected.dtype && t->rank == expected.rank;
  for (size_t axis = 0; fits && t->dims() && axis < shape.size(); ++axis)
    if (const int64_t* size = find_int((*t->dims())[axis])) fits = *size == shape[axis];
  if (fits) return;
  fail("E0546", type->span,
       fmt::format("{} is {}, expected {} of the first shape ({})", what, describe(type), expected.dtype.str(),
                   fmt::join(shape, ", ")),
       "a state keeps its dtype and rank, and its sizes where they are numbers");
}

bool is_zero(const Array& data) {
  const std::span<const std::byte> bytes = data.bytes();
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

std::vector<int64_t> StateValues::first_shape(const FlatFunction& flat, const FlatParam& param,
                                              const TensorType& type) const {
  if (const auto given = first_.find(param.state); given != first_.end()) return given->second.shape();
  std::vector<int64_t> shape;
  for (const Scalar& dim : *type.dims()) {
    const int64_t* size = find_int(dim);
    if (!size)
      fail("E0546", param.type->span,
           fmt::format("`{}`: the state `{}` is {}: nothing says how large it is at first", flat.name, param.state,
                       describe(param.type)),
           "give its first value (in Python, `states={name: array}`)");
    shape.push_back(*size);
  }
  return shape;
}

const StateValues::State& StateValues::state_of(const FlatFunction& flat, const FlatParam& param) {
  const auto* type = find<TensorType>(param.type);
  auto known = states_.find(param.state);
  if (known == states_.end()) {
    const std::vector<int64_t> shape = first_shape(flat, param, *type);
    const auto given = first_.find(param.state);
    if (given != first_.end() && (given->second.dtype() != type->dtype || std::cmp_not_equal(shape.size(), type->rank)))
      fail("E0546", param.type->span,
           fmt::format("the first value of the state `{}` is {} of rank {}, expected {} of rank {}", param.state,
                       given->second.dtype().str(), shape.size(), type->dtype.str(), type->rank));
    check_value(fmt::format("`{}`: the state `{}`", flat.name, param.state), param.type, *type, shape);
    const bool is_stored = given != first_.end() && !is_zero(given->second);
    const uint32_t weight =
        is_stored ? add_weight_({"state." + param.state, type->dtype, shape, given->second}) : abi::kNone;
    const abi::ElementType element = {static_cast<uint8_t>(type->dtype.code), type->dtype.bits, type->dtype.lanes};
    const uint32_t number = builder_.add_state(param.state, element, shape, weight);
    known = states_.emplace(param.state, State{number, param.type, shape, flat.name}).first;
  }
  const State& state = known->second;
  check_value(fmt::format("`{}`: the state `{}`, which `{}` has too,", flat.name, param.state, state.function),
              param.type, *find<TensorType>(state.type), state.shape);
  return state;
}

void StateValues::bind(const FlatFunction& flat, Values& params, Values& results) {
  const auto count = static_cast<size_t>(std::ranges::count_if(flat.params, &FlatParam::is_state));
  if (count > results.size())
    fail("E0546", {}, fmt::format("`{}` has {} states and {} results", flat.name, count, results.size()),
         "its last results are the next values of its states");
  size_t next = results.size() - count;
  for (size_t p = 0; p < params.size(); ++p) {
    if (!flat.params[p].is_state()) continue;
    const std::string& name = flat.params[p].state;
    const State& state = state_of(flat, flat.params[p]);
    check_value(fmt::format("`{}`: the next value of the state `{}`", flat.name, name), flat.results[next].type,
                *find<TensorType>(state.type), state.shape);
    params[p].name = results[next].name = name;
    params[p].weight = results[next].weight = abi::kState + state.number;
    ++next;
  }
}

}  // namespace sunmao
