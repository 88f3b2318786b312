// Op: the record that defines an op, and the table of all ops. The records are registered by ops/.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>

#include "ir/expr.h"
#include "sym/analyzer.h"

namespace sunmao {

struct Op;

/// A relation `value` == `expected` between sizes that has to be checked at run time.
struct SizeDemand {
  Scalar value, expected;
  bool is_relation = false;  // is checked alone: no cast of an argument could state it
};

/// The call as seen by an inference function. Accessors fail with the names of the op and the argument.
class InferInput {
 public:
  /// Relations between sizes that inference cannot decide are appended to `demands`, unless it is null.
  InferInput(const Op& op, std::span<const Expr> args, const Attrs& attrs, std::span<const Type> type_args, Span span,
             std::vector<SizeDemand>* demands = nullptr);
  const Op& op;
  const std::span<const Expr> args;
  const Attrs& attrs;
  const std::span<const Type> type_args;
  const Span span;

  const Type& type(size_t i) const { return args[i]->type; }
  /// True when argument `i` is given: neither omitted at the end nor the empty tuple used as placeholder.
  bool has(size_t i) const;
  /// Returns the type of argument `i`; fails (E0201) unless it is a tensor.
  const TensorType& tensor(size_t i) const;
  const TupleType& tuple(size_t i) const;
  const ShapeType& shape(size_t i) const;
  /// Returns the types of a tuple's fields, which must be tensors; a single tensor counts as a tuple of one.
  std::vector<const TensorType*> tensors(size_t i) const;
  /// Returns an attribute's value or its default; fails (E0203) when it is missing or of another kind.
  const AttrValue& attr(const std::string& name) const;
  bool bool_attr(const std::string& name) const;
  int64_t int_attr(const std::string& name) const;
  double float_attr(const std::string& name) const;
  std::string string_attr(const std::string& name) const;
  DType dtype_attr(const std::string& name) const;                               // void when None or ""
  std::optional<std::vector<int64_t>> ints_attr(const std::string& name) const;  // nullopt when None
  /// Returns `axis`, counted from the end if negative; fails (E0203) when it is out of range.
  int normalize_axis(int64_t axis, int rank) const;
  Analyzer& analyzer() const { return *analyzer_; }
  /// False when the sizes are provably different. When undecided, demands a run-time check that they are equal.
  [[nodiscard]] bool can_agree(const Scalar& value, const Scalar& expected) const;
  /// False when `value` is provably neither 1 nor `target`. When undecided, demands a run-time check that it is one of
  /// them.
  [[nodiscard]] bool can_repeat(const Scalar& value, const Scalar& target) const;
  /// False when `value` is provably less than `least`. When undecided, demands a run-time check.
  [[nodiscard]] bool can_reach(const Scalar& value, const Scalar& least) const;
  [[noreturn]] void error(const std::string& code, const std::string& message, const std::string& help = {}) const;

