// StoreNest: the only form of loop IR that schedules rewrite: a perfect nest of serial loops that start at 0, around
// one block that stores one element.
#pragma once
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

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

  bool is_spatial() const;
};

/// Returns `s` as a store nest; nullopt unless each block iterator (spatial or reducing) is bound to a loop variable of
/// its own, and every loop variable to an iterator.
std::optional<StoreNest> read_store_nest(const Stmt& s);

/// True when `s` loads the element that the nest stores.
bool is_own_element(const StoreNest& nest, const Scalar& s);

/// True when the nest provably writes every element of the buffer, where each loop variable is used as at most one
/// index.
bool covers_buffer(const StoreNest& nest);

/// Returns the constant with which the statement `first` fills the whole buffer that `second` reduces into; such a fill
/// is equivalent to the init of a block. Null when the statements have another form.
Scalar initial_value(const Stmt& first, const StoreNest& second);

/// The statements of a function's root block, and the buffers allocated there.
struct RootBody {
  std::vector<Stmt> stmts;
  std::vector<Ref<Buffer>> temps;
};
std::optional<RootBody> read_root(const PrimFunc& func);
/// Returns the place after a statement that only fills the buffer which the next statement reduces into, else its own.
size_t place_of_reduction(const RootBody& root, size_t first);
/// Returns `func` with a new body in its root block; unused `temps` are dropped.
Ref<PrimFunc> with_root(const Ref<PrimFunc>& func, const RootBody& root);

/// The buffers that a statement accesses; the regions that its blocks state are left out.
struct BufferAccesses {
  std::unordered_map<const Buffer*, int> loads;  // how many
  std::unordered_set<const Buffer*> stores;
  std::unordered_set<const SymVar*> views;  // data pointers of which it declares views
};
BufferAccesses buffer_accesses(const Stmt& s);

/// Returns the number of loads from `buffer` in `s`, and whether `s` stores to it. Who asks about many buffers takes
/// `buffer_accesses`.
int count_loads(const Stmt& s, const Buffer& buffer);
bool stores_to(const Stmt& s, const Buffer& buffer);
bool is_parameter(const PrimFunc& func, const Ref<Buffer>& buffer);

/// Calls `visit` for each buffer load in `value`; a load is visited before the loads in its indices.
void for_each_load(const Scalar& value, const std::function<void(const BufferLoad&)>& visit);
/// Replaces each buffer load in `value` by map(load); a load for which `map` returns null stays.
Scalar map_loads(const Scalar& value, const std::function<Scalar(const BufferLoad&)>& map);

}  // namespace sunmao
