// StoreNest: the shape of loop IR that schedules know how to rewrite: serial loops from zero around one block that
// stores one element. Anything else is left as it is.
#pragma once
#include <functional>
#include <optional>

#include "loop/prim_func.h"

namespace sunmao {

struct StoreNest {
  std::vector<Ref<SymVar>> loops;  // outermost first
  std::vector<Scalar> extents;
  std::vector<IterKind> kinds;
  Scalar predicate;  // null: always
  Ref<Buffer> buffer;
  std::vector<Scalar> indices;  // in terms of the loops, like `value`
  Scalar value;
  Scalar init;  // null: the block has none
  std::string name;
  Attrs annotations;

  bool is_spatial() const;
  bool has_reduction() const { return !is_spatial(); }
};

/// `s` as a nest, when it is one whose block iterators are the loops themselves, each once.
std::optional<StoreNest> read_store_nest(const Stmt& s);

/// The value with which `first` fills the whole buffer that `second` then reduces into: what would be the initial value
/// of its block if the reduced domain could not be empty. Null when the two are not that.
Scalar initial_value(const Stmt& first, const StoreNest& second);

/// The statements of a function's root block, and the buffers that it owns.
struct RootBody {
  std::vector<Stmt> stmts;
  std::vector<Ref<Buffer>> temps;
};
std::optional<RootBody> read_root(const PrimFunc& func);
/// `func` with another body in its root block; temps that nothing uses are left out.
Ref<PrimFunc> with_root(const Ref<PrimFunc>& func, const RootBody& root);

/// How often `s` loads from `buffer`, and whether it stores to it.
int count_loads(const Stmt& s, const Buffer& buffer);
bool stores_to(const Stmt& s, const Buffer& buffer);
bool is_parameter(const PrimFunc& func, const Ref<Buffer>& buffer);

/// Calls `visit` for each load in `value`, outer ones first.
void for_each_load(const Scalar& value, const std::function<void(const BufferLoad&)>& visit);
/// `value` with each load replaced by map(load); null keeps it.
Scalar map_loads(const Scalar& value, const std::function<Scalar(const BufferLoad&)>& map);

}  // namespace sunmao
