// The pass `split-layout-rewrite`: moves the layout conversion of a parameter out of a kernel into a kernel of its own,
// so that the conversion of a weight can run once ahead of time. Schedules mark such conversions by the block
// annotation `meta_schedule.layout_rewrite_preproc`.
#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/layout/layout_marks.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

// Collects the blocks of a statement and the buffers it reads.
class Parts final : public StmtVisitor {
 public:
  std::vector<const Block*> marked, others;
  std::unordered_set<Ref<Buffer>> read;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* block = find<Block>(s)) (is_marked(*block) ? marked : others).push_back(block);
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (const auto* load = find<BufferLoad>(node)) read.insert(load->buffer);
    });
  }

 private:
  static bool is_marked(const Block& b) {
    const AttrValue* value = b.annotations.find(kRelayoutMark);
    const bool* flag = value ? value->find<bool>() : nullptr;
    const int64_t* number = value ? value->find<int64_t>() : nullptr;
    const Scalar* scalar = value ? value->find<Scalar>() : nullptr;
    return (flag && *flag) || (number && *number) || (scalar && find_int(*scalar) && *find_int(*scalar) != 0);
  }
};

class WithoutMark final : public StmtRewriter {
 public:
  using StmtRewriter::visit;
  Stmt visit(const Stmt& s) override {
    Stmt visited = StmtRewriter::visit(s);
    const auto* block = find<Block>(visited);
    if (!block || !block->annotations.has(kRelayoutMark)) return visited;
    Block::Parts parts = block->parts();
    parts.annotations = parts.annotations.without(kRelayoutMark);
    return Block::make(std::move(parts));
  }
};

/// A parameter `before` of the kernel, and the temporary `after` into which the kernel copies the parameter in the new
/// layout.
struct Rewrite {
  size_t param;
  Ref<Buffer> before, after;
};
struct Split {
  std::vector<Rewrite> rewrites;  // ordered by parameter
  Ref<PrimFunc> first, second;
};

bool is_static(const Buffer& b) {
  return std::ranges::all_of(b.shape, [](const Scalar& d) { return find_int(d) != nullptr; });
}

// Returns the parameter that an annotated block reads and the temporary of the root block that it writes; nullopt
// unless these are the only buffers of the block and both have constant shapes.
std::optional<Rewrite> rewrite_of(const PrimFunc& f, const Block& root, const Block& b) {
  if (b.reads.size() != 1 || b.writes.size() != 1 || !b.alloc_buffers.empty() || !b.match_buffers.empty()) return {};
  const Ref<Buffer>&before = b.reads[0].buffer, after = b.writes[0].buffer;
  auto param = std::ranges::find(f.params, before, &PrimParam::buffer);
  if (param == f.params.end() || std::ranges::find(root.alloc_buffers, after) == root.alloc_buffers.end() ||
      !is_static(*before) || !is_static(*after))
    return std::nullopt;
  return Rewrite{static_cast<size_t>(param - f.params.begin()), before, after};
}

Ref<PrimFunc> function_of(const PrimFunc& f, std::vector<PrimParam> params, std::vector<Stmt> stmts,
                          std::vector<Ref<Buffer>> allocated, const char* suffix) {
  Ref<Block> root =
      Block::make({.name = "root", .body = Seq::make(std::move(stmts)), .alloc_buffers = std::move(allocated)});
  Stmt body = BlockRealize::make({}, IntImm::make(DType::bool_(), 1), root);
  Attrs attrs = f.attrs.without(kFreeBuffersAttr);
  if (const auto* name = f.attr<std::string>("global_symbol")) attrs = attrs.with("global_symbol", *name + suffix);
  return PrimFunc::make(std::move(params), with_fresh_names(body), attrs, f.result_type, f.span);
}

PrimParam param_of(const Ref<Buffer>& b) { return {SymVar::make(b->name + "_handle", DType::handle()), b}; }