 private:
  const std::unique_ptr<Analyzer> analyzer_ = std::make_unique<Analyzer>();
  std::vector<SizeDemand>* const demands_;
};

/// How a parameter is passed. Attributes are compile-time constants. `Variadic` takes all remaining positional
/// arguments, `List` a list of expressions; both are stored individually in `args`, after the other inputs. `Func`
/// takes a callee; a string names an extern function.
enum class ParamKind : uint8_t { Tensor, Tuple, Shape, Value, Func, Attr, Variadic, List };

/// The kind of an attribute. Equivalent values are normalized: an integer becomes a list for `Ints`, a float for
/// `Float`, a bool for `Bool`; a dtype name or scalar type becomes a DType, "" and "void" None; a literal expression
/// becomes its value, except for `Any`.
enum class AttrKind : uint8_t { Any, Bool, Int, Float, String, DType, Ints };

struct OpParam {
  std::string name;
  std::string doc;
  ParamKind kind = ParamKind::Tensor;
  /// The value of an omitted argument; nullopt: the argument is required. For an expression, a number or a bool
  /// becomes a PrimValue; None is dropped at the end of `args`, and represented by an empty tuple before other
  /// arguments.
  std::optional<AttrValue> default_value = {};
  AttrKind attr = AttrKind::Any;
};

/// How the op may be fused with neighbouring ops into one kernel.
enum class Fuse : uint8_t { Elementwise, Broadcast, Injective, Reduce, Anchor, Opaque };

/// How `to-mixed-precision` treats a call on float16 and float32 tensors: unchanged, in float16 if all operands can be
/// converted, or, for a product that can be computed so, on operands converted to float16 with `out_dtype` set.
enum class Precision : uint8_t { Keep, Follow, Half };

/// An op's inference: returns the result type of a call.
using InferFn = Type (*)(const InferInput&);
/// An op's hook that brings equivalent calls to one form; defaults are already filled in.
using CanonicalFn = void (*)(std::vector<Expr>& args, AttrMap& attrs);
using LowerFn = Ref<BaseFunc> (*)(const Call&);
/// An op's decomposition: returns a simpler expression equivalent to the call, or the call itself.
using DecomposeFn = Expr (*)(const Call&);
/// An op's sized form, for a call whose result has sizes that data decides: emits what finds them, names them by a
/// match_cast, and returns an equal value with these sizes; the call itself where too little is known of its arguments.
class BlockBuilder;
using SizedFn = Expr (*)(const Call&, BlockBuilder&);
/// An op's layout hook: returns how a call computes on tensors with permuted or blocked axes (ops/layout_rule.h).
struct LayoutRequest;
struct LayoutPlan;
using LayoutFn = std::optional<LayoutPlan> (*)(const LayoutRequest&);
/// An op's sampler: generates a random valid call, for tests (ops/samples/sampler.h).
class Sampler;
struct OpSample;
using SampleFn = OpSample (*)(Sampler&);

struct OpInfo {
  std::string name;                           // name in scripts without `R.`, such as "nn.relu"
  std::string summary;                        // one line
  std::vector<OpParam> params = {};           // in script order; attributes may precede inputs
  std::vector<std::string> constraints = {};  // such as "C1: …"; each has an error test
  InferFn infer = nullptr;
  LowerFn lower = nullptr;
  LowerFn lower_prepared = nullptr;  // for calls whose argument `prepared` is a weight, which it lays out anew
  size_t prepared = 0;
  DecomposeFn decompose = nullptr;
  SizedFn sized = nullptr;
  CanonicalFn canonical = nullptr;
  Fuse fuse = Fuse::Opaque;
  Precision precision = Precision::Keep;
  LayoutFn layout = nullptr;  // null: supports the original layout only
  bool is_pure = true;
  bool is_random = false;
  bool runs_on_vm = false;      // is an instruction of the virtual machine, which `legalize-ops` does not change
  bool runs_unlowered = false;  // is one where its decomposition or kernel does not apply
  bool computes = true;         // false: only marks, moves, allocates or releases values, or has an effect alone
  bool calls_argument = false;  // calls its first argument
  bool allocates = false;       // pure, but each call returns an object of its own: equal calls are two values
  bool is_in_place = false;     // writes into tensors among its arguments
  bool is_commutative = false;  // its two arguments may be exchanged; at most the sign of a zero changes
  bool is_view = false;         // the result has the elements of the first argument in row-major order
  bool is_foldable = false;     // evaluated on constants although it has neither a kernel nor a decomposition
  SampleFn sample = nullptr;
};

/// An op as an expression, the callee of calls.
struct Op final : ExprNode {
  const OpInfo info;
  static Ref<Op> make(OpInfo info);
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::Op; }
  const std::string& name() const { return info.name; }
  /// Returns the parameters that are expressions, in order.
  std::vector<const OpParam*> inputs() const;
  const OpParam* find_param(const std::string& name) const;
  /// True when the last of `inputs` takes any number of expressions.
  bool is_variadic() const;
  /// True when a call passes the fields of argument 1, a tuple, to argument 0, a loop-level function, and has values
  /// for its scalar parameters in `tir_vars`.
  bool calls_loops() const { return info.calls_argument && find_param("tir_vars"); }
  /// Brings arguments and attributes to canonical form; attributes that are missing get their defaults.
  Attrs complete(std::vector<Expr>& args, const Attrs& attrs) const;

 private:
  explicit Op(OpInfo i) : ExprNode(ExprKind::Op, nullptr, {}), info(std::move(i)) {}
};

class OpTable {
 public:
  void add(OpInfo info);
  /// Looks up an op by name, with or without `relax.`, where `distributed.` stands for `dist.`; null when unknown.
  Ref<Op> find(std::string_view name) const;
  /// Like `find`, but fails (E0204), naming similar ops, when there is none.
  Ref<Op> get(std::string_view name, Span span = {}) const;
  const std::vector<Ref<Op>>& all() const { return ops_; }

 private:
  std::vector<Ref<Op>> ops_;
  std::unordered_map<std::string, Ref<Op>> by_name_;
};

/// Returns the called op, or null when the callee is something else.
inline const Op* op_of(const Call& call) { return find<Op>(call.callee); }
/// Returns `e` as a call of the op `op_name`, or null.
const Call* find_call(const Expr& e, std::string_view op_name);

}  // namespace sunmao
