#include "eval/sums.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sym/equal.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

bool uses_any(const Scalar& s, const std::vector<SumNest::Loop>& loops) {
  return std::ranges::any_of(loops, [&](const auto& l) { return uses(s, *l.loop->var) || uses(s, *l.iter); });
}

// Whether the index has, for each iteration of a loop, one and the same difference to the one before.
bool is_affine(const Scalar& s, const std::vector<SumNest::Loop>& loops) {
  if (find<SymVar>(s) || !uses_any(s, loops)) return true;
  const auto* n = find<Binary>(s);
  if (!n) return false;
  if (n->op == BinaryOp::Add || n->op == BinaryOp::Sub) return is_affine(n->a, loops) && is_affine(n->b, loops);
  return n->op == BinaryOp::Mul &&
         ((!uses_any(n->a, loops) && is_affine(n->b, loops)) || (!uses_any(n->b, loops) && is_affine(n->a, loops)));
}

// Whether the indices stay what they are while C changes.
bool are_of_symbols(const std::vector<Scalar>& indices) {
  bool are = true;
  for (const Scalar& i : indices)
    visit_all(i, [&](const Scalar& s) { are = are && (find<SymVar>(s) || find<IntImm>(s) || find<Binary>(s)); });
  return are;
}

const BufferLoad* load_of(const Scalar& factor) {
  const auto* cast = find<Cast>(factor);
  return find<BufferLoad>(cast ? cast->value : factor);
}

// The loads of `L * R` or `L`; empty for other terms.
std::vector<Scalar> factors_of(const Scalar& term) {
  const auto* product = find<Binary>(term);
  std::vector<Scalar> out{term};
  if (product && product->op == BinaryOp::Mul) out = {product->a, product->b};
  const bool are_loads = std::ranges::all_of(out, [&](const Scalar& f) {
    const BufferLoad* load = load_of(f);
    return load && !load->predicate && f->dtype == term->dtype && f->dtype.lanes == 1 && load->dtype.lanes == 1;
  });
  return are_loads ? out : std::vector<Scalar>();
}

// Finds for each loop the variable of the block that is its variable and reduces; false where one has none, where an
// other variable of the block depends on the loops, or where a loop's bounds do.
bool bind_loops(SumNest& nest) {
  const Block& block = *nest.realize->block;
  std::vector<bool> is_bound(block.iters.size());
  for (SumNest::Loop& l : nest.loops) {
    const auto& values = nest.realize->values;
    const auto at = std::ranges::find_if(values, [&](const Scalar& v) { return v.get() == l.loop->var.get(); });
    if (at == values.end()) return false;
    const auto i = static_cast<size_t>(at - values.begin());
    if (block.iters[i].kind != IterKind::Reduce || is_bound[i]) return false;
    is_bound[i] = true;
    l.iter = block.iters[i].var.get();
  }
  for (size_t i = 0; i < is_bound.size(); ++i)
    if ((!is_bound[i] && uses_any(nest.realize->values[i], nest.loops)) ||
        uses_any(block.iters[i].domain.min, nest.loops))
      return false;
  return std::ranges::none_of(nest.loops, [&](const auto& l) {
    return uses_any(l.loop->min, nest.loops) || uses_any(l.loop->extent, nest.loops);
  });
}

constexpr size_t kMostLoops = 8;

// Where a factor's elements are: that of the first iteration, and how far those of each loop are apart.
struct Elements {
  const std::byte* memory = nullptr;
  int64_t first = 0;
  std::array<int64_t, kMostLoops> steps{};
};

struct Extents {
  size_t loops = 0;
  std::array<int64_t, kMostLoops> of{};
};

// Calls `take` with the elements' indices for each iteration of all loops but the innermost.
template <class Take>
void for_each_row(const Extents& extents, const std::array<Elements, 2>& elements, Take take) {
  const size_t outer = extents.loops - 1;
  std::array<int64_t, kMostLoops> turn{};
  std::array<int64_t, 2> at{elements[0].first, elements[1].first};
  for (;;) {
    take(at);
    size_t d = outer;
    for (; d-- > 0;) {
      for (size_t k = 0; k < 2; ++k) at[k] += elements[k].steps[d];
      if (++turn[d] < extents.of[d]) break;
      for (size_t k = 0; k < 2; ++k) at[k] -= elements[k].steps[d] * extents.of[d];
      turn[d] = 0;
    }
    if (d > outer) return;
  }
}

float float_at(const std::byte* memory, int64_t index) {
  float value;
  std::memcpy(&value, memory + index * int64_t{sizeof value}, sizeof value);
  return value;
}

