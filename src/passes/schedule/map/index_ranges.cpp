#include "passes/schedule/map/index_ranges.h"

#include <algorithm>
#include <unordered_map>

#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"

namespace sunmao {
namespace {

constexpr int64_t kTooManyVectors = 2;  // times as many vectors as the whole loop takes

/// A comparison that holds on one side of a border: for the indices below it, or for the others.
struct Cut {
  Scalar border;
  bool holds_below;
};

bool is_index(const Scalar& s) { return s->dtype.is_int() && s->dtype.bits >= 32 && s->dtype.lanes == 1; }

/// Finds what is chosen by the index of one loop of a nest.
class Cuts {
 public:
  Cuts(const StoreNest& nest, const Ref<SymVar>& loop, Analyzer& analyzer)
      : nest_(nest), loop_(loop), analyzer_(analyzer) {}

  /// Returns the borders in ascending order; empty when there are none, or when their order is unknown.
  std::vector<Scalar> borders(const Scalar& extent) {
    collect(nest_.value);
    const Scalar zero = int_imm(0), end = as_index(extent);
    std::vector<Scalar> sorted;
    for (const Cut& cut : in_order_) {
      if (!is_ordered(zero, cut.border) || !is_ordered(cut.border, end)) {
        if (is_ordered(cut.border, zero) || is_ordered(end, cut.border)) continue;
        return {};
      }
      if (!insert(sorted, cut.border)) return {};
    }
    std::erase_if(sorted, [&](const Scalar& b) {
      return analyzer_.can_prove_equal(b, zero) || analyzer_.can_prove_equal(b, end);
    });
    return sorted;
  }

  /// Returns the value for the indices in [begin, end).
  Scalar resolved(const Scalar& s, const Scalar& begin, const Scalar& end) {
    const auto known = cuts_.find(s.get());
    if (known != cuts_.end()) {
      const bool below = is_ordered(end, known->second.border);
      if (below || is_ordered(known->second.border, begin)) {
        const bool holds = below == known->second.holds_below;
        const auto* n = find<Binary>(s);
        if (n->op == BinaryOp::Min || n->op == BinaryOp::Max)
          return resolved(holds == (n->op == BinaryOp::Min) ? n->a : n->b, begin, end);
        return IntImm::make(DType::bool_(), holds ? 1 : 0);
      }
    }
    if (const std::optional<Choice> c = choice(s)) {
      const Scalar condition = resolved(c->condition, begin, end);
      if (const int64_t* holds = find_int(condition)) return resolved(*holds != 0 ? c->yes : c->no, begin, end);
    }
    const Scalar inner = map_children(s, [&](const Scalar& child) { return resolved(child, begin, end); });
    return folded(inner);
  }

 private:
  struct Choice {
    Scalar condition, yes, no;
  };

  static std::optional<Choice> choice(const Scalar& s) {
    if (const auto* n = find<Select>(s)) return Choice{n->condition, n->then_value, n->else_value};
    const auto* call = find<ScalarCall>(s);
    if (!call || call->name != "if_then_else" || call->args.size() != 3) return std::nullopt;
    return Choice{call->args[0], call->args[1], call->args[2]};
  }

  /// Folds logical operations on constants.
  static Scalar folded(const Scalar& s) {
    const auto* n = find<Binary>(s);
    if (!n || !is_logical(n->op)) return s;
    for (const bool first : {true, false})
      if (const int64_t* value = find_int(first ? n->a : n->b))
        return (*value != 0) == (n->op == BinaryOp::And) ? (first ? n->b : n->a) : (first ? n->a : n->b);
    return s;
  }

  bool is_ordered(const Scalar& a, const Scalar& b) {
    const int64_t *x = find_int(a), *y = find_int(b);
    return x && y ? *x <= *y : analyzer_.can_prove(Binary::make(BinaryOp::Le, a, b));
  }

  bool insert(std::vector<Scalar>& sorted, const Scalar& border) {
    size_t at = 0;
    for (; at < sorted.size() && is_ordered(sorted[at], border); ++at)
      if (is_ordered(border, sorted[at])) return true;  // known already
    if (at < sorted.size() && !is_ordered(border, sorted[at])) return false;
    sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(at), border);
    return true;
  }

  void collect(const Scalar& s) {
    if (cuts_.contains(s.get())) return;
    if (const std::optional<Cut> cut = find_cut(s)) {
      cuts_.emplace(s.get(), *cut);
      in_order_.push_back(*cut);
    }
    for_each_child(s, [&](const Scalar& child) { collect(child); });
  }

