#include "passes/loop/epilogue.h"

#include <algorithm>
#include <tuple>

#include "loop/intrinsics/table.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "sym/analyzer.h"

namespace sunmao {

namespace {

bool is_one(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

/// Returns how often the loops that an index depends on turn together.
Scalar iterations(const StoreNest& nest, const Scalar& index) {
  Scalar out = int_imm(1);
  for (size_t i = 0; i < nest.loops.size(); ++i)
    if (uses(index, *nest.loops[i])) out = product(out, as_index(nest.extents[i]));
  return out;
}

/// True when each loop of more than one iteration is an index of the element that is stored.
bool stores_each_once(const StoreNest& nest) {
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const auto is_it = [&](const Scalar& index) { return index.get() == nest.loops[i].get(); };
    if (!is_one(nest.extents[i]) && std::ranges::none_of(nest.indices, is_it)) return false;
  }
  return true;
}

}  // namespace

std::optional<StoreNest> match_epilogue(const StoreNest& nest, const Stmt& next) {
  std::optional<StoreNest> e = read_store_nest(next);
  if (!e || !e->is_spatial() || e->predicate || e->init) return std::nullopt;
  Analyzer analyzer;
  Substitution map;
  bool fits = e->buffer != nest.buffer, reads = false;
  for_each_load(nest.value, [&](const BufferLoad& load) { fits = fits && load.buffer != e->buffer; });
  for_each_load(e->value, [&](const BufferLoad& load) {
    fits = fits && load.buffer != e->buffer;
    if (load.buffer != nest.buffer) return;
    reads = true;
    for (size_t d = 0; fits && d < load.indices.size(); ++d) {
      if (is_one(nest.buffer->shape[d])) continue;
      auto own = std::ranges::find_if(e->loops, [&](const auto& l) { return l.get() == load.indices[d].get(); });
      if (own == e->loops.end() || find_int(nest.indices[d])) {
        fits = structural_equal(load.indices[d], nest.indices[d]) && find<IntImm>(load.indices[d]);
        continue;
      }
      // A loop of the nest, or the parts of one that was split.
      const Scalar ours = as_type_of(*own, nest.indices[d]);
      fits = analyzer.can_prove_equal(e->extents[static_cast<size_t>(own - e->loops.begin())],
                                      iterations(nest, nest.indices[d])) &&
             (!map.contains(*own) || structural_equal(map[*own], ours));
      map[*own] = ours;
    }
  });
  for (size_t i = 0; i < e->loops.size(); ++i)
    if (!map.contains(e->loops[i]) && is_one(e->extents[i])) map[e->loops[i]] = IntImm::make(e->loops[i]->dtype, 0);
  if (!fits || !reads || map.size() != e->loops.size()) return std::nullopt;
  if (!stores_each_once(*e)) return std::nullopt;
  for (Scalar& i : e->indices) i = substitute(i, map);
  e->value = substitute(e->value, map);
  return e;
}

bool is_read_after(const RootBody& root, size_t first, const Ref<Buffer>& buffer) {
  for (size_t i = first; i < root.stmts.size(); ++i)
    if (count_loads(root.stmts[i], *buffer) > 0) return true;
  return false;
}

bool is_long_epilogue(const std::optional<StoreNest>& epilogue) { return epilogue && is_expensive(epilogue->value); }

std::optional<FirstAddend> first_addend(const StoreNest& nest, const std::optional<StoreNest>& epilogue) {
  const int64_t* begins_with = find_int(nest.init);
  if (!epilogue || !nest.buffer->dtype.is_integral() || !begins_with || *begins_with != 0) return std::nullopt;
  size_t uses_of_result = 0;
  for_each_load(epilogue->value, [&](const BufferLoad& l) { uses_of_result += l.buffer == nest.buffer ? 1 : 0; });
  if (uses_of_result != 1) return std::nullopt;
  const auto is_result = [&](const Scalar& s) {
    const auto* loaded = find<BufferLoad>(s);
    return loaded && loaded->buffer == nest.buffer;
  };
  FirstAddend out{.value = nullptr, .epilogue = *epilogue};
  out.epilogue.value = rewrite(epilogue->value, [&](const Scalar& s) -> Scalar {
    const auto* sum = find<Binary>(s);
    if (out.value || !sum || sum->op != BinaryOp::Add || is_result(sum->a) == is_result(sum->b)) return nullptr;
    const auto& [result, other] = is_result(sum->a) ? std::tie(sum->a, sum->b) : std::tie(sum->b, sum->a);
    if (!find<BufferLoad>(other)) return nullptr;
    out.value = other;
    return result;
  });
  return out.value ? std::optional(std::move(out)) : std::nullopt;
}

Stmt store_result(const StoreNest& nest, const std::optional<StoreNest>& epilogue, const Scalar& result) {
  if (!epilogue) return BufferStore::make(nest.buffer, result, nest.indices);
  const Scalar value =
      map_loads(epilogue->value, [&](const BufferLoad& l) { return l.buffer == nest.buffer ? result : Scalar(); });
  return BufferStore::make(epilogue->buffer, value, epilogue->indices);
}

}  // namespace sunmao
