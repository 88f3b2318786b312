// Scalars: expressions over numbers and symbols, used in shapes at the graph level and in loops. Construction does not
// fold them; `Analyzer` compares and simplifies them.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "support/depth.h"
#include "support/dtype.h"

namespace sunmao {

/// The kinds of scalars: for each name `X`, `ScalarKind::X` and the node `X`. `Extern` stands for nodes defined above
/// sym/ (ExternScalar).
#define SUNMAO_SCALAR_KINDS(X)                                                                                   \
  X(IntImm), X(FloatImm), X(StringImm), X(SymVar), X(Binary), X(Not), X(Cast), X(Select), X(Ramp), X(Broadcast), \
      X(Let), X(ScalarCall)
#define SUNMAO_KIND(name) name
enum class ScalarKind : uint8_t { SUNMAO_SCALAR_KINDS(SUNMAO_KIND), Extern };

struct ScalarNode : Node {
  const ScalarKind kind;
  const DType dtype;
  const Span span;

 protected:
  ScalarNode(ScalarKind k, DType t, Span s, uint32_t depth = 0)
      : Node(limited_depth(depth, s)), kind(k), dtype(t), span(std::move(s)) {}
};
using Scalar = Ref<ScalarNode>;

/// A constant of integer, boolean or handle dtype; an unsigned 64-bit value is stored as its bit pattern.
struct IntImm final : ScalarNode {
  const int64_t value;
  static Scalar make(DType dtype, int64_t value, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::IntImm; }

 private:
  IntImm(DType t, int64_t v, Span s) : ScalarNode(ScalarKind::IntImm, t, std::move(s)), value(v) {}
};

struct FloatImm final : ScalarNode {
  const double value;
  static Scalar make(DType dtype, double value, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::FloatImm; }

 private:
  FloatImm(DType t, double v, Span s) : ScalarNode(ScalarKind::FloatImm, t, std::move(s)), value(v) {}
};

/// A string argument of a scalar call; its dtype is handle.
struct StringImm final : ScalarNode {
  const std::string value;
  static Scalar make(std::string value, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::StringImm; }

 private:
  StringImm(std::string v, Span s)
      : ScalarNode(ScalarKind::StringImm, DType::handle(), std::move(s)), value(std::move(v)) {}
};

/// What a handle points to, if known: elements of dtype `element` in memory of scope `scope`.
struct Pointee {
  DType element = {};  // void: unknown
  std::string scope = {};
  bool operator==(const Pointee&) const = default;
};

/// A symbol, such as a symbolic dimension, loop variable or scalar parameter, identified by its node and not by its
/// name.
struct SymVar final : ScalarNode {
  const std::string name;
  const Pointee pointee;  // for handles
  static Ref<SymVar> make(std::string name, DType dtype = DType::int_(64), Span span = {});
  static Ref<SymVar> make_handle(std::string name, Pointee pointee, Span span = {});
  /// Returns a new symbol of the same type with another name.
  Ref<SymVar> renamed(std::string new_name) const;
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::SymVar; }

 private:
  SymVar(std::string n, DType t, Pointee p, Span s)
      : ScalarNode(ScalarKind::SymVar, t, std::move(s)), name(std::move(n)), pointee(std::move(p)) {}
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  TruncMod,
  FloorDiv,
  FloorMod,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or
};
/// `is_comparison` is true for Eq to Ge, `is_logical` for And and Or. These operations yield bool, other ones the
/// operands' dtype.
bool is_comparison(BinaryOp op);
bool is_logical(BinaryOp op);
/// Returns the operation's name: "add", "floordiv", "min", "eq", …
const char* name_of(BinaryOp op);

/// A binary operation. `Div` is true division on floats and truncates on integers. `make` adapts a literal to the dtype
/// of the other operand and widens the narrower of two signed integers; it fails (E0301) if the dtypes still differ.
struct Binary final : ScalarNode {
  const BinaryOp op;
  const Scalar a, b;
  static Scalar make(BinaryOp op, Scalar a, Scalar b, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Binary; }

 private:
  Binary(BinaryOp o, DType t, Scalar x, Scalar y, Span s)
      : ScalarNode(ScalarKind::Binary, t, std::move(s), depth_over(x, y)), op(o), a(std::move(x)), b(std::move(y)) {}
};

struct Not final : ScalarNode {
  const Scalar a;
  static Scalar make(Scalar a, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Not; }

 private:
  Not(Scalar x, Span s) : ScalarNode(ScalarKind::Not, x->dtype, std::move(s), depth_over(x)), a(std::move(x)) {}
};