  /// True when a border is the same in all of the nest.
  bool is_constant(const Scalar& s) const {
    bool constant = true;
    visit_all(s, [&](const Scalar& part) {
      constant = constant && !find<ExternScalar>(part) && !find<ScalarCall>(part) && !find<Select>(part);
    });
    return constant && std::ranges::none_of(nest_.loops, [&](const auto& l) { return uses(s, *l); });
  }

  std::optional<Cut> find_cut(const Scalar& s) {
    const auto* n = find<Binary>(s);
    if (!n || !is_index(n->a) || !is_index(n->b) || !uses(s, *loop_)) return std::nullopt;
    // Each is `difference < 0`, or its contrary.
    Scalar difference = as_index(n->a) - as_index(n->b);
    bool is_less = true;
    switch (n->op) {
      case BinaryOp::Lt:
      case BinaryOp::Min: break;
      case BinaryOp::Le: difference = difference - int_imm(1); break;
      case BinaryOp::Ge:
      case BinaryOp::Max: is_less = n->op == BinaryOp::Max; break;
      case BinaryOp::Gt:
        difference = difference - int_imm(1);
        is_less = false;
        break;
      default: return std::nullopt;
    }
    const Scalar index = as_index(loop_);
    // difference = index - border, or border - 1 - index
    const Scalar rising = analyzer_.simplify(index - difference);
    if (is_constant(rising)) return Cut{rising, is_less};
    const Scalar falling = analyzer_.simplify(difference + index + int_imm(1));
    if (is_constant(falling)) return Cut{falling, !is_less};
    return std::nullopt;
  }

  const StoreNest& nest_;
  const Ref<SymVar>& loop_;
  Analyzer& analyzer_;
  std::unordered_map<const Node*, Cut> cuts_;
  std::vector<Cut> in_order_;
};

/// Returns the nest for a range of the loop `at`, which begins at 0 again.
StoreNest nest_of_range(StoreNest out, size_t at, const Scalar& begin, const Scalar& size, Analyzer& analyzer) {
  const Ref<SymVar> loop = out.loops[at];
  out.loops[at] = SymVar::make(loop->name, loop->dtype);
  out.extents[at] = size;
  const Substitution moved{{loop, as_type_of(loop, sum(begin, as_index(out.loops[at])))}};
  for (Scalar& index : out.indices) index = analyzer.simplify(substitute(index, moved));
  out.value = map_loads(substitute(out.value, moved), [&](const BufferLoad& load) {
    std::vector<Scalar> indices;
    for (const Scalar& index : load.indices) indices.push_back(analyzer.simplify(index));
    return load.with_place(load.buffer, std::move(indices));
  });
  return out;
}

}  // namespace

std::optional<IndexRanges> split_by_index(const StoreNest& nest, size_t most, Analyzer& analyzer) {
  if (nest.predicate || nest.init) return std::nullopt;
  for (size_t at = 0; at < nest.loops.size(); ++at) {
    Cuts cuts(nest, nest.loops[at], analyzer);
    std::vector<Scalar> borders = cuts.borders(nest.extents[at]);
    if (borders.empty() || borders.size() >= most) continue;
    borders.insert(borders.begin(), int_imm(0));
    borders.push_back(as_index(nest.extents[at]));
    IndexRanges out{.loop = at, .nests = {}};
    for (size_t i = 0; i + 1 < borders.size(); ++i) {
      StoreNest part = nest;
      part.value = cuts.resolved(nest.value, borders[i], borders[i + 1]);
      const Scalar size = analyzer.simplify(borders[i + 1] - borders[i]);
      out.nests.push_back(nest_of_range(std::move(part), at, borders[i], size, analyzer));
    }
    return out;
  }
  return std::nullopt;
}

bool fills_vectors(const IndexRanges& ranges, int lanes) {
  const StoreNest& first = ranges.nests.front();
  if (ranges.loop + 1 < first.loops.size()) return true;
  int64_t elements = 0, vectors = 0;
  for (const StoreNest& part : ranges.nests) {
    const int64_t* size = find_int(part.extents.back());
    if (!size) return true;
    elements += *size;
    vectors += (*size + lanes - 1) / lanes;
  }
  return vectors < kTooManyVectors * ((elements + lanes - 1) / lanes);
}

}  // namespace sunmao
