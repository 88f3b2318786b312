// Smaller loop-level functions: statement by statement, from the outermost on.
#include "compiler/reduction/flat_function.h"
#include "compiler/reduction/reduction_search.h"
#include "loop/walk.h"

namespace sunmao::reduction {
namespace {

/// Makes the one of all possible edits that has the number `at`, in program order.
class LoopEdit final : public StmtRewriter {
 public:
  explicit LoopEdit(size_t at) : at_(at) {}
  bool is_done() const { return is_done_; }

  Stmt visit(const Stmt& s) override {
    if (!s || is_done_) return s;
    if (const Stmt edited = edit(s)) return edited;
    return is_done_ ? s : visit_parts(s);
  }

 private:
  bool is_here() {
    is_done_ = seen_++ == at_;
    return is_done_;
  }

  Stmt edit(const Stmt& s) {
    if (const auto* seq = find<Seq>(s))
      for (size_t i = 0; i < seq->stmts.size(); ++i)
        if (is_here()) {
          std::vector<Stmt> rest = seq->stmts;
          rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
          return Seq::make(std::move(rest), s->span);
        }
    if (const auto* loop = find<For>(s)) return edited_loop(*loop);
    if (const auto* branch = find<IfThenElse>(s)) {
      if (is_here()) return branch->then_case;
      if (branch->else_case && is_here()) return branch->else_case;
    }
    if (const auto* mark = find<AttrStmt>(s); mark && is_here()) return mark->body;
    if (const auto* store = find<BufferStore>(s)) return edited_store(*store);
    if (const auto* block = find<Block>(s); block && block->init && is_here()) {
      Block::Parts parts = block->parts();
      parts.init = {};
      return Block::make(std::move(parts));
    }
    return {};
  }

  Stmt edited_loop(const For& loop) {
    if (is_here()) return substitute(loop.body, {{loop.var, loop.min}});
    const int64_t* extent = find_int(loop.extent);
    if ((!extent || *extent > 1) && is_here())
      return For::make(
          loop.var, loop.min, IntImm::make(loop.extent->dtype, 1), loop.body,
          {.kind = loop.for_kind, .thread = loop.thread, .annotations = loop.annotations, .span = loop.span});
    return {};
  }

  Stmt edited_store(const BufferStore& store) {
    const DType dtype = store.value->dtype;
    if (dtype.is_vector() || find<IntImm>(store.value) || find<FloatImm>(store.value)) return {};
    if ((!dtype.is_float() && !dtype.is_integral()) || !is_here()) return {};
    return store.with_parts(store.buffer, dtype.is_float() ? FloatImm::make(dtype, 0) : IntImm::make(dtype, 0),
                            store.indices);
  }

  const size_t at_;
  size_t seen_ = 0;
  bool is_done_ = false;
};

void simplify_kernel(ReductionSearch& search, const std::string& name) {
  bool has_more = true;
  for (size_t at = 0; has_more;) {
    const bool is_smaller = search.attempt_function(name, [&]() -> Ref<BaseFunc> {
      const Ref<PrimFunc> f = search.best().module.find_as<PrimFunc>(name);
      LoopEdit edit(at);
      const Stmt body = edit.visit(f->body);
      has_more = edit.is_done();
      if (!has_more) throw NoCandidate{};
      return f->with_body(body);
    });
    if (!is_smaller) ++at;
  }
}

}  // namespace

void simplify_loops(ReductionSearch& search) {
  search.begin_step("loops");
  std::vector<std::string> names;
  for (const FunctionEntry& e : search.best().module.functions())
    if (find<PrimFunc>(Expr(e.func))) names.push_back(e.var->name);
  for (const std::string& name : names)
    if (search.best().module.find(name)) simplify_kernel(search, name);
}

}  // namespace sunmao::reduction
