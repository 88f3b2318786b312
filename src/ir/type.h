// Types of graph-level expressions: tensors with symbolic dimensions and devices, shapes, scalars, tuples, callables.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "sym/scalar.h"

namespace sunmao {

/// Global infos of a module: virtual devices, to which tensor types refer, and dummies without contents.
enum class GlobalInfoKind : uint8_t { VDevice, Dummy };
struct GlobalInfo : Node {
  const GlobalInfoKind kind;

 protected:
  explicit GlobalInfo(GlobalInfoKind k) : kind(k) {}
};

/// A virtual device; `target` is a target kind ("llvm"), one with options ("llvm -mcpu=…") or a JSON target.
struct VDevice final : GlobalInfo {
  const std::string target;
  const int id;
  const std::string memory_scope;
  static Ref<VDevice> make(std::string target, int id = 0, std::string memory_scope = "global");
  static bool matches(const GlobalInfo& n) { return n.kind == GlobalInfoKind::VDevice; }
  /// Returns "llvm" for `llvm`, `llvm -mcpu=…` and `{"kind": "llvm", …}`.
  std::string target_kind() const;

 private:
  VDevice(std::string t, int i, std::string m)
      : GlobalInfo(GlobalInfoKind::VDevice), target(std::move(t)), id(i), memory_scope(std::move(m)) {}
};

/// `I.dummy_global_info()`, without contents.
struct DummyGlobalInfo final : GlobalInfo {
  static Ref<GlobalInfo> make();
  static bool matches(const GlobalInfo& n) { return n.kind == GlobalInfoKind::Dummy; }

 private:
  DummyGlobalInfo() : GlobalInfo(GlobalInfoKind::Dummy) {}
};

/// The kinds of types: for each name `X`, `TypeKind::X` and `XType`.
#define SUNMAO_TYPE_KINDS(X) X(Any), X(Prim), X(Shape), X(Tensor), X(Tuple), X(Callable)
enum class TypeKind : uint8_t { SUNMAO_TYPE_KINDS(SUNMAO_KIND) };
struct TypeNode : Node {
  const TypeKind kind;
  const Span span;

 protected:
  TypeNode(TypeKind k, Span s, uint32_t depth = 0) : Node(limited_depth(depth, s)), kind(k), span(std::move(s)) {}
};
using Type = Ref<TypeNode>;

/// The kinds of expressions: for each name `X`, `ExprKind::X` and the node `X`.
#define SUNMAO_EXPR_KINDS(X)                                                                                  \
  X(Var), X(GlobalVar), X(Constant), X(ShapeExpr), X(PrimValue), X(StringLiteral), X(DTypeLiteral), X(Tuple), \
      X(TupleGetItem), X(Call), X(If), X(SeqExpr), X(Function), X(ExternFunc), X(Op), X(PrimFunc)
enum class ExprKind : uint8_t { SUNMAO_EXPR_KINDS(SUNMAO_KIND) };

/// The base class of expressions (expr.h), declared here because tensor types contain a shape expression. The type is
/// set at construction; null for ops and references to module functions, and where it is not known yet (raw scripts).
struct ExprNode : Node {
  const ExprKind kind;
  const Type type;
  const Span span;

 protected:
  ExprNode(ExprKind k, Type t, Span s, uint32_t depth = 0)
      : Node(limited_depth(depth, s)), kind(k), type(std::move(t)), span(std::move(s)) {}
};
using Expr = Ref<ExprNode>;

/// The type of any value.
struct AnyType final : TypeNode {
  static Type make(Span span = {});
  static bool matches(const TypeNode& n) { return n.kind == TypeKind::Any; }

 private:
  explicit AnyType(Span s) : TypeNode(TypeKind::Any, std::move(s)) {}
};

/// A scalar type; `value` is the scalar's value if the type states it, else null.
struct PrimType final : TypeNode {
  const DType dtype;
  const Scalar value;
  static Type make(DType dtype, Span span = {});
  static Type of_value(Scalar value, Span span = {});
  static bool matches(const TypeNode& n) { return n.kind == TypeKind::Prim; }

 private:
  PrimType(DType t, Scalar v, Span s)
      : TypeNode(TypeKind::Prim, std::move(s), depth_over(v)), dtype(t), value(std::move(v)) {}
};

constexpr int kUnknownRank = -1;

struct ShapeType final : TypeNode {
  const std::optional<std::vector<Scalar>> values;
  const int rank;
  static Type make(std::vector<Scalar> values, Span span = {});
  static Type make_unknown(int rank = kUnknownRank, Span span = {});
  static bool matches(const TypeNode& n) { return n.kind == TypeKind::Shape; }

 private:
  ShapeType(std::optional<std::vector<Scalar>> v, int r, Span s)
      : TypeNode(TypeKind::Shape, std::move(s), v ? depth_over(*v) : 0), values(std::move(v)), rank(r) {}
};

struct TensorType final : TypeNode {
  const Expr shape;   // a ShapeExpr, a variable of shape type, or null when unknown
  const int rank;     // kUnknownRank when unknown
  const DType dtype;  // void when unknown
  const Ref<VDevice> vdevice;

  static Type make(std::vector<Scalar> dims, DType dtype, Ref<VDevice> vdevice = {}, Span span = {});
  static Type make_with_shape(Expr shape, DType dtype, Ref<VDevice> vdevice = {}, Span span = {});
  static Type make_unknown(DType dtype, int rank = kUnknownRank, Ref<VDevice> vdevice = {}, Span span = {});
  static bool matches(const TypeNode& n) { return n.kind == TypeKind::Tensor; }

  /// Returns the dimensions of a shape expression, or those that the type of a shape's variable states; else null.
  const std::vector<Scalar>* dims() const;
  bool is_unknown_dtype() const { return dtype.is_void(); }

 private:
  TensorType(Expr e, int r, DType t, Ref<VDevice> d, Span s)
      : TypeNode(TypeKind::Tensor, std::move(s), depth_over(e)), shape(std::move(e)), rank(r), dtype(t),
        vdevice(std::move(d)) {}
};

struct TupleType final : TypeNode {
  const std::vector<Type> fields;
  static Type make(std::vector<Type> fields, Span span = {});
  static bool matches(const TypeNode& n) { return n.kind == TypeKind::Tuple; }

 private:
  TupleType(std::vector<Type> f, Span s)
      : TypeNode(TypeKind::Tuple, std::move(s), depth_over(f)), fields(std::move(f)) {}
};

/// `params` is nullopt for an opaque callable, of which only the result type and purity are known.
struct CallableType final : TypeNode {
  const std::optional<std::vector<Type>> params;
  const Type result;
  const bool is_pure;
  static Type make(std::vector<Type> params, Type result, bool is_pure, Span span = {});
  static Type make_opaque(Type result, bool is_pure, Span span = {});
  static bool matches(const TypeNode& n) { return n.kind == TypeKind::Callable; }

 private:
  CallableType(std::optional<std::vector<Type>> p, Type r, bool pure, Span s)
      : TypeNode(TypeKind::Callable, std::move(s), p ? depth_over(*p, r) : depth_over(r)), params(std::move(p)),
        result(std::move(r)), is_pure(pure) {}
};

/// Returns the type for messages, in a form close to script syntax: `Tensor((n, 768), "float32")`.
std::string describe(const Type& type);
/// Returns the scalar for messages, in a form close to script syntax: `n * 2 + 1`.
std::string describe(const Scalar& scalar);

/// Returns all symbols in the type, in order of first occurrence.
std::vector<Ref<SymVar>> free_symbols(const Type& type);

}  // namespace sunmao
