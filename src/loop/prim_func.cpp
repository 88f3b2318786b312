#include "loop/prim_func.h"

#include <algorithm>
#include <unordered_set>

#include "loop/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// A handle without a buffer accepts a value of any type.
Type param_type(const PrimParam& p) {
  if (p.buffer) return TensorType::make(p.buffer->shape, p.buffer->dtype);
  return p.var->dtype.code == TypeCode::Handle ? AnyType::make() : PrimType::of_value(p.var);
}

// Fails (E0402) when two parameters share a variable or a buffer.
void check_params(const std::vector<PrimParam>& params, const Span& span) {
  std::unordered_set<const Node*> seen;
  for (const PrimParam& p : params) {
    const bool is_new = seen.insert(p.var.get()).second && (!p.buffer || seen.insert(p.buffer.get()).second);
    if (!is_new)
      fail("E0402", span, fmt::format("parameter `{}` is defined twice", p.buffer ? p.buffer->name : p.var->name),
           "give each parameter a variable and a buffer of its own");
  }
}

// Finds stores to memory that is not allocated in the function (a buffer declared without a data pointer counts as
// allocated), and calls of functions.
class Effects final : public StmtVisitor {
 public:
  bool found = false;
  using StmtVisitor::visit;
  void visit(const Stmt& s) override {
    if (const auto* alloc = find<AllocBuffer>(s)) own_.insert(alloc->buffer);
    if (const auto* block = find<Block>(s)) own_.insert(block->alloc_buffers.begin(), block->alloc_buffers.end());
    if (const auto* decl = find<DeclBuffer>(s); decl && !decl->buffer->data) own_.insert(decl->buffer);
    const auto* store = find<BufferStore>(s);
    found = found || (store && !own_.contains(store->buffer));
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      const auto* call = find<ScalarCall>(node);
      found = found || (call && call->name.starts_with("call_"));
    });
  }

 private:
  std::unordered_set<Ref<Buffer>> own_;
};

// Finds values computed for their own sake, which may be those of intrinsics with effects.
class Evaluations final : public StmtVisitor {
 public:
  bool found = false;
  using StmtVisitor::visit;
  void visit(const Stmt& s) override {
    const auto* evaluate = find<Evaluate>(s);
    found = found || (evaluate && !find<IntImm>(evaluate->value));
    visit_parts(s);
  }
};

// True when a function has a body, stores only to memory of its own and calls no functions; one without a result may
// not evaluate anything, either.
bool is_pure(const Stmt& body, const Type& result_type) {
  if (!body) return false;
  Effects effects;
  effects.visit(body);
  Evaluations evaluations;
  if (!result_type) evaluations.visit(body);
  return !effects.found && !evaluations.found;
}

}  // namespace

Ref<PrimFunc> PrimFunc::make(std::vector<PrimParam> params, Stmt body, Attrs attrs, Type result_type, Span span) {
  check_params(params, span);
  std::vector<Type> types;
  for (const PrimParam& p : params) types.push_back(param_type(p));
  Type type =
      CallableType::make(std::move(types), result_type ? result_type : TupleType::make({}), is_pure(body, result_type));
  return Ref<PrimFunc>(new PrimFunc(std::move(params), std::move(body), std::move(attrs), std::move(result_type),
                                    std::move(type), std::move(span)));
}

Ref<BaseFunc> PrimFunc::with_attrs(Attrs new_attrs) const {
  if (new_attrs.same_as(attrs)) return Ref<BaseFunc>(this);
  return make(params, body, std::move(new_attrs), result_type, span);
}

Ref<PrimFunc> PrimFunc::with_body(Stmt new_body) const {
  if (new_body == body) return Ref<PrimFunc>(this);
  return make(params, std::move(new_body), attrs, result_type, span);
}

std::vector<Ref<Buffer>> PrimFunc::buffers() const {
  std::vector<Ref<Buffer>> out;
  for (const PrimParam& p : params)
    if (p.buffer) out.push_back(p.buffer);
  return out;
}

std::vector<Ref<SymVar>> PrimFunc::dims() const {
  std::vector<Ref<SymVar>> out;
  auto add = [&](const Ref<SymVar>& s) {
    if (std::ranges::find(out, s) == out.end()) out.push_back(s);
  };
  for (const PrimParam& p : params) {
    if (!p.buffer) continue;
    for (const Scalar& d : p.buffer->shape)
      for (const Ref<SymVar>& s : free_symbols(d)) add(s);
  }
  for (const PrimParam& p : params)
    if (!p.buffer) add(p.var);
  return out;
}

}  // namespace sunmao
