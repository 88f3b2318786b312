// OpForm: how a model calls a function of the host whose results the runtime allocates, as kernels of ops are called.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/program.h"
#include "sunmao/op.h"

namespace sunmao::runtime {

class OpForm {
 public:
  enum class Kind : uint8_t { Tensor, Integers, Result, Integer, Real, Text };
  struct Argument {
    Kind kind = Kind::Tensor;
    int64_t integer = 0;  // what the form itself says
    double real = 0;
    std::string text = {};

    bool is_literal() const { return kind >= Kind::Integer; }
    /// Returns a literal as a kernel gets it; it points into this.
    sunmao_op_value value() const;
  };

  /// Reads the form of a function of the host (sunmao_host_call); null when it is none of a kernel: it has objects,
  /// tensors that change, or results that the function makes.
  static std::shared_ptr<const OpForm> read(const FunctionView& function);
  OpForm(const OpForm&) = delete;
  OpForm& operator=(const OpForm&) = delete;

  /// Returns the arguments in order; all but literals are parameters of the function.
  const std::vector<Argument>& arguments() const { return arguments_; }

 private:
  OpForm() = default;
  std::vector<Argument> arguments_;
};

}  // namespace sunmao::runtime
