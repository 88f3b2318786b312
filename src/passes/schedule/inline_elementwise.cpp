#include "passes/schedule/inline_elementwise.h"

#include <algorithm>

#include "loop/calls.h"
#include "loop/intrinsics/table.h"
#include "loop/walk.h"
#include "passes/loop/kernel_forms.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/root_statements.h"
#include "passes/loop/store_nest.h"
#include "passes/passes.h"
#include "passes/schedule/contraction/contraction.h"
#include "passes/schedule/row/attention_blocks.h"
#include "passes/schedule/window/plane.h"

namespace sunmao {
namespace {

std::vector<BufferRegion> reads_of(const Block& block) {
  std::vector<BufferRegion> regions;
  const auto* store = find<BufferStore>(block.body);
  if (!store) return block.reads;
  const bool is_update = static_cast<bool>(block.init);
  for_each_load(store->value, [&](const BufferLoad& load) {
    if (is_update && load.buffer == store->buffer) return;
    BufferRegion region{load.buffer, {}};
    for (const Scalar& i : load.indices) region.region.push_back({i, IntImm::make(i->dtype, 1)});
    const bool is_known = std::ranges::any_of(regions, [&](const BufferRegion& r) {
      return r.buffer == region.buffer &&
             std::ranges::equal(r.region, region.region,
                                [](const Range& a, const Range& b) { return structural_equal(a.min, b.min); });
    });
    if (!is_known) regions.push_back(std::move(region));
  });
  return regions;
}

/// Returns the expression with variables of its own in each Let.
Scalar with_fresh_lets(const Scalar& s) {
  return rewrite(s, [](const Scalar& node) -> Scalar {
    const auto* let = find<Let>(node);
    if (!let) return nullptr;
    const Ref<SymVar> fresh = SymVar::make(let->var->name, let->var->dtype);
    return Let::make(fresh, let->value, substitute(let->body, {{let->var, fresh}}));
  });
}

/// Replaces each load from the producer's buffer by the expression that the producer stores at that element.
class LoadInliner : public StmtRewriter {
 public:
  explicit LoadInliner(const StoreNest& producer) : producer_(producer) {}

  Stmt visit(const Stmt& s) override {
    Stmt out = StmtRewriter::visit(s);
    const auto* block = find<Block>(out);
    if (!block || out == s) return out;
    Block::Parts parts = block->parts();
    parts.reads = reads_of(*block);
    return Block::make(std::move(parts));
  }
  Scalar visit_scalar(const Scalar& s) override {
    if (!s) return s;
    return map_loads(
        s, [&](const BufferLoad& load) { return load.buffer == producer_.buffer ? value_of(load) : Scalar(); });
  }

 protected:
  Scalar value_of(const BufferLoad& load) {
    Substitution map;
    for (size_t i = 0; i < producer_.indices.size(); ++i) {
      Ref<SymVar> loop = find_ref<SymVar>(producer_.indices[i]);
      if (loop)
        map[loop] = load.indices[i]->dtype == loop->dtype ? load.indices[i] : Cast::make(loop->dtype, load.indices[i]);
    }
    Scalar value = substitute(producer_.value, map);
    return std::exchange(is_copied_, true) ? with_fresh_lets(value) : value;
  }

  const StoreNest& producer_;

 private:
  bool is_copied_ = false;
};

/// Computes the element that the loads from the producer's buffer read, which is the same, once for all of them.
class LoadBinder final : public LoadInliner {
 public:
  using LoadInliner::LoadInliner;

