#include "eval/interpreter.h"

#include <memory>
#include <unordered_map>

#include "eval/memory.h"
#include "eval/scalar_program.h"
#include "eval/sums.h"
#include "ir/type.h"
#include "loop/builder.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

using StmtFn = std::function<void(Frame&)>;

constexpr uint64_t kTurnsBetweenLooks = 4096;

class StmtCompiler {
 public:
  ScalarCompiler scalars;
  std::unordered_map<const Node*, size_t> owners;  // slots of buffers, by data pointer

  size_t own_slot(const Buffer& b) {
    const size_t slot = scalars.slot(b);
    if (b.data) owners.emplace(b.data.get(), slot);
    return slot;
  }

  static std::vector<int64_t> dense(const std::vector<int64_t>& shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
  }
  // Sets the memory of `buffer`, whose shape is set.
  static void hold(BoundBuffer& buffer, std::byte* data, DType dtype) {
    buffer.memory = data;
    buffer.memory_bits = *shape_bytes(buffer.shape, dtype) * 8;
  }

  StmtFn compile(const Stmt& s) {
    if (const auto* n = find<BufferStore>(s)) {
      return
          [at = scalars.place(n->buffer, n->indices), v = scalars.compile(n->value), t = n->buffer->dtype](Frame& f) {
            const Number value = v(f);
            const ElementPlace e = at(f);
            store_element(t, e.memory, e.index, value);
          };
    }
    if (const auto* n = find<Seq>(s)) {
      std::vector<StmtFn> parts;
      for (const Stmt& p : n->stmts) parts.push_back(compile(p));
      return [parts](Frame& f) {
        for (const StmtFn& p : parts) {
          if (f.returned) return;
          p(f);
        }
      };
    }
    if (const auto* n = find<For>(s)) return compile_for(*n);
    if (const auto* n = find<BlockRealize>(s)) return compile_block(*n);
    if (const auto* n = find<IfThenElse>(s)) {
      return [c = scalars.compile(n->condition), a = compile(n->then_case),
              b = n->else_case ? compile(n->else_case) : StmtFn()](Frame& f) {
        if (c(f).i != 0)
          a(f);
        else if (b)
          b(f);
      };
    }
    if (const auto* n = find<While>(s)) {
      return [c = scalars.compile(n->condition), body = compile(n->body)](Frame& f) {
        while (!f.returned && c(f).i != 0) {
          take_turns(f, 1);
          body(f);
        }
      };
    }
    if (const auto* n = find<Bind>(s)) {
      return [i = scalars.slot(*n->var), v = scalars.compile(n->value), body = compile(n->body)](Frame& f) {
        f.symbols[i] = v(f);
        body(f);
      };
    }
    if (const auto* n = find<Assert>(s)) {
      return [c = scalars.compile(n->condition), text = n->message, span = n->span](Frame& f) {
        if (c(f).i == 0) fail("E0506", span, fmt::format("assertion failed: {}", text));
      };
    }
    if (find_prefetch(s)) return [](Frame&) {};
    if (const auto* n = find<Evaluate>(s)) {
      const auto* call = find<ScalarCall>(n->value);
      if (call && call->name == "ret" && call->args.size() == 1)
        return [v = scalars.compile(call->args[0])](Frame& f) { f.returned = v(f); };
      return [v = scalars.compile(n->value)](Frame& f) { v(f); };
    }
    if (const auto* n = find<AllocBuffer>(s)) {
      own_slot(*n->buffer);
      return with_buffers({n->buffer}, compile(n->body));
    }
    if (const auto* n = find<DeclBuffer>(s)) return compile_view(*n);
    if (const auto* n = find<AttrStmt>(s)) return compile(n->body);
    fail("E0507", s->span, "the evaluator cannot run this statement");
  }

 private:
  // Counts loop iterations; polls for cancellation every kTurnsBetweenLooks iterations.
  static void take_turns(Frame& f, uint64_t count) {
    if (!f.is_cancelled) return;
    const uint64_t before = f.turns / kTurnsBetweenLooks;
    f.turns += count;
    if (f.turns / kTurnsBetweenLooks != before && (*f.is_cancelled)()) throw WalkCancelled();
  }

  StmtFn compile_for(const For& n) {
    if (const std::optional<SumNest> nest = find_sum_nest(n)) {
      const Stmt& init = nest->realize->block->init;
      return
          [sum = compile_sum_nest(*nest, scalars, init ? compile(init) : StmtFn()), loop = compile_loop(n)](Frame& f) {
            if (const std::optional<uint64_t> terms = sum(f))
              take_turns(f, *terms);
            else
              loop(f);
          };
    }
    return compile_loop(n);
  }

