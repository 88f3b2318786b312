// StoreNest: the form of loop IR that schedules rewrite: a perfect nest of serial loops from zero around one block that
// stores one element. Other statements are left unchanged.
#pragma once
#include <functional>
#include <optional>

#include "loop/prim_func.h"

namespace sunmao {

struct StoreNest {
  std::vector<Ref<SymVar>> loops;  // outermost first
  std::vector<Scalar> extents;
  std::vector<IterKind> kinds;
  Scalar predicate;  // null: no predicate
  Ref<Buffer> buffer;
  std::vector<Scalar> indices;  // expressions of `loops`, as is `value`
  Scalar value;
  Scalar init;  // null when the block has no init
  std::string name;
  Attrs annotations;

  bool is_spatial() const;
};

/// Returns `s` as a nest if each block iterator, spatial or reducing, is bound to a different loop and every loop to an
/// iterator.
std::optional<StoreNest> read_store_nest(const Stmt& s);

/// Returns the constant with which `first` fills the whole buffer that `second` reduces into: the equivalent of a block
/// init. Null when the statements are not of that form.
Scalar initial_value(const Stmt& first, const StoreNest& second);

/// The statements of a function's root block, and the buffers allocated there.
struct RootBody {
  std::vector<Stmt> stmts;
  std::vector<Ref<Buffer>> temps;
};
std::optional<RootBody> read_root(const PrimFunc& func);
/// Returns `func` with a new body in its root block; unused `temps` are dropped.
Ref<PrimFunc> with_root(const Ref<PrimFunc>& func, const RootBody& root);

/// Returns the number of loads from `buffer` in `s`, and whether `s` stores to it.
int count_loads(const Stmt& s, const Buffer& buffer);
bool stores_to(const Stmt& s, const Buffer& buffer);
bool is_parameter(const PrimFunc& func, const Ref<Buffer>& buffer);

/// Calls `visit` for each load in `value`, outer loads before those in their indices.
void for_each_load(const Scalar& value, const std::function<void(const BufferLoad&)>& visit);
/// Replaces each load in `value` by map(load), or keeps it if that is null.
Scalar map_loads(const Scalar& value, const std::function<Scalar(const BufferLoad&)>& map);

}  // namespace sunmao