  Stmt visit(const Stmt& s) override {
    const auto* store = find<BufferStore>(s);
    if (!store) return LoadInliner::visit(s);
    const Ref<SymVar> element = SymVar::make(producer_.buffer->name, producer_.buffer->dtype);
    Scalar computed;
    const Scalar value = map_loads(store->value, [&](const BufferLoad& load) -> Scalar {
      if (load.buffer != producer_.buffer) return nullptr;
      if (!computed) computed = value_of(load);
      return element;
    });
    return BufferStore::make(store->buffer, Let::make(element, computed, value), store->indices, store->span);
  }
};

bool is_cheap(const Scalar& value) {
  bool cheap = true;
  visit_all(value, [&](const Scalar& s) {
    const auto* call = find<ScalarCall>(s);
    cheap = cheap && (!call || is_index_check(*call));
  });
  return cheap;
}

int64_t nodes_in(const Scalar& value) {
  int64_t count = 0;
  visit_all(value, [&](const Scalar&) { ++count; });
  return count;
}

// Instructions for an element, beyond which a store and a load of it are better where many elements need it: a norm of
// rows with its division stays below, a quantize with the dequantize behind it is above.
constexpr int64_t kMuch = 13;

/// True when computing the value takes more than reading it: an expanded intrinsic, or many instructions of other
/// kinds.
bool computes_much(const Scalar& value) {
  constexpr int64_t kDivision = 5;  // in additions: cycles of a vector of float32 on current processors
  int64_t count = 0;
  visit_all(value, [&](const Scalar& s) {
    const auto* n = find<Binary>(s);
    if (n && n->dtype.is_float()) count += n->op == BinaryOp::Div ? kDivision : 1;
    if (find<Cast>(s) || find<ScalarCall>(s)) ++count;
  });
  return count > kMuch || is_expensive(value);
}

/// Returns how many nodes `readers` have, once they compute the value at each load of the nest's buffer, beyond one
/// copy of the value and of each index: an index stands in the value as often as its loop variable does.
int64_t nodes_copied(const StoreNest& nest, const std::vector<const StoreNest*>& readers) {
  std::vector<int64_t> uses(nest.indices.size());
  int64_t size = 0;
  visit_all(nest.value, [&](const Scalar& s) {
    ++size;
    for (size_t i = 0; i < uses.size(); ++i) uses[i] += s.get() == nest.indices[i].get() ? 1 : 0;
  });
  int64_t count = -size;
  const auto add_load = [&](const BufferLoad& load) {
    if (load.buffer != nest.buffer) return;
    count += size;
    for (size_t i = 0; i < uses.size(); ++i)
      if (uses[i] > 1) count += (uses[i] - 1) * nodes_in(load.indices[i]);
  };
  for (const StoreNest* reader : readers) for_each_load(reader->value, add_load);
  return count;
}

// Nodes of scalar expressions. Beyond it a chain of values that are each read twice, or of indices that are themselves
// gathered, doubles in each step: 2 ^ 12 nodes compile in well under a second.
constexpr int64_t kMostNodesCopied = 1 << 12;

/// True when all loads from the nest's buffer in the reader, of which there are `loads`, read the element of the
/// iteration, and the reader has the iterations of the nest.
bool reads_own_element(const StoreNest& nest, const StoreNest& reader, int loads) {
  if (!reader.is_spatial() || reader.init || reader.predicate) return false;
  const auto is_own = [&](const BufferLoad& load, size_t d) {
    const auto extent_of = [](const StoreNest& n, const Scalar& index) {
      const auto loop = std::ranges::find(n.loops, find_ref<SymVar>(index));
      return loop == n.loops.end() ? Scalar() : n.extents[static_cast<size_t>(loop - n.loops.begin())];
    };
    const Scalar made = extent_of(nest, nest.indices[d]), read = extent_of(reader, load.indices[d]);
    if (made && read) return structural_equal(made, read);
    return !made && !read && structural_equal(nest.indices[d], load.indices[d]);
  };
  const BufferLoad* first = nullptr;
  bool all = true;
  for_each_load(reader.value, [&](const BufferLoad& load) {
    if (load.buffer != nest.buffer) return;
    --loads;
    if (!first) first = &load;
    for (size_t d = 0; d < load.indices.size(); ++d)
      all = all && structural_equal(load.indices[d], first->indices[d]) && is_own(load, d);
  });
  return all && loads == 0;
}

/// True when `value` loads from the buffer for more than some of the iterations, as joined and padded tensors do.
bool loads_in_each_iteration(const Scalar& value, const Buffer& buffer) {
  if (const auto* load = find<BufferLoad>(value); load && load->buffer.get() == &buffer) return true;
  const auto* call = find<ScalarCall>(value);
  if (call && call->name == "if_then_else") return loads_in_each_iteration(call->args[0], buffer);
  bool found = false;
  for_each_child(value, [&](const Scalar& child) { found = found || loads_in_each_iteration(child, buffer); });
  return found;
}

/// True when the nest has more than twice as many iterations as the buffer has elements.
bool repeats(const StoreNest& nest, const Buffer& buffer) {
  std::vector<Scalar> sizes = buffer.shape;
  int64_t iterations = 1, elements = 1;
  for (const Scalar& extent : nest.extents) {
    const auto same = std::ranges::find_if(sizes, [&](const Scalar& size) { return structural_equal(size, extent); });
    const int64_t* known = find_int(extent);
    if (same != sizes.end())
      sizes.erase(same);
    else if (known)
      iterations *= *known;
    else
      return true;
  }
  for (const Scalar& size : sizes)
    if (const int64_t* known = find_int(size)) elements *= *known;
  return iterations > 2 * elements;
}

// True when each loop variable is one of the store's indices and all other indices are 0: then the indices of an
// element determine the iteration that computes it.
bool is_elementwise(const StoreNest& nest) {
  if (!nest.is_spatial() || nest.predicate || nest.init) return false;
  std::vector<const Node*> seen;
  for (const Scalar& index : nest.indices) {
    const int64_t* constant = find_int(index);
    if (constant && *constant == 0) continue;
    const bool is_loop =
        std::ranges::find_if(nest.loops, [&](const auto& l) { return l.get() == index.get(); }) != nest.loops.end();
    if (!is_loop || std::ranges::find(seen, index.get()) != seen.end()) return false;
    seen.push_back(index.get());
  }
  return seen.size() == nest.loops.size();
}

// True for a choice of an element and 0, which computes nothing else.
bool is_padding(const Scalar& value) {
  const auto* choice = find<ScalarCall>(value);
  if (!choice || choice->name != "if_then_else" || !find<BufferLoad>(choice->args[1])) return false;
  return is_zero_number(choice->args[2]);
}

class Inliner {
 public:
  Inliner(const PrimFunc& func, RootBody root) : func_(func), statements_(std::move(root)) {}