// Splits a kernel into a kernel of its annotated blocks and a kernel of the remaining statements. Returns nullopt when
// no block is annotated, or when the annotated blocks cannot be separated.
std::optional<Split> split(const PrimFunc& f) {
  const auto* realize = find<BlockRealize>(f.body);
  if (!realize || !realize->block->iters.empty() || realize->block->init) return std::nullopt;
  const Block& root = *realize->block;
  const auto* seq = find<Seq>(root.body);
  Split out;
  std::vector<Stmt> first, second;
  std::unordered_set<Ref<Buffer>> still_read;
  for (const Stmt& s : seq ? seq->stmts : std::vector{root.body}) {
    Parts parts;
    parts.visit(s);
    (parts.marked.empty() ? second : first).push_back(parts.marked.empty() ? s : WithoutMark().visit(s));
    if (parts.marked.empty()) still_read.insert(parts.read.begin(), parts.read.end());
    if (!parts.marked.empty() && !parts.others.empty()) return std::nullopt;
    for (const Block* b : parts.marked) {
      auto rewrite = rewrite_of(f, root, *b);
      if (!rewrite) return std::nullopt;
      out.rewrites.push_back(*rewrite);
    }
  }
  if (first.empty() || second.empty()) return std::nullopt;
  std::ranges::sort(out.rewrites, {}, &Rewrite::param);
  std::vector<PrimParam> before, after, params = f.params;
  std::vector<Ref<Buffer>> allocated = root.alloc_buffers;
  for (size_t i = 0; i < out.rewrites.size(); ++i) {
    const Rewrite& r = out.rewrites[i];
    if (still_read.contains(r.before) || (i > 0 && out.rewrites[i - 1].param == r.param)) return std::nullopt;
    before.push_back(param_of(r.before));
    after.push_back(param_of(r.after));
    params[r.param] = after.back();
    std::erase(allocated, r.after);
  }
  before.insert(before.end(), after.begin(), after.end());
  const Ref<PrimFunc> prepack = function_of(f, std::move(before), std::move(first), {}, "_weight_prepack");
  out.first = PrimFunc::make(prepack->params, prepack->body, prepack->attrs.with(kRelayoutAttr, true),
                             prepack->result_type, prepack->span);
  out.second = function_of(f, std::move(params), std::move(second), std::move(allocated), "_prepacked");
  return out;
}

class Splitter final : public Rewriter {
 public:
  Splitter(const Module& module, BlockBuilder& functions) : functions_(functions) {
    for (const FunctionEntry& e : module.functions())
      if (Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(e.func)))
        if (auto both = split(*f)) splits_.emplace(e.var->name, std::move(*both));
  }
  bool is_empty() const { return splits_.empty(); }

  Ref<Function> run(const Ref<Function>& f) {
    names_ = {};
    for (const Ref<Var>& v : all_vars(Expr(f))) names_.reserve(v->name);
    return rewrite(f);
  }

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* kernel = find_call(visited, "call_tir");
    const auto* callee = kernel ? find<GlobalVar>(kernel->args[0]) : nullptr;
    const auto* inputs = kernel ? find<Tuple>(kernel->args[1]) : nullptr;
    auto it = callee && inputs ? splits_.find(callee->name) : splits_.end();
    return it == splits_.end() ? visited : calls_of(*kernel, callee->name, inputs->fields, it->second);
  }

  Expr calls_of(const Call& kernel, const std::string& name, std::vector<Expr> args, const Split& both) {
    std::vector<Expr> raw;
    std::vector<Type> types;
    for (const Rewrite& r : both.rewrites) {
      raw.push_back(args[r.param]);
      types.push_back(TensorType::make(r.after->shape, r.after->dtype));
    }
    Ref<GlobalVar> first = functions_.add_function(name + "_weight_prepack", both.first),
                   second = functions_.add_function(name + "_prepacked", both.second);
    const auto* weight = find<Var>(raw[0]);
    const std::string hint = weight ? weight->name + "_packed" : "packed";
    Expr packed = emit(Call::make(kernel.callee, {first, Tuple::make(std::move(raw))}, {}, types, kernel.span),
                       names_.fresh(hint));
    for (size_t i = 0; i < types.size(); ++i)
      args[both.rewrites[i].param] =
          types.size() == 1 ? packed : emit(TupleGetItem::make(packed, static_cast<int>(i)), names_.fresh(hint));
    std::vector<Expr> rest{second, Tuple::make(std::move(args))};
    rest.insert(rest.end(), kernel.args.begin() + 2, kernel.args.end());
    return emit(Call::make(kernel.callee, std::move(rest), kernel.attrs, kernel.type_args, kernel.span),
                names_.fresh("lv"));
  }

  std::unordered_map<std::string, Split> splits_;
  BlockBuilder& functions_;
  NameSupply names_;
};

}  // namespace

Module split_layout_rewrite(const Module& m, const PassContext&) {
  BlockBuilder functions(m);
  Splitter splitter(m, functions);
  if (splitter.is_empty()) return m;
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    Ref<Function> rewritten = f ? splitter.run(f) : f;
    if (rewritten != f) changed.push_back({e.var, rewritten});
  }
  if (changed.empty()) return m;
  return eliminate_dead_code(functions.module().with_functions(std::move(changed)), PassContext{});
}

}  // namespace sunmao
