// Op: the record that says all there is to say of an op, and the table of them. The records are filled in by ops/.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>

#include "ir/expr.h"
#include "sym/analyzer.h"

namespace sunmao {

struct Op;

/// A size that has to be `expected` where only a run can tell.
struct SizeDemand {
  Scalar value, expected;
};

/// What an inference function sees of a call. Its accessors fail with the op's name and the argument's.
class InferInput {
 public:
  /// What inference cannot decide of sizes goes to `demands`; null: nobody asks.
  InferInput(const Op& op, std::span<const Expr> args, const Attrs& attrs, std::span<const Type> type_args, Span span,
             std::vector<SizeDemand>* demands = nullptr);
  const Op& op;
  const std::span<const Expr> args;
  const Attrs& attrs;
  const std::span<const Type> type_args;
  const Span span;

  const Type& type(size_t i) const { return args[i]->type; }
  /// Whether argument `i` is there: neither left off at the end nor the empty tuple that holds its place.
  bool has(size_t i) const;
  /// Argument `i` as a tensor; E0201 when it is something else.
  const TensorType& tensor(size_t i) const;
  const TupleType& tuple(size_t i) const;
  const ShapeType& shape(size_t i) const;
  /// The types of a tuple's fields, each a tensor; one tensor counts as a tuple of one.
  std::vector<const TensorType*> tensors(size_t i) const;
  /// The value of an attribute, or its default in the record; E0203 when it is missing or of another kind.
  const AttrValue& attr(const std::string& name) const;
  bool bool_attr(const std::string& name) const;
  int64_t int_attr(const std::string& name) const;
  double float_attr(const std::string& name) const;
  std::string string_attr(const std::string& name) const;
  DType dtype_attr(const std::string& name) const;                               // void when None or ""
  std::optional<std::vector<int64_t>> ints_attr(const std::string& name) const;  // nullopt when None
  /// `axis` with negative values counted from the end; E0203 when out of range.
  int normalize_axis(int64_t axis, int rank) const;
  Analyzer& analyzer() const { return *analyzer_; }
  /// Whether the sizes may be equal. Where only a run can tell, the call demands of it that they are.
  [[nodiscard]] bool can_agree(const Scalar& value, const Scalar& expected) const;
  /// Whether `value` may be `least` or more; demanded likewise.
  [[nodiscard]] bool can_reach(const Scalar& value, const Scalar& least) const;
  [[noreturn]] void error(const std::string& code, const std::string& message, const std::string& help = {}) const;

 private:
  const std::unique_ptr<Analyzer> analyzer_ = std::make_unique<Analyzer>();
  std::vector<SizeDemand>* const demands_;
};

/// How a parameter of an op is passed. Attributes are known when compiling. `Variadic` takes all positional arguments
/// from its place on, `List` one list of expressions; both stand in `args` one by one, behind the other inputs.
/// `Func` is something to call; a text names an extern function.
enum class ParamKind : uint8_t { Tensor, Tuple, Shape, Value, Func, Attr, Variadic, List };

/// What an attribute holds. Values that mean the same are brought to one form: an integer for `Ints` becomes a list,
/// the name of a dtype a DType, "" and "void" None, an integer for `Float` a float.
enum class AttrKind : uint8_t { Any, Bool, Int, Float, String, DType, Ints };

struct OpParam {
  std::string name;
  std::string doc;
  ParamKind kind = ParamKind::Tensor;
  /// What an omitted one stands for. Not set: it must be given. An omitted expression becomes a PrimValue where this is
  /// a number; where it is None it is left off at the end of `args`, and before other arguments an empty tuple holds
  /// its place.
  std::optional<AttrValue> default_value = {};
  AttrKind attr = AttrKind::Any;
};

/// How the op may be fused into one kernel with its neighbours.
enum class Fuse : uint8_t { Elementwise, Broadcast, Injective, Reduce, Anchor, Opaque };

/// What `to-mixed-precision` makes of a call whose tensors have 16 or 32 bits: its tensors stay as they are, are halved
/// where they all can be, or are halved always (products, which accumulate in `out_dtype`).
enum class Precision : uint8_t { Keep, Follow, Half };

/// What lowering makes a loop-level function of: the call, whose argument types are known.
using InferFn = Type (*)(const InferInput&);
/// Brings a call to the one form among those that mean the same; the defaults are filled in already.
using CanonicalFn = void (*)(std::vector<Expr>& args, AttrMap& attrs);
using LowerFn = Ref<BaseFunc> (*)(const Call&);
/// Replaces the call by simpler expressions; `nullptr` for ops that lower directly.
using DecomposeFn = Expr (*)(const Call&);
/// How a call computes on tensors whose axes lie in another order (ops/layout_rule.h).
struct LayoutRequest;
struct LayoutPlan;
using LayoutFn = std::optional<LayoutPlan> (*)(const LayoutRequest&);
/// Draws a call that the op takes, of which tests are made (ops/samples/sampler.h).
class Sampler;
struct OpSample;
using SampleFn = OpSample (*)(Sampler&);

struct OpInfo {
  std::string name;                  // "nn.relu", as the script says after `R.`
  std::string summary;               // one line
  std::vector<OpParam> params = {};  // in the order in which scripts pass them; attributes may come between inputs
  std::vector<std::string> constraints = {};  // "C1: …", each with an error test
  InferFn infer = nullptr;
  LowerFn lower = nullptr;
  DecomposeFn decompose = nullptr;
  CanonicalFn canonical = nullptr;
  Fuse fuse = Fuse::Opaque;
  Precision precision = Precision::Keep;
  LayoutFn layout = nullptr;  // null: on the canonical order alone
  bool is_pure = true;
  bool is_random = false;
  bool runs_on_vm = false;  // an instruction of the virtual machine: legalising leaves it alone
  SampleFn sample = nullptr;
};

/// An op as an expression: the callee of calls. One node for each record, for the life of the process.
struct Op final : ExprNode {
  const OpInfo info;
  static Ref<Op> make(OpInfo info);
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::Op; }
  const std::string& name() const { return info.name; }
  /// The parameters that are expressions, in order.
  std::vector<const OpParam*> inputs() const;
  const OpParam* find_param(const std::string& name) const;
  /// Whether the last of `inputs` takes any number of expressions.
  bool is_variadic() const;
  /// The canonical form of a call's attributes and arguments: every attribute of the record is there, defaults too.
  Attrs complete(std::vector<Expr>& args, const Attrs& attrs) const;

 private:
  explicit Op(OpInfo i) : ExprNode(ExprKind::Op, nullptr, {}), info(std::move(i)) {}
};

class OpTable {
 public:
  void add(OpInfo info);
  /// By name without the `relax.` that other tools put in front; null when unknown.
  Ref<Op> find(std::string_view name) const;
  /// E0204 naming the closest names when there is none.
  Ref<Op> get(std::string_view name, Span span = {}) const;
  const std::vector<Ref<Op>>& all() const { return ops_; }

 private:
  std::vector<Ref<Op>> ops_;
  std::unordered_map<std::string, Ref<Op>> by_name_;
};

/// The call's op, or nullptr when it calls something else.
inline const Op* op_of(const Call& call) { return find<Op>(call.callee); }
/// Whether `e` is a call of the op of this name.
const Call* find_call(const Expr& e, std::string_view op_name);

}  // namespace sunmao