  /// Inlines what can be; nullopt when there is nothing.
  std::optional<RootBody> run() {
    bool changed = false;
    for (size_t i = 0; i < statements_.size(); ++i) {
      const Way way = way_of(i);
      if (way == Way::Stays) continue;
      changed = true;
      const StoreNest nest = *statements_.nest(i);
      statements_.remove(i);
      const std::set<size_t> readers = statements_.readers(*nest.buffer);
      for (const size_t reader : readers) {
        const Stmt& before = statements_[reader];
        Stmt s = way == Way::IsBound ? LoadBinder(nest).visit(before) : LoadInliner(nest).visit(before);
        statements_.put(reader, std::move(s));
      }
    }
    return changed ? std::optional(statements_.root()) : std::nullopt;
  }

  /// True when the temporary is inlined into its only load.
  bool is_inlined(const Buffer& temporary) {
    for (const size_t i : statements_.writers(temporary))
      if (const StoreNest* nest = statements_.nest(i); nest && nest->buffer.get() == &temporary) {
        const Readers readers = readers_of(i, *nest);
        return readers.loads == 1 && nodes_copied(*nest, readers.nests) <= kMostNodesCopied;
      }
    return false;
  }

 private:
  // What becomes of a producer: a statement of its own, its value at each load, or once in each reader.
  enum class Way : uint8_t { Stays, IsCopied, IsBound };