  StmtFn compile_loop(const For& n) {
    NumberFn min = scalars.compile(n.min), extent = scalars.compile(n.extent);
    size_t var = scalars.slot(*n.var);
    return [=, body = compile(n.body)](Frame& f) {
      int64_t begin = min(f).i, end = begin + extent(f).i;
      for (int64_t i = begin; i < end && !f.returned; ++i) {
        take_turns(f, 1);
        f.symbols[var].i = i;
        body(f);
      }
    };
  }

  StmtFn compile_block(const BlockRealize& n) {
    const Block& b = *n.block;
    NumberFn predicate = scalars.compile(n.predicate);
    for (const Ref<Buffer>& own : b.alloc_buffers) own_slot(*own);
    struct Axis {
      size_t slot;
      NumberFn value, start;
      bool reduces;
    };
    std::vector<Axis> axes;
    for (size_t i = 0; i < b.iters.size(); ++i)
      axes.push_back({scalars.slot(*b.iters[i].var), scalars.compile(n.values[i]),
                      scalars.compile(b.iters[i].domain.min), b.iters[i].kind == IterKind::Reduce});
    std::vector<StmtFn> views;
    for (const MatchBufferRegion& m : b.match_buffers) views.push_back(compile_match(m));
    StmtFn init = b.init ? compile(b.init) : StmtFn();
    StmtFn run = [=, body = compile(b.body)](Frame& f) {
      if (predicate(f).i == 0) return;
      bool first = true;
      for (const Axis& a : axes) {
        f.symbols[a.slot] = a.value(f);
        if (a.reduces) first = first && f.symbols[a.slot].i == a.start(f).i;
      }
      for (const StmtFn& view : views) view(f);
      if (init && first) init(f);
      body(f);
    };
    return b.alloc_buffers.empty() ? run : with_buffers(b.alloc_buffers, run);
  }

  std::vector<NumberFn> compile_all(const std::vector<Scalar>& list) {
    std::vector<NumberFn> out;
    for (const Scalar& s : list) out.push_back(scalars.compile(s));
    return out;
  }
  static std::vector<int64_t> values(const std::vector<NumberFn>& list, Frame& f) {
    std::vector<int64_t> out;
    for (const NumberFn& n : list) out.push_back(n(f).i);
    return out;
  }
  // Compiles a match_buffer of a block: a view of a region, which may omit leading dimensions; their extent is then
  // taken as 1.
  StmtFn compile_match(const MatchBufferRegion& m) {
    std::vector<Scalar> starts;
    for (const Range& r : m.source.region) starts.push_back(r.min);
    return [source = scalars.slot(*m.source.buffer), own = scalars.slot(*m.buffer), begin = compile_all(starts),
            extents = compile_all(m.buffer->shape), name = m.buffer->name](Frame& f) {
      const BoundBuffer from = f.buffers[source];
      BoundBuffer view{from.memory, from.memory_bits, values(extents, f), {}, from.offset};
      const size_t skipped = from.shape.size() - view.shape.size();
      for (size_t d = 0; d < from.shape.size(); ++d) {
        const int64_t at = begin[d](f).i, extent = d < skipped ? 1 : view.shape[d - skipped];
        if (at < 0 || at > from.shape[d] || extent > from.shape[d] - at)
          fail("E0506", {}, fmt::format("`{}` views what lies outside of its buffer at dimension {}", name, d));
        view.offset += at * from.strides[d];
        if (d >= skipped) view.strides.push_back(from.strides[d]);
      }
      f.buffers[own] = std::move(view);
    };
  }

  // Moves a view by `offset` elements; returns false when its elements would not all lie in the memory. An empty view
  // is not moved: its place is only checked.
  static bool moves_within(BoundBuffer& view, int64_t offset, DType dtype) {
    const int64_t held = view.memory_bits / dtype.stored_bits();
    int64_t first = view.offset, past = 0;
    if (__builtin_add_overflow(first, offset, &first)) return false;
    int64_t low = first, last = first;
    for (size_t d = 0; d < view.shape.size(); ++d) {
      if (view.shape[d] <= 0) return first >= 0 && first <= held;
      int64_t& reach = view.strides[d] < 0 ? low : last;
      if (__builtin_mul_overflow(view.shape[d] - 1, view.strides[d], &past) ||
          __builtin_add_overflow(reach, past, &reach))
        return false;
    }
    if (low < 0 || last >= held) return false;
    view.offset = first;
    return true;
  }

