#include "passes/loop/buffer_views.h"

#include "passes/loop/store_nest.h"

namespace sunmao {

Ref<Buffer> BufferViews::of(const Ref<Buffer>& b, const std::vector<Scalar>& shape) {
  auto& view = views_[b];
  if (!view) {
    viewed_.push_back(b);
    view = Buffer::make(b->name + "_flat", b->dtype, shape, {.scope = b->scope, .align = b->align, .data = b->data});
  }
  return view;
}

Stmt BufferViews::declare(Stmt body) const {
  for (size_t i = viewed_.size(); i-- > 0;) body = DeclBuffer::make(views_.at(viewed_[i]), body);
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