  // The statements that read what one stores, and how often; none where they must not compute it.
  struct Readers {
    int loads = 0;
    std::vector<size_t> numbers = {};
    std::vector<const StoreNest*> nests = {};
  };

  Way way_of(size_t at) {
    const StoreNest* nest = statements_.nest(at);
    const Readers readers = nest ? readers_of(at, *nest) : Readers();
    if (readers.loads == 0) return Way::Stays;
    if (nodes_copied(*nest, readers.nests) <= kMostNodesCopied)
      return readers.loads == 1 || is_cheap(nest->value) ? Way::IsCopied : Way::Stays;
    const auto copies = static_cast<int64_t>(readers.numbers.size()) - 1;
    if (copies > 0 && (!is_cheap(nest->value) || copies * nodes_in(nest->value) > kMostNodesCopied)) return Way::Stays;
    for (size_t i = 0; i < readers.numbers.size(); ++i)
      if (!reads_own_element(*nest, *readers.nests[i], statements_.loads(readers.numbers[i], *nest->buffer)))
        return Way::Stays;
    return Way::IsBound;
  }

  Readers readers_of(size_t at, const StoreNest& nest) {
    if (!is_elementwise(nest) || !statements_.is_temporary(*nest.buffer)) return {};
    if (statements_.writers(*nest.buffer).size() > 1 || reads_what_changes(at, nest)) return {};
    const bool is_much = computes_much(nest.value), is_padded = is_padding(nest.value);
    Readers out;
    for (const size_t i : statements_.readers(*nest.buffer)) {
      if (i == at) continue;
      if (i < at || is_anchor(i, *nest.buffer, is_much, is_padded)) return {};
      out.loads += statements_.loads(i, *nest.buffer);
      out.numbers.push_back(i);
      out.nests.push_back(statements_.nest(i));
    }
    return out;
  }

  // True when a buffer that the producer reads is overwritten after it.
  bool reads_what_changes(size_t at, const StoreNest& nest) const {
    bool changes = false;
    for_each_load(nest.value, [&](const BufferLoad& load) {
      const std::set<size_t>& writers = statements_.writers(*load.buffer);
      changes |= writers.upper_bound(at) != writers.end();
    });
    return changes;
  }

  // True when nothing that `buffer` holds may be computed where statement `i` reads it: that would compute it many
  // times. Windows on planes copy what is padded where that matters.
  bool is_anchor(size_t i, const Buffer& buffer, bool is_much, bool is_padded) {
    const StoreNest* nest = statements_.nest(i);
    if (!nest) return true;
    if (is_much && repeats(*nest, buffer) && loads_in_each_iteration(nest->value, buffer) && !is_copied(buffer))
      return true;
    const std::optional<Contraction> contraction = read_contraction(statements_[i], statements_.before(i));
    if (contraction && is_padded && find_plane(*contraction)) return false;
    return contraction && reads_again(*contraction, buffer) && !is_copied(buffer);
  }

  bool is_copied(const Buffer& buffer) const {
    bool found = false;
    if (const std::optional<Attention> a = find_attention(func_, statements_.root()))
      for (const Scalar& operand : {a->query, a->key_element, a->value})
        for_each_load(operand, [&](const BufferLoad& l) { found = found || l.buffer.get() == &buffer; });
    return found;
  }

  const PrimFunc& func_;
  RootStatements statements_;
};

}  // namespace

bool is_inlined(const PrimFunc& func, const Buffer& temporary) {
  std::optional<RootBody> root = read_root(func);
  return root && Inliner(func, std::move(*root)).is_inlined(temporary);
}

Ref<PrimFunc> inline_elementwise(const Ref<PrimFunc>& func) {
  std::optional<RootBody> root = read_root(*func);
  const std::optional<RootBody> inlined = root ? Inliner(*func, std::move(*root)).run() : std::optional<RootBody>();
  return inlined ? with_root(func, *inlined) : func;
}

Module inline_elementwise(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target&) { return inline_elementwise(f); });
}

}  // namespace sunmao
