// Expressions of the graph level: immutable nodes, created by `make`.
#pragma once
#include <atomic>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "ir/attrs.h"
#include "ir/type.h"
#include "support/array.h"

namespace sunmao {

/// A variable, identified by its node; `name` is for printing. A dataflow variable is in scope in its dataflow block
/// only.
struct Var final : ExprNode {
  const std::string name;
  const bool is_dataflow;
  static Ref<Var> make(std::string name, Type type, Span span = {});
  static Ref<Var> make_dataflow(std::string name, Type type, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::Var; }
  /// Returns a fresh variable with the same name and kind and another type; this variable when the type is the same
  /// pointer.
  Ref<Var> with_type(Type new_type) const;

 private:
  Var(std::string n, bool df, Type t, Span s)
      : ExprNode(ExprKind::Var, std::move(t), std::move(s)), name(std::move(n)), is_dataflow(df) {}
};

/// A reference to a module function by name. `type` is null, because the signature belongs to the module.
struct GlobalVar final : ExprNode {
  const std::string name;
  static Ref<GlobalVar> make(std::string name, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::GlobalVar; }

 private:
  GlobalVar(std::string n, Span s) : ExprNode(ExprKind::GlobalVar, nullptr, std::move(s)), name(std::move(n)) {}
};

struct Constant final : ExprNode {
  const Array data;
  static Expr make(Array data, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::Constant; }

 private:
  Constant(Array d, Type t, Span s) : ExprNode(ExprKind::Constant, std::move(t), std::move(s)), data(std::move(d)) {}
};

struct ShapeExpr final : ExprNode {
  const std::vector<Scalar> values;  // each int64
  static Expr make(std::vector<Scalar> values, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::ShapeExpr; }

 private:
  ShapeExpr(std::vector<Scalar> v, Type t, Span s)
      : ExprNode(ExprKind::ShapeExpr, std::move(t), std::move(s), depth_over(v)), values(std::move(v)) {}
};

struct PrimValue final : ExprNode {
  const Scalar value;
  static Expr make(Scalar value, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::PrimValue; }

 private:
  PrimValue(Scalar v, Type t, Span s)
      : ExprNode(ExprKind::PrimValue, std::move(t), std::move(s), depth_over(v)), value(std::move(v)) {}
};

struct StringLiteral final : ExprNode {
  const std::string value;
  static Expr make(std::string value, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::StringLiteral; }

 private:
  StringLiteral(std::string v, Type t, Span s)
      : ExprNode(ExprKind::StringLiteral, std::move(t), std::move(s)), value(std::move(v)) {}
};

struct DTypeLiteral final : ExprNode {
  const DType value;
  static Expr make(DType value, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::DTypeLiteral; }

 private:
  DTypeLiteral(DType v, Type t, Span s) : ExprNode(ExprKind::DTypeLiteral, std::move(t), std::move(s)), value(v) {}
};

struct Tuple final : ExprNode {
  const std::vector<Expr> fields;
  static Expr make(std::vector<Expr> fields, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::Tuple; }

 private:
  Tuple(std::vector<Expr> f, Type t, Span s)
      : ExprNode(ExprKind::Tuple, std::move(t), std::move(s), depth_over(f)), fields(std::move(f)) {}
};

/// `make` fails (E0312) when the type of `tuple` is known, is not Any and has no such field.
struct TupleGetItem final : ExprNode {
  const Expr tuple;
  const int index;
  static Expr make(Expr tuple, int index, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::TupleGetItem; }

 private:
  TupleGetItem(Expr e, int i, Type t, Span s)
      : ExprNode(ExprKind::TupleGetItem, std::move(t), std::move(s), depth_over(e)), tuple(std::move(e)), index(i) {}
};

/// Applies `callee` (an op, a function of the module, a variable of callable type, an extern) to `args`. `type_args`
/// are explicit types for callees whose result is not inferred, such as `out_ty` of `call_tir`.
struct Call final : ExprNode {
  const Expr callee;
  const std::vector<Expr> args;
  const Attrs attrs;
  const std::vector<Type> type_args;

  /// Infers the type from the op's record or the callee's callable type. The type is null if the callee is a GlobalVar
  /// or an argument other than a GlobalVar or an Op has no type. Brings a call of an op to canonical form
  /// (`Op::complete`).
  static Ref<Call> make(Expr callee, std::vector<Expr> args, Attrs attrs = {}, std::vector<Type> type_args = {},
                        Span span = {});
  /// Takes the type from the caller, for example because the callee is a function of the module (see `infer_call`).
  static Ref<Call> make_typed(Expr callee, std::vector<Expr> args, Attrs attrs, std::vector<Type> type_args, Type type,
                              Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::Call; }
  /// Returns the call on other arguments; this node when nothing changes. A call of a module function gets `type`, or
  /// keeps its own type if `type` is null; for other callees the type is inferred again.
  Ref<Call> with_args(std::vector<Expr> new_args, Type type = {}) const;

 private:
  Call(Expr c, std::vector<Expr> a, Attrs at, std::vector<Type> ta, Type t, Span s)
      : ExprNode(ExprKind::Call, std::move(t), std::move(s), depth_over(c, a)), callee(std::move(c)),
        args(std::move(a)), attrs(std::move(at)), type_args(std::move(ta)) {}
};

struct SeqExpr;

/// A conditional; its type is the common type of both branches.
struct If final : ExprNode {
  const Expr condition;
  const Ref<SeqExpr> then_branch, else_branch;
  static Expr make(Expr condition, Ref<SeqExpr> then_branch, Ref<SeqExpr> else_branch, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::If; }

