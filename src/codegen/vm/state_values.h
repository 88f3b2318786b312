// The states of a program: which parameters and results of its functions are bound to them.
#pragma once
#include <functional>

#include "abi/program_builder.h"
#include "codegen/vm/flat_function.h"

namespace sunmao {

class StateValues {
 public:
  /// `first` has first values by the names of states; `add_weight` returns the number of a weight of the program.
  StateValues(abi::ProgramBuilder& builder, const Weights& first,
              std::function<uint32_t(const ProgramWeight&)> add_weight)
      : builder_(builder), first_(first), add_weight_(std::move(add_weight)) {}

  using Values = std::vector<abi::ProgramBuilder::Value>;
  /// Binds the parameters of a function that are state, and as many last results, to states. Fails (E0546) when these
  /// differ in dtype, rank or size, or when nothing says how large a state is at first.
  void bind(const FlatFunction& flat, Values& params, Values& results);

 private:
  struct State {
    uint32_t number;
    Type type;  // as the first function has it
    std::vector<int64_t> shape;
    std::string function;
  };
  const State& state_of(const FlatFunction& flat, const FlatParam& param);
  std::vector<int64_t> first_shape(const FlatFunction& flat, const FlatParam& param, const TensorType& type) const;

  abi::ProgramBuilder& builder_;
  const Weights& first_;
  std::function<uint32_t(const ProgramWeight&)> add_weight_;
  std::map<std::string, State> states_;
};

}  // namespace sunmao