/// Compiled once for a nest, run once for each element of C.
class SumOfNest {
 public:
  SumOfNest(const SumNest& nest, ScalarCompiler& scalars, std::function<void(Frame&)> init)
      : dtype_(nest.store->value->dtype), place_(scalars.place(nest.store->buffer, nest.store->indices)),
        buffer_(scalars.slot(*nest.store->buffer)), init_(std::move(init)) {
    for (const SumNest::Loop& l : nest.loops)
      loops_.push_back({scalars.slot(*l.loop->var), scalars.slot(*l.iter), scalars.compile(l.loop->min),
                        scalars.compile(l.loop->extent)});
    const Block& block = *nest.realize->block;
    for (size_t i = 0; i < block.iters.size(); ++i) {
      const bool is_of_loop =
          std::ranges::any_of(nest.loops, [&](auto& l) { return l.iter == block.iters[i].var.get(); });
      axes_.push_back({scalars.slot(*block.iters[i].var), scalars.compile(nest.realize->values[i]),
                       scalars.compile(block.iters[i].domain.min), block.iters[i].kind == IterKind::Reduce,
                       is_of_loop});
    }
    for (const Scalar& f : nest.factors) {
      const BufferLoad& load = *load_of(f);
      Factor factor{scalars.slot(*load.buffer), load.buffer->dtype, {}};
      for (const Scalar& i : load.indices) factor.indices.push_back(scalars.compile(i));
      factors_.push_back(std::move(factor));
    }
    const bool is_plain = std::ranges::all_of(factors_, [](auto& f) { return f.dtype == DType::float_(32); });
    is_float_ = dtype_ == DType::float_(32) && is_plain && factors_.size() == 2;
  }

  std::optional<uint64_t> operator()(Frame& f) const {
    Extents extents{.loops = loops_.size()};
    uint64_t terms = 1;
    for (size_t i = 0; i < loops_.size(); ++i) {
      f.symbols[loops_[i].var].i = loops_[i].min(f).i;
      extents.of[i] = loops_[i].extent(f).i;
      if (extents.of[i] <= 0) return 0;
      terms *= static_cast<uint64_t>(extents.of[i]);
    }
    bool is_first = true;
    for (const Axis& a : axes_) {
      f.symbols[a.slot] = a.value(f);
      const bool is_at_start = !a.reduces || f.symbols[a.slot].i == a.start(f).i;
      if (a.is_of_loop && !is_at_start) return std::nullopt;  // C may be set in the midst of the loops
      is_first = is_first && is_at_start;
    }
    std::array<Elements, 2> elements;
    for (size_t k = 0; k < factors_.size(); ++k)
      if (!find_elements(f, factors_[k], extents, elements[k]) || shares_memory(f, factors_[k])) return std::nullopt;
    if (init_ && is_first) init_(f);
    const ElementPlace to = place_(f);
    if (is_float_)
      add_floats(to, extents, elements);
    else
      add_numbers(to, extents, elements);
    return terms;
  }

 private:
  struct Loop {
    size_t var, iter;
    NumberFn min, extent;
  };
  struct Axis {
    size_t slot;
    NumberFn value, start;
    bool reduces, is_of_loop;
  };
  struct Factor {
    size_t buffer;
    DType dtype;
    std::vector<NumberFn> indices;
  };

  // Returns false when an element is out of bounds, or numbers overflow.
  bool find_elements(Frame& f, const Factor& factor, const Extents& extents, Elements& found) const {
    const BoundBuffer& b = f.buffers[factor.buffer];
    found.memory = b.memory;
    found.first = b.offset;
    for (size_t d = 0; d < factor.indices.size(); ++d) {
      const int64_t base = factor.indices[d](f).i;
      int64_t low = base, high = base;
      for (size_t i = 0; i < loops_.size(); ++i) {
        if (extents.of[i] == 1) continue;
        int64_t &var = f.symbols[loops_[i].var].i, &iter = f.symbols[loops_[i].iter].i;
        ++var, ++iter;
        const int64_t step = factor.indices[d](f).i - base;
        --var, --iter;
        int64_t reach = 0;
        int64_t& end = step < 0 ? low : high;
        if (__builtin_mul_overflow(step, extents.of[i] - 1, &reach) || __builtin_add_overflow(end, reach, &end))
          return false;
        found.steps[i] += step * b.strides[d];
      }
      if (low < 0 || high >= b.shape[d]) return false;
      found.first += base * b.strides[d];
    }
    return true;
  }