  // Compiles a DeclBuffer: a view of the memory of an earlier buffer with the same data pointer, with a shape, strides
  // and offset of its own.
  StmtFn compile_view(const DeclBuffer& n) {
    const Buffer& b = *n.buffer;
    auto owner = owners.find(b.data.get());
    if (!b.data || owner == owners.end())
      fail("E0507", n.span, fmt::format("the evaluator does not know the memory of `{}`", b.name));
    NumberFn offset = b.elem_offset ? scalars.compile(b.elem_offset) : NumberFn();
    return
        [source = owner->second, own = scalars.slot(b), extents = compile_all(b.shape),
         strides = compile_all(b.strides), offset, dtype = b.dtype, name = b.name, body = compile(n.body)](Frame& f) {
          const BoundBuffer& from = f.buffers[source];
          BoundBuffer view{from.memory, from.memory_bits, values(extents, f), values(strides, f)};
          if (strides.empty()) view.strides = dense(view.shape);
          if (!moves_within(view, offset ? offset(f).i : 0, dtype))
            fail("E0506", {}, fmt::format("`{}` views what lies outside of its buffer", name));
          f.buffers[own] = std::move(view);
          body(f);
        };
  }

  // Allocates `buffers` for the duration of `body`.
  StmtFn with_buffers(const std::vector<Ref<Buffer>>& buffers, StmtFn body) {
    struct Allocation {
      size_t slot;
      std::vector<NumberFn> shape;
      DType dtype;
    };
    std::vector<Allocation> allocations;
    for (const Ref<Buffer>& b : buffers) {
      Allocation a{scalars.slot(*b), {}, b->dtype};
      for (const Scalar& d : b->shape) a.shape.push_back(scalars.compile(d));
      allocations.push_back(std::move(a));
    }
    return [=](Frame& f) {
      std::vector<ArrayBuilder> memory;
      for (const Allocation& a : allocations) {
        BoundBuffer bound;
        bound.shape = values(a.shape, f);
        check_sizes(bound.shape, a.dtype, {});
        bound.strides = dense(bound.shape);
        memory.emplace_back(a.dtype, bound.shape);
        hold(bound, memory.back().data(), a.dtype);
        f.buffers[a.slot] = std::move(bound);
      }
      body(f);
    };
  }
};

}  // namespace

std::optional<Number> interpret(const PrimFunc& func, std::span<const KernelArgument> args,
                                const std::function<bool()>& is_cancelled) {
  SUNMAO_CHECK(args.size() == func.params.size(), "{} arguments for {} parameters", args.size(), func.params.size());
  StmtCompiler compiler;
  for (const PrimParam& p : func.params) p.buffer ? compiler.own_slot(*p.buffer) : compiler.scalars.slot(*p.var);
  for (const Ref<SymVar>& s : func.dims()) compiler.scalars.slot(*s);
  StmtFn body = compiler.compile(func.body);
  struct DimCheck {
    NumberFn expected;
    int64_t got;
    std::string buffer;
    size_t axis;
  };
  std::vector<DimCheck> checks;
  std::vector<std::pair<size_t, int64_t>> symbols;
  for (size_t i = 0; i < args.size(); ++i) {
    const Ref<Buffer>& b = func.params[i].buffer;
    if (!b) {
      symbols.emplace_back(compiler.scalars.slot(*func.params[i].var), args[i].scalar);
      continue;
    }
    if (static_cast<size_t>(b->rank()) != args[i].shape.size())
      fail("E0506", func.span,
           fmt::format("`{}` has rank {}, got an array of rank {}", b->name, b->rank(), args[i].shape.size()));
    for (size_t d = 0; d < b->shape.size(); ++d) {
      if (const auto* symbol = find<SymVar>(b->shape[d]))
        symbols.emplace_back(compiler.scalars.slot(*symbol), args[i].shape[d]);
      checks.push_back({compiler.scalars.compile(b->shape[d]), args[i].shape[d], b->name, d});
    }
  }
  Frame frame;
  if (is_cancelled) frame.is_cancelled = &is_cancelled;
  frame.symbols.resize(compiler.scalars.symbol_count());
  frame.buffers.resize(compiler.scalars.buffer_count());
  for (auto [slot, value] : symbols) frame.symbols[slot].i = value;
  for (const DimCheck& c : checks)
    if (int64_t expected = c.expected(frame).i; expected != c.got)
      fail("E0506", func.span, fmt::format("`{}`: dimension {} must be {}, got {}", c.buffer, c.axis, expected, c.got));
  for (size_t i = 0; i < args.size(); ++i) {
    const Ref<Buffer>& b = func.params[i].buffer;
    if (!b) continue;
    BoundBuffer bound{.shape = args[i].shape, .strides = StmtCompiler::dense(args[i].shape)};
    StmtCompiler::hold(bound, args[i].data, b->dtype);
    frame.buffers[compiler.scalars.slot(*b)] = std::move(bound);
  }
  body(frame);
  return frame.returned;
}

}  // namespace sunmao
