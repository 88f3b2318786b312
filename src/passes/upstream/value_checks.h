// ValueChecks: the checks that a value is of a type, as calls of functions of the virtual machine. Kinds, ranks and
// dtypes are checked at once; sizes are left to the caller, as matches.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "passes/analysis/heap_codes.h"

namespace sunmao {

inline Expr int_value(int64_t value) { return PrimValue::make(int_imm(value)); }

class ValueChecks {
 public:
  using Emit = std::function<Expr(Expr value, const char* name)>;

  /// A value, or a field of one, which is bound to a variable where it is first needed.
  class Place {
   public:
    explicit Place(Expr value) : state_(std::make_shared<State>(State{.value = std::move(value)})) {}
    Place(const Place& tuple, int64_t field, const Emit& emit);
    Expr get() const;
    const Type& type() const { return state_->type ? state_->type : state_->value->type; }

   private:
    struct State {
      Expr value;
      Type type = {};
      std::function<Expr()> bind = {};
    };
    std::shared_ptr<State> state_;
  };

  struct Match {
    Place place;
    std::vector<Scalar> pattern;
    Expr context;
  };

  struct Extent {
    bool always = false;        // whether also what the static type says already is checked
    bool dynamic_only = false;  // whether tensors of known sizes are left out
  };

  ValueChecks(Emit emit, Expr context, std::vector<Match>& matches)
      : emit_(std::move(emit)), context_(std::move(context)), matches_(matches) {}

  void check(const Type& type, const Place& place, Extent extent);

 private:
  void check_tensor(const TensorType& type, const Place& place, Extent extent);
  void check_shape(const ShapeType& type, const Place& place, Extent extent);
  void check_number(const PrimType& type, const Place& place, Extent extent);
  void check_tuple(const TupleType& type, const Place& place, Extent extent);
  void call(const char* name, std::vector<Expr> args);

  const Emit emit_;
  const Expr context_;
  std::vector<Match>& matches_;
};

using Match = ValueChecks::Match;
using Matches = std::vector<Match>;

}  // namespace sunmao
