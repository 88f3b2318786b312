#include "eval/interpreter.h"

#include <memory>

#include "eval/scalar_program.h"
#include "ir/type.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using StmtFn = std::function<void(Frame&)>;

class StmtCompiler {
 public:
  ScalarCompiler scalars;

  StmtFn compile(const Stmt& s) {
    if (const auto* n = find<BufferStore>(s)) {
      return
          [at = scalars.address(n->buffer, n->indices), v = scalars.compile(n->value), t = n->buffer->dtype](Frame& f) {
            Number value = v(f);
            store_element(t, at(f), value);
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
        while (!f.returned && c(f).i != 0) body(f);
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
    if (const auto* n = find<Evaluate>(s)) {
      const auto* call = find<ScalarCall>(n->value);
      if (call && call->name == "ret" && call->args.size() == 1)
        return [v = scalars.compile(call->args[0])](Frame& f) { f.returned = v(f); };
      return [v = scalars.compile(n->value)](Frame& f) { v(f); };
    }
    if (const auto* n = find<AllocBuffer>(s)) return with_buffers({n->buffer}, compile(n->body));
    if (const auto* n = find<AttrStmt>(s)) return compile(n->body);
    fail("E0507", s->span, "the evaluator cannot run this statement");
  }

 private:
  StmtFn compile_for(const For& n) {
    NumberFn min = scalars.compile(n.min), extent = scalars.compile(n.extent);
    size_t var = scalars.slot(*n.var);
    return [=, body = compile(n.body)](Frame& f) {
      int64_t begin = min(f).i, end = begin + extent(f).i;
      for (int64_t i = begin; i < end && !f.returned; ++i) {
        f.symbols[var].i = i;
        body(f);
      }
    };
  }

  StmtFn compile_block(const BlockRealize& n) {
    const Block& b = *n.block;
    if (!b.match_buffers.empty())
      fail("E0507", b.span, fmt::format("the evaluator cannot run block `{}`: it matches buffers", b.name));
    NumberFn predicate = scalars.compile(n.predicate);
    struct Axis {
      size_t slot;
      NumberFn value, start;
      bool reduces;
    };
    std::vector<Axis> axes;
    for (size_t i = 0; i < b.iters.size(); ++i)
      axes.push_back({scalars.slot(*b.iters[i].var), scalars.compile(n.values[i]),
                      scalars.compile(b.iters[i].domain.min), b.iters[i].kind == IterKind::Reduce});
    StmtFn init = b.init ? compile(b.init) : StmtFn();
    StmtFn run = [=, body = compile(b.body)](Frame& f) {
      if (predicate(f).i == 0) return;
      bool first = true;
      for (const Axis& a : axes) {
        f.symbols[a.slot] = a.value(f);
        if (a.reduces) first = first && f.symbols[a.slot].i == a.start(f).i;
      }
      if (init && first) init(f);
      body(f);
    };
    return b.alloc_buffers.empty() ? run : with_buffers(b.alloc_buffers, run);
  }

  // Memory for `buffers` while `body` runs.
  StmtFn with_buffers(const std::vector<Ref<Buffer>>& buffers, StmtFn body) {
    struct Allocation {
      size_t slot;
      std::vector<NumberFn> shape;
      int64_t bytes;
    };
    std::vector<Allocation> allocations;
    for (const Ref<Buffer>& b : buffers) {
      Allocation a{scalars.slot(*b), {}, (b->dtype.bits + 7) / 8};
      for (const Scalar& d : b->shape) a.shape.push_back(scalars.compile(d));
      allocations.push_back(std::move(a));
    }
    return [=](Frame& f) {
      std::vector<std::unique_ptr<std::byte[]>> memory;
      for (const Allocation& a : allocations) {
        BoundBuffer bound;
        int64_t count = 1;
        for (const NumberFn& d : a.shape) {
          bound.shape.push_back(d(f).i);
          count *= bound.shape.back();
        }
        bound.strides.assign(bound.shape.size(), 1);
        for (size_t i = bound.shape.size(); i-- > 1;) bound.strides[i - 1] = bound.strides[i] * bound.shape[i];
        memory.push_back(std::make_unique<std::byte[]>(static_cast<size_t>(std::max<int64_t>(count, 1) * a.bytes)));
        bound.data = memory.back().get();
        f.buffers[a.slot] = std::move(bound);
      }
      body(f);
    };
  }
};

}  // namespace

std::optional<Number> interpret(const PrimFunc& func, std::span<const KernelArgument> args) {
  SUNMAO_CHECK(args.size() == func.params.size(), "{} arguments for {} parameters", args.size(), func.params.size());
  StmtCompiler compiler;
  for (const PrimParam& p : func.params) p.buffer ? compiler.scalars.slot(*p.buffer) : compiler.scalars.slot(*p.var);
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
  frame.symbols.resize(compiler.scalars.symbol_count());
  frame.buffers.resize(compiler.scalars.buffer_count());
  for (auto [slot, value] : symbols) frame.symbols[slot].i = value;
  for (const DimCheck& c : checks)
    if (int64_t expected = c.expected(frame).i; expected != c.got)
      fail("E0506", func.span, fmt::format("`{}`: dimension {} must be {}, got {}", c.buffer, c.axis, expected, c.got));
  for (size_t i = 0; i < args.size(); ++i) {
    const Ref<Buffer>& b = func.params[i].buffer;
    if (!b) continue;
    BoundBuffer bound{args[i].data, args[i].shape, std::vector<int64_t>(args[i].shape.size(), 1)};
    for (size_t d = bound.shape.size(); d-- > 1;) bound.strides[d - 1] = bound.strides[d] * bound.shape[d];
    frame.buffers[compiler.scalars.slot(*b)] = std::move(bound);
  }
  body(frame);
  return frame.returned;
}

}  // namespace sunmao
