#include "passes/loop/buffer_views.h"

#include <algorithm>
#include <unordered_set>

#include "loop/walk.h"
#include "passes/loop/store_nest.h"

namespace sunmao {
namespace {

class AccessedBuffers final : public StmtVisitor {
 public:
  std::unordered_set<Ref<Buffer>> found;
  using StmtVisitor::visit;
  void visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) found.insert(store->buffer);
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    for_each_load(s, [&](const BufferLoad& load) { found.insert(load.buffer); });
  }
};

}  // namespace

Ref<Buffer> BufferViews::of(const Ref<Buffer>& b, const std::vector<Scalar>& shape) { return of(b, shape, b->dtype); }

Ref<Buffer> BufferViews::of(const Ref<Buffer>& b, const std::vector<Scalar>& shape, DType dtype) {
  for (const auto& [viewed, view] : views_)
    if (viewed == b && view->dtype == dtype &&
        std::ranges::equal(view->shape, shape, [](const Scalar& x, const Scalar& y) { return structural_equal(x, y); }))
      return view;
  views_.emplace_back(
      b, Buffer::make(b->name + "_flat", dtype, shape, {.scope = b->scope, .align = b->align, .data = b->data}));
  return views_.back().second;
}

Stmt BufferViews::declare(Stmt body) const {
  AccessedBuffers accessed;
  accessed.visit(body);
  for (size_t i = views_.size(); i-- > 0;)
    if (accessed.found.contains(views_[i].second)) body = DeclBuffer::make(views_[i].second, body);
  return body;
}

Ref<PrimFunc> with_data_names(const Ref<PrimFunc>& func) {
  BufferMap map;
  std::vector<PrimParam> params = func->params;
  auto named = [&](const Ref<Buffer>& b) {
    Ref<Buffer> copy = Buffer::make(b->name, b->dtype, b->shape,
                                    {.strides = b->strides,
                                     .elem_offset = b->elem_offset,
                                     .scope = b->scope,
                                     .align = b->align,
                                     .data = SymVar::make(b->name + "_data", DType::handle()),
                                     .span = b->span});
    map[b] = copy;
    return copy;
  };
  for (PrimParam& p : params)
    if (p.buffer && !p.buffer->data) p.buffer = named(p.buffer);
  const std::optional<RootBody> root = read_root(*func);
  for (const Ref<Buffer>& temp : root->temps)
    if (!temp->data) named(temp);
  if (map.empty()) return func;
  return PrimFunc::make(std::move(params), substitute(func->body, {}, map), func->attrs, func->result_type, func->span);
}

}  // namespace sunmao