struct Cast final : ScalarNode {
  const Scalar value;
  static Scalar make(DType dtype, Scalar value, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Cast; }

 private:
  Cast(DType t, Scalar v, Span s) : ScalarNode(ScalarKind::Cast, t, std::move(s), depth_over(v)), value(std::move(v)) {}
};

/// Select evaluates both alternatives; `ScalarCall("if_then_else")` evaluates only one.
struct Select final : ScalarNode {
  const Scalar condition, then_value, else_value;
  static Scalar make(Scalar condition, Scalar then_value, Scalar else_value, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Select; }

 private:
  Select(Scalar c, Scalar t, Scalar e, Span s)
      : ScalarNode(ScalarKind::Select, t->dtype, std::move(s), depth_over(c, t, e)), condition(std::move(c)),
        then_value(std::move(t)), else_value(std::move(e)) {}
};

/// The vector base, base + stride, base + 2 * stride, …
struct Ramp final : ScalarNode {
  const Scalar base, stride;
  static Scalar make(Scalar base, Scalar stride, Lanes lanes, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Ramp; }

 private:
  Ramp(Scalar b, Scalar d, Lanes lanes, Span s)
      : ScalarNode(ScalarKind::Ramp, b->dtype.with_lanes(lanes), std::move(s), depth_over(b, d)), base(std::move(b)),
        stride(std::move(d)) {}
};

struct Broadcast final : ScalarNode {
  const Scalar value;
  static Scalar make(Scalar value, Lanes lanes, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Broadcast; }

 private:
  Broadcast(Scalar v, Lanes lanes, Span s)
      : ScalarNode(ScalarKind::Broadcast, v->dtype.with_lanes(lanes), std::move(s), depth_over(v)),
        value(std::move(v)) {}
};

struct Let final : ScalarNode {
  const Ref<SymVar> var;
  const Scalar value, body;
  static Scalar make(Ref<SymVar> var, Scalar value, Scalar body, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Let; }

 private:
  Let(Ref<SymVar> v, Scalar x, Scalar b, Span s)
      : ScalarNode(ScalarKind::Let, b->dtype, std::move(s), depth_over(x, b)), var(std::move(v)), value(std::move(x)),
        body(std::move(b)) {}
};

/// A call of an intrinsic, by its script name without prefix: "exp", "sqrt", "fma", "if_then_else", "call_extern", …
struct ScalarCall final : ScalarNode {
  const std::string name;
  const std::vector<Scalar> args;
  static Scalar make(std::string name, DType dtype, std::vector<Scalar> args, Span span = {});
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::ScalarCall; }

 private:
  ScalarCall(std::string n, DType t, std::vector<Scalar> a, Span s)
      : ScalarNode(ScalarKind::ScalarCall, t, std::move(s), depth_over(a)), name(std::move(n)), args(std::move(a)) {}
};

class Equality;
class StructuralHasher;

/// A scalar defined above sym/ (a load from a buffer), seen here as a head with operands.
struct ExternScalar : ScalarNode {
  static bool matches(const ScalarNode& n) { return n.kind == ScalarKind::Extern; }
  virtual std::span<const Scalar> operands() const = 0;
  virtual Scalar with_operands(std::vector<Scalar> operands) const = 0;
  /// True when two nodes are equal apart from their operands.
  virtual bool same_head(const ExternScalar& other, Equality& equality) const = 0;
  virtual void hash_head(StructuralHasher& hasher) const = 0;
  /// Identifies the kind of extern scalar, without RTTI.
  virtual const char* head_kind() const = 0;

 protected:
  ExternScalar(DType t, Span s, uint32_t depth) : ScalarNode(ScalarKind::Extern, t, std::move(s), depth) {}
};

// Constructors of scalars; they do not fold constants.
Scalar int_imm(int64_t value);  // int64, the dtype of dimensions
Scalar operator+(const Scalar& a, const Scalar& b);
Scalar operator-(const Scalar& a, const Scalar& b);
Scalar operator*(const Scalar& a, const Scalar& b);
Scalar floor_div(const Scalar& a, const Scalar& b);
Scalar floor_mod(const Scalar& a, const Scalar& b);
Scalar min(const Scalar& a, const Scalar& b);
Scalar max(const Scalar& a, const Scalar& b);

/// Returns the value of an integer immediate, or null.
const int64_t* find_int(const Scalar& s);
const int64_t* find_int(Scalar&&) = delete;  // the value would not outlive the temporary

}  // namespace sunmao
