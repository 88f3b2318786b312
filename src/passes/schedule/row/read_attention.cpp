#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/schedule/row/attention.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

bool is_number(const Scalar& s, double wanted) {
  const auto* real = find<FloatImm>(s);
  return real && real->value == wanted;
}

bool is_lowest(const Scalar& s) {
  const auto* real = find<FloatImm>(s);
  return real && std::isinf(real->value) && real->value < 0;
}

class AttentionReader {
 public:
  AttentionReader(const PrimFunc& func, const RootBody& root, size_t first)
      : func_(func), root_(root), first_(first), next_(first) {}

  std::optional<Attention> read() {
    if (!read_product() || !read_score() || !read_weight()) return std::nullopt;
    // The sums of weights and of weighted values, in any order.
    for (int i = 0; i < 2; ++i)
      if (!read_sum()) return std::nullopt;
    if (!a_.norm || !a_.weighted || !read_result() || !has_one_type()) return std::nullopt;
    a_.count = next_ - first_;
    return has_own_temporaries() ? std::optional(std::move(a_)) : std::nullopt;
  }

 private:
  /// What a temporary holds: an element for each of these loops.
  using Place = std::vector<Ref<SymVar>>;

  /// Returns the next statement. A reduction over what may be empty stands behind a statement that fills its buffer;
  /// both count as one.
  std::optional<StoreNest> next_nest() {
    std::optional<StoreNest> nest = nest_at(next_), sum = nest_at(next_ + 1);
    if (nest && sum && nest->is_spatial() && !sum->is_spatial() && !sum->init && covers_buffer(*sum))
      if (const Scalar init = initial_value(root_.stmts[next_], *sum)) {
        sum->init = init;
        nest = std::move(sum);
        ++next_;
      }
    const bool is_plain = nest && !nest->predicate && nest->is_spatial() == !nest->init;
    return is_plain ? std::move(nest) : std::nullopt;
  }
  std::optional<StoreNest> nest_at(size_t i) const {
    return i < root_.stmts.size() ? read_store_nest(root_.stmts[i]) : std::nullopt;
  }