  bool shares_memory(const Frame& f, const Factor& factor) const {
    const BoundBuffer &a = f.buffers[factor.buffer], &b = f.buffers[buffer_];
    const auto end = [](const BoundBuffer& of) { return of.memory + (of.memory_bits + 7) / 8; };
    return std::less<>()(a.memory, end(b)) && std::less<>()(b.memory, end(a));
  }

  static void add_floats(const ElementPlace& to, const Extents& extents, const std::array<Elements, 2>& elements) {
    const size_t inner = extents.loops - 1;
    float sum = float_at(to.memory, to.index);
    for_each_row(extents, elements, [&](std::array<int64_t, 2> at) {
      for (int64_t i = 0; i < extents.of[inner]; ++i) {
        sum += float_at(elements[0].memory, at[0]) * float_at(elements[1].memory, at[1]);
        at[0] += elements[0].steps[inner];
        at[1] += elements[1].steps[inner];
      }
    });
    std::memcpy(to.memory + to.index * int64_t{sizeof sum}, &sum, sizeof sum);
  }

  Number factor_at(size_t k, const Elements& found, int64_t at) const {
    return convert(factors_[k].dtype, dtype_, load_element(factors_[k].dtype, found.memory, at));
  }

  void add_numbers(const ElementPlace& to, const Extents& extents, const std::array<Elements, 2>& elements) const {
    const size_t inner = extents.loops - 1;
    Number all = load_element(dtype_, to.memory, to.index);
    for_each_row(extents, elements, [&](std::array<int64_t, 2> at) {
      for (int64_t i = 0; i < extents.of[inner]; ++i) {
        const Number a = factor_at(0, elements[0], at[0]);
        const Number term =
            factors_.size() == 1 ? a : apply(BinaryOp::Mul, dtype_, a, factor_at(1, elements[1], at[1]));
        all = apply(BinaryOp::Add, dtype_, all, term);
        at[0] += elements[0].steps[inner];
        at[1] += elements[1].steps[inner];
      }
    });
    store_element(dtype_, to.memory, to.index, all);
  }

  DType dtype_;  // of C
  PlaceFn place_;
  size_t buffer_;  // C
  std::vector<Loop> loops_;
  std::vector<Axis> axes_;
  std::vector<Factor> factors_;
  bool is_float_ = false;
  std::function<void(Frame&)> init_;
};

}  // namespace

std::optional<SumNest> find_sum_nest(const For& outermost) {
  SumNest nest{};
  const Stmt* inside = &outermost.body;
  nest.loops.push_back({&outermost, nullptr});
  for (const For* next; (next = find<For>(*inside)); inside = &next->body) nest.loops.push_back({next, nullptr});
  nest.realize = find<BlockRealize>(*inside);
  if (!nest.realize || nest.loops.size() > kMostLoops) return std::nullopt;
  const Block& block = *nest.realize->block;
  const auto* is_run = find<IntImm>(nest.realize->predicate);
  nest.store = find<BufferStore>(block.body);
  if (!is_run || is_run->value == 0 || !nest.store || nest.store->predicate || !block.alloc_buffers.empty() ||
      !block.match_buffers.empty() || !bind_loops(nest))
    return std::nullopt;
  const auto* sum = find<Binary>(nest.store->value);
  const auto* before = sum && sum->op == BinaryOp::Add ? find<BufferLoad>(sum->a) : nullptr;
  if (!before || before->buffer != nest.store->buffer || before->predicate || before->dtype != sum->dtype ||
      nest.store->buffer->dtype != sum->dtype || !are_of_symbols(before->indices) ||
      !std::ranges::equal(before->indices, nest.store->indices,
                          [](const Scalar& a, const Scalar& b) { return structural_equal(a, b); }))
    return std::nullopt;
  const auto is_of_loops = [&](const Scalar& i) { return uses_any(i, nest.loops); };
  if (std::ranges::any_of(before->indices, is_of_loops)) return std::nullopt;
  nest.factors = factors_of(sum->b);
  if (nest.factors.empty()) return std::nullopt;
  const auto has_steps = [&](const Scalar& factor) {
    const std::vector<Scalar>& indices = load_of(factor)->indices;
    return are_of_symbols(indices) &&
           std::ranges::all_of(indices, [&](const Scalar& i) { return is_affine(i, nest.loops); });
  };
  if (!std::ranges::all_of(nest.factors, has_steps)) return std::nullopt;
  return nest;
}

SumFn compile_sum_nest(const SumNest& nest, ScalarCompiler& scalars, std::function<void(Frame&)> init) {
  return SumOfNest(nest, scalars, std::move(init));
}

}  // namespace sunmao
