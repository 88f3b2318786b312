// PrimFunc: a function of the loop level, with its signature.
#pragma once
#include "ir/expr.h"
#include "loop/stmt.h"

namespace sunmao {

/// A parameter: a buffer (passed by a handle in scripts) or a scalar.
struct PrimParam {
  Ref<SymVar> var;     // the handle or the scalar
  Ref<Buffer> buffer;  // null for a scalar
};

struct PrimFunc final : BaseFunc {
  const std::vector<PrimParam> params;
  const Stmt body;
  const Type result_type;  // null: returns nothing

  static Ref<PrimFunc> make(std::vector<PrimParam> params, Stmt body, Attrs attrs = {}, Type result_type = {},
                            Span span = {});
  static bool matches(const ExprNode& n) { return n.kind == ExprKind::PrimFunc; }
  Ref<BaseFunc> with_attrs(Attrs new_attrs) const override;
  /// Returns the function with another body; this function when the body is the same pointer.
  Ref<PrimFunc> with_body(Stmt new_body) const;
  bool equals(const BaseFunc& other, Equality& equality) const override;
  void hash_into(StructuralHasher& hasher) const override;

  /// Returns the buffers of the parameters, in order.
  std::vector<Ref<Buffer>> buffers() const;
  /// Returns the symbols passed as `dims` in a kernel call (abi/kernel.h): those of buffer shapes in order of first
  /// occurrence, then the other scalar parameters.
  std::vector<Ref<SymVar>> dims() const;

 private:
  PrimFunc(std::vector<PrimParam> p, Stmt b, Attrs a, Type r, Type t, Span s)
      : BaseFunc(ExprKind::PrimFunc, std::move(t), std::move(a), std::move(s), depth_over(b)), params(std::move(p)),
        body(std::move(b)), result_type(std::move(r)) {}
};

bool structural_equal(const Stmt& a, const Stmt& b);
/// Compares statements under the mappings in `equality`, which records the first difference.
bool equal(const Stmt& a, const Stmt& b, Equality& equality);
uint64_t structural_hash(const Stmt& s, Equality::Options options = {});

}  // namespace sunmao