  /// Replaces the loops of a nest by those of the attention, as the temporaries say that it reads; false where that is
  /// not possible.
  bool rename(StoreNest& nest, const std::vector<Attention::Loop>& more = {}) const {
    Substitution map;
    bool fits = true;
    for_each_load(nest.value, [&](const BufferLoad& l) {
      const auto place = places_.find(l.buffer);
      if (place == places_.end()) return;
      for (size_t d = 0; d < l.indices.size(); ++d) {
        const Ref<SymVar> loop = find_ref<SymVar>(l.indices[d]);
        const bool is_own = loop && std::ranges::find(nest.loops, loop) != nest.loops.end();
        const bool is_same = is_own && loop->dtype == place->second[d]->dtype &&
                             (!map.contains(loop) || map[loop].get() == place->second[d].get());
        fits = fits && is_same;
        if (is_same) map[loop] = place->second[d];
      }
    });
    size_t own = 0;
    for (const Ref<SymVar>& loop : nest.loops) {
      if (map.contains(loop)) continue;
      if (own == more.size()) return false;
      map[loop] = more[own++].var;
    }
    if (!fits || own != more.size()) return false;
    Analyzer analyzer;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      nest.loops[i] = find_ref<SymVar>(map[nest.loops[i]]);
      if (!analyzer.can_prove_equal(nest.extents[i], extent_of(nest.loops[i], nest.extents[i]))) return false;
    }
    for (Scalar& index : nest.indices) index = substitute(index, map);
    nest.value = inlined(substitute(nest.value, map));
    return true;
  }

  Scalar extent_of(const Ref<SymVar>& loop, const Scalar& otherwise) const {
    for (const Attention::Loop& l : all_)
      if (l.var == loop) return l.extent;
    return otherwise;
  }

  Scalar inlined(const Scalar& value) const {
    return map_loads(value, [&](const BufferLoad& l) {
      const auto known = values_.find(l.buffer);
      return known == values_.end() ? Scalar() : known->second;
    });
  }

  /// Returns the loops that a nest stores at, one for each dimension; empty when it stores elsewhere.
  static Place place_of(const StoreNest& nest) {
    Place place;
    for (const Scalar& index : nest.indices) {
      Ref<SymVar> loop = find_ref<SymVar>(index);
      if (!loop || std::ranges::find(place, loop) != place.end()) return {};
      place.push_back(std::move(loop));
    }
    const auto is_spatial = [](IterKind k) { return k == IterKind::Spatial; };
    return std::ranges::count_if(nest.kinds, is_spatial) == std::ssize(place) ? place : Place();
  }

  static std::optional<size_t> only_reduced(const StoreNest& nest) {
    std::optional<size_t> found;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      if (nest.kinds[i] == IterKind::Spatial) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  }

  /// Returns what a nest combines with its own element by `op`, from a constant on; null when it does something else.
  static Scalar combined(const StoreNest& nest, BinaryOp op) {
    const auto* update = find<Binary>(nest.value);
    if (!update || update->op != op || !nest.init) return nullptr;
    return is_own_element(nest, update->a) ? update->b : is_own_element(nest, update->b) ? update->a : Scalar();
  }

  void keep(const StoreNest& nest) { places_[nest.buffer] = place_of(nest); }

  bool read_product() {
    const std::optional<StoreNest> nest = next_nest();
    const std::optional<size_t> width = nest ? only_reduced(*nest) : std::nullopt;
    const Scalar element = width ? combined(*nest, BinaryOp::Add) : nullptr;
    const auto* factors = element ? find<Binary>(element) : nullptr;
    if (!factors || factors->op != BinaryOp::Mul || !is_number(nest->init, 0) || place_of(*nest).size() < 2)
      return false;
    for (size_t i = 0; i < nest->loops.size(); ++i) all_.push_back({nest->loops[i], nest->extents[i]});
    a_.width = all_[*width];
    a_.product = nest->buffer;
    factors_ = {factors->a, factors->b};
    keep(*nest);
    ++next_;
    return true;
  }

  /// Statements that compute scores of the products, then their maxima along the keys.
  bool read_score() {
    for (;; ++next_) {
      std::optional<StoreNest> nest = next_nest();
      if (!nest || !rename(*nest)) return false;
      if (!nest->is_spatial()) return read_greatest(*nest);
      if (place_of(*nest).size() != places_.at(a_.product).size()) return false;
      keep(*nest);
      values_[nest->buffer] = nest->value;
    }
  }

  bool read_greatest(const StoreNest& nest) {
    const std::optional<size_t> key = only_reduced(nest);
    a_.score = key ? combined(nest, BinaryOp::Max) : nullptr;
    if (!a_.score || !is_lowest(nest.init) || place_of(nest).empty()) return false;
    greatest_ = nest.buffer;
    keep(nest);
    ++next_;
    return set_loops(nest.loops[*key]);
  }

  bool set_loops(const Ref<SymVar>& key) {
    auto& [left, right] = factors_;
    if (uses(left, *key)) std::swap(left, right);
    if (uses(left, *key) || !uses(right, *key)) return false;
    a_.query = left;
    a_.key_element = right;
    for (size_t i = all_.size(); i-- > 0;) {
      const Attention::Loop& loop = all_[i];
      if (loop.var == key)
        a_.key = loop;
      else if (!a_.row.var && loop.var != a_.width.var && uses(left, *loop.var) && !uses(right, *loop.var))
        a_.row = loop;
      else if (loop.var != a_.width.var)
        a_.outer.insert(a_.outer.begin(), loop);
    }
    return a_.row.var && a_.key.var;
  }

  /// True for the greatest score, with 0 in its place where nothing is seen.
  bool is_shift(const Scalar& s) const {
    const auto is_greatest = [&](const Scalar& x) {
      const auto* l = find<BufferLoad>(x);
      return l && l->buffer == greatest_;
    };
    const auto* chosen = find<Select>(s);
    const auto* compared = chosen ? find<Binary>(chosen->condition) : nullptr;
    return compared && compared->op == BinaryOp::Eq && is_greatest(compared->a) && is_lowest(compared->b) &&
           is_number(chosen->then_value, 0) && is_greatest(chosen->else_value);
  }

  bool read_weight() {
    std::optional<StoreNest> nest = next_nest();
    if (!nest || !nest->is_spatial() || !rename(*nest) || nest->loops.size() + 1 != all_.size()) return false;
    Scalar weight = nest->value;
    if (const auto* chosen = find<Select>(weight)) {
      if (!is_number(chosen->else_value, 0)) return false;
      // What is not seen has the lowest score, of which the exponential is 0.
      const auto* score = find<Select>(a_.score);
      if (!score || !structural_equal(score->condition, chosen->condition) || !is_lowest(score->else_value))
        return false;
      a_.seen = chosen->condition;
      weight = chosen->then_value;
    }
    const auto* call = find<ScalarCall>(weight);
    const auto* difference = call && call->name == "exp" ? find<Binary>(call->args[0]) : nullptr;
    if (!difference || difference->op != BinaryOp::Sub || !structural_equal(difference->a, a_.score) ||
        !is_shift(difference->b) || place_of(*nest).empty())
      return false;
    weight_ = nest->buffer;
    keep(*nest);
    ++next_;
    return true;
  }

  bool is_weight(const Scalar& s) const {
    const auto* l = find<BufferLoad>(s);
    return l && l->buffer == weight_;
  }
  /// Returns what is rounded to bfloat16 and is float32 again; null for others.
  static Scalar rounded_to_bfloat(const Scalar& s) {
    const auto* widened = find<Cast>(s);
    const auto* rounded = widened ? find<Cast>(widened->value) : nullptr;
    return rounded && rounded->dtype.code == TypeCode::BFloat && rounded->value->dtype == s->dtype ? rounded->value
                                                                                                   : Scalar();
  }
  bool is_factor(const Scalar& s) const {
    const Scalar rounded = rounded_to_bfloat(s);
    return is_weight(rounded ? rounded : s);
  }

  bool read_sum() {
    std::optional<StoreNest> nest = next_nest();
    const std::optional<size_t> key = nest ? only_reduced(*nest) : std::nullopt;
    if (!key || !is_number(nest->init, 0)) return false;
    const Attention::Loop column{SymVar::make("column", a_.key.var->dtype), {}};
    const bool is_norm = nest->loops.size() + 1 == all_.size();
    if (!rename(*nest, is_norm ? std::vector<Attention::Loop>() : std::vector{column})) return false;
    const Scalar element = combined(*nest, BinaryOp::Add);
    if (!element || nest->loops[*key] != a_.key.var || place_of(*nest).empty()) return false;
    Ref<Buffer>& sum = is_norm ? a_.norm : a_.weighted;
    if (sum) return false;
    sum = nest->buffer;
    keep(*nest);
    ++next_;
    return is_norm ? is_weight(element) : read_value(*nest, element, column.var);
  }

  bool read_value(const StoreNest& nest, const Scalar& element, const Ref<SymVar>& column) {
    const auto* factors = find<Binary>(element);
    if (!factors || factors->op != BinaryOp::Mul || nest.loops.size() != all_.size()) return false;
    const bool is_first = is_factor(factors->a);
    if (!is_first && !is_factor(factors->b)) return false;
    a_.rounds_weights = rounded_to_bfloat(is_first ? factors->a : factors->b) != nullptr;
    a_.value = is_first ? factors->b : factors->a;
    const auto at = std::ranges::find(nest.loops, column) - nest.loops.begin();
    a_.column = {column, nest.extents[static_cast<size_t>(at)]};
    return !uses(a_.value, *a_.row.var) && uses(a_.value, *column);
  }

  bool read_result() {
    std::optional<StoreNest> nest = next_nest();
    all_.push_back(a_.column);
    if (!nest || !nest->is_spatial() || nest->init || !rename(*nest)) return false;
    if (nest->loops.size() != a_.outer.size() + 2) return false;
    bool reads = false;
    for_each_load(nest->value, [&](const BufferLoad& l) { reads = reads || l.buffer == a_.weighted; });
    a_.result = std::move(*nest);
    ++next_;
    return reads;
  }

  bool has_one_type() const {
    const DType dtype = a_.product->dtype;
    const auto has_it = [&](DType d) { return d == dtype; };
    return has_it(a_.query->dtype) && has_it(a_.key_element->dtype) && has_it(a_.score->dtype) &&
           has_it(greatest_->dtype) && has_it(weight_->dtype) && has_it(a_.value->dtype) &&
           has_it(a_.weighted->dtype) && has_it(a_.norm->dtype);
  }

  /// True when no other statement uses what is computed on the way, and operands are given before.
  bool has_own_temporaries() const {
    for (const auto& [buffer, place] : places_) {
      if (is_parameter(func_, buffer)) return false;
      for (size_t i = 0; i < root_.stmts.size(); ++i) {
        const bool is_inside = i >= first_ && i < next_;
        if (!is_inside && (count_loads(root_.stmts[i], *buffer) > 0 || stores_to(root_.stmts[i], *buffer)))
          return false;
      }
    }
    bool is_given = true;
    for (const Scalar& s : {a_.query, a_.key_element, a_.value, a_.score})
      for_each_load(s, [&](const BufferLoad& l) {
        const bool is_product = s == a_.score && l.buffer == a_.product;
        is_given = is_given && l.buffer != a_.result.buffer && (is_product || !places_.contains(l.buffer));
      });
    for_each_load(a_.result.value, [&](const BufferLoad& l) {
      const bool is_sum = l.buffer == a_.weighted || l.buffer == a_.norm;
      is_given = is_given && l.buffer != a_.result.buffer && (is_sum || !places_.contains(l.buffer));
    });
    return is_given;
  }

  const PrimFunc& func_;
  const RootBody& root_;
  const size_t first_;
  size_t next_;
  Attention a_{};
  std::vector<Attention::Loop> all_;
  std::pair<Scalar, Scalar> factors_;
  Ref<Buffer> greatest_, weight_;
  std::unordered_map<Ref<Buffer>, Place> places_;   // of temporaries
  std::unordered_map<Ref<Buffer>, Scalar> values_;  // of temporaries that are inlined
};

}  // namespace

std::optional<Attention> read_attention(const PrimFunc& func, const RootBody& root, size_t first) {
  return AttentionReader(func, root, first).read();
}

}  // namespace sunmao
