// Traversal and rewriting of statements. Unchanged statements keep their pointers.
#pragma once
#include <functional>
#include <unordered_map>

#include "loop/prim_func.h"
#include "sym/walk.h"

namespace sunmao {

/// Rebuilds statements bottom-up. Override the relevant methods and call the base for the others.
class StmtRewriter {
 public:
  virtual ~StmtRewriter() = default;
  virtual Stmt visit(const Stmt& s);
  /// Called for the scalars of statements and regions, but not for those in the types of buffers; the default replaces
  /// the buffers of loads by `visit_buffer`.
  virtual Scalar visit_scalar(const Scalar& s);

 protected:
  /// Visits the parts of `s`; rebuilds it when one changed.
  Stmt visit_parts(const Stmt& s);
  /// Called for each buffer that a load, a store, a region or a definition names.
  virtual Ref<Buffer> visit_buffer(const Ref<Buffer>& b) { return b; }
  Range visit_range(const Range& r);
  BufferRegion visit_region(const BufferRegion& r);
};

/// Visits every statement, parents first, and its scalars.
class StmtVisitor {
 public:
  virtual ~StmtVisitor() = default;
  virtual void visit(const Stmt& s) { visit_parts(s); }
  virtual void visit_scalar(const Scalar&) {}

 protected:
  void visit_parts(const Stmt& s);
};

using BufferMap = std::unordered_map<Ref<Buffer>, Ref<Buffer>>;
Stmt substitute(const Stmt& s, const Substitution& symbols, const BufferMap& buffers = {});
/// Substitutes symbols, and the buffers of loads.
Scalar substitute(const Scalar& s, const Substitution& symbols, const BufferMap& buffers);
/// Returns a copy in which loop variables, block iterators, bound variables and local buffers are fresh nodes of the
/// same names.
Stmt with_fresh_names(const Stmt& s);
bool has_blocks(const Stmt& s);

}  // namespace sunmao
