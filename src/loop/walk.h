// Walking and rewriting statements. Unchanged means the same pointer.
#pragma once
#include <functional>
#include <unordered_map>

#include "loop/prim_func.h"
#include "sym/walk.h"

namespace sunmao {

/// Rebuilds statements bottom-up. Override what a pass cares about and call the base for the rest.
class StmtRewriter {
 public:
  virtual ~StmtRewriter() = default;
  virtual Stmt visit(const Stmt& s);
  /// Every scalar of every statement passes through here; the default rewrites loads by `visit_buffer`.
  virtual Scalar visit_scalar(const Scalar& s);

 protected:
  /// Visits the parts of `s` and rebuilds it when one changed.
  Stmt visit_parts(const Stmt& s);
  /// Where a buffer is named: in loads, stores, regions, allocations.
  virtual Ref<Buffer> visit_buffer(const Ref<Buffer>& b) { return b; }
  Range visit_range(const Range& r);
  BufferRegion visit_region(const BufferRegion& r);
};

/// Visits every statement, parents first, and every scalar in it.
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
/// Loads in `s` read from the mapped buffers.
Scalar substitute(const Scalar& s, const Substitution& symbols, const BufferMap& buffers);
/// A copy in which every loop variable, block iterator and inner buffer is a fresh node.
Stmt with_fresh_names(const Stmt& s);
bool has_blocks(const Stmt& s);

}  // namespace sunmao