 private:
  If(Expr c, Ref<SeqExpr> t, Ref<SeqExpr> e, Type ty, Span s);
};

/// A binding `var = value` or, with `cast_type`, `var = match_cast(value, cast_type)`: a run-time check that may define
/// symbols.
struct Binding {
  Ref<Var> var;
  Expr value;
  Type cast_type;  // null for a plain binding
  Span span;
  bool is_match_cast() const { return static_cast<bool>(cast_type); }
};

struct BindingBlock final : Node {
  const std::vector<Binding> bindings;
  const bool is_dataflow;
  const Span span;
  static Ref<BindingBlock> make(std::vector<Binding> bindings, Span span = {});
  static Ref<BindingBlock> make_dataflow(std::vector<Binding> bindings, Span span = {});

 private:
  BindingBlock(std::vector<Binding> b, bool df, Span s)
      : Node(depth_over(b | std::views::transform(&Binding::value))), bindings(std::move(b)), is_dataflow(df),
        span(std::move(s)) {}
};

/// Binding blocks followed by a result expression, whose type is that of the sequence.
struct SeqExpr final : ExprNode {
  const std::vector<Ref<BindingBlock>> blocks;
  const Expr body;
  static Ref<SeqExpr> make(std::vector<Ref<BindingBlock>> blocks, Expr body, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::SeqExpr; }

 private:
  SeqExpr(std::vector<Ref<BindingBlock>> b, Expr e, Type t, Span s)
      : ExprNode(ExprKind::SeqExpr, std::move(t), std::move(s), depth_over(b, e)), blocks(std::move(b)),
        body(std::move(e)) {}
};

/// The base class of functions: graph-level Function, loop-level PrimFunc, ExternFunc.
struct BaseFunc : ExprNode {
  const Attrs attrs;
  static bool matches(const ExprNode& n) {
    return n.kind == ExprKind::Function || n.kind == ExprKind::PrimFunc || n.kind == ExprKind::ExternFunc;
  }
  /// Returns null when the attribute is absent or of another type.
  template <class T>
  const T* attr(const std::string& name) const {
    return attrs.find<T>(name);
  }
  virtual Ref<BaseFunc> with_attrs(Attrs new_attrs) const = 0;
  /// Structural comparison and hash; virtual, because PrimFunc is defined in loop/, which depends on ir/.
  virtual bool equals(const BaseFunc& other, Equality& equality) const = 0;
  virtual void hash_into(StructuralHasher& hasher) const = 0;
  /// The structural hash of the function alone, cached after the first call.
  uint64_t structural_hash() const;

 protected:
  BaseFunc(ExprKind k, Type t, Attrs a, Span s, uint32_t depth = 0)
      : ExprNode(k, std::move(t), std::move(s), depth), attrs(std::move(a)) {}

 private:
  // The cached structural hash; 0 when it has not been computed.
  const std::unique_ptr<std::atomic<uint64_t>> hash_ = std::make_unique<std::atomic<uint64_t>>(0);
};

/// A graph-level function; its type is the callable type of its parameters and `result_type`.
struct Function final : BaseFunc {
  const std::vector<Ref<Var>> params;
  const Ref<SeqExpr> body;
  const Type result_type;  // may be less precise than the body's type; null only in raw scripts
  const bool is_pure;
  static Ref<Function> make(std::vector<Ref<Var>> params, Ref<SeqExpr> body, Type result_type, bool is_pure,
                            Attrs attrs = {}, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::Function; }
  Ref<BaseFunc> with_attrs(Attrs new_attrs) const override;
  Ref<Function> with_attr(const std::string& name, AttrValue value) const;
  /// Returns the function with another body, from whose type the result type is derived; this function when the body is
  /// the same pointer.
  Ref<Function> with_body(Ref<SeqExpr> new_body) const;
  bool equals(const BaseFunc& other, Equality& equality) const override;
  void hash_into(StructuralHasher& hasher) const override;

 private:
  Function(std::vector<Ref<Var>> p, Ref<SeqExpr> b, Type r, bool pure, Attrs a, Type t, Span s)
      : BaseFunc(ExprKind::Function, std::move(t), std::move(a), std::move(s), depth_over(b)), params(std::move(p)),
        body(std::move(b)), result_type(std::move(r)), is_pure(pure) {}
};

/// A function looked up by name at run time. Its type is an opaque callable unless it is given.
struct ExternFunc final : BaseFunc {
  const std::string name;
  static Expr make(std::string name, Span span = {});
  /// Fails (E0315) unless `type` is a callable type.
  static Expr make_typed(std::string name, Type type, Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::ExternFunc; }
  Ref<BaseFunc> with_attrs(Attrs new_attrs) const override;
  bool equals(const BaseFunc& other, Equality& equality) const override;
  void hash_into(StructuralHasher& hasher) const override;

 private:
  ExternFunc(std::string n, Attrs a, Type t, Span s)
      : BaseFunc(ExprKind::ExternFunc, std::move(t), std::move(a), std::move(s)), name(std::move(n)) {}
};

/// True for expressions that may be arguments in normal form: all except calls, branches, sequences, graph-level
/// functions, field accesses, and tuples that contain one of these.
bool is_leaf(const Expr& e);

}  // namespace sunmao
