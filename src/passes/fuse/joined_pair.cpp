#include "passes/fuse/joined_pair.h"

#include <algorithm>

#include "ir/builder.h"
#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/analysis/op_pattern.h"
#include "passes/fuse/kernel_blocks.h"

namespace sunmao {
namespace {

/// Renames the parameter if another one has its name.
PrimParam renamed(const PrimParam& p, NameSupply& names, BufferMap& joined) {
  const std::string name = names.fresh(p.buffer->name, "_");
  if (name == p.buffer->name) return p;
  Ref<Buffer> fresh = Buffer::make(name, p.buffer->dtype, p.buffer->shape);
  joined[p.buffer] = fresh;
  return {SymVar::make("p_" + name, DType::handle()), fresh};
}

}  // namespace

JoinedPair join_pair(const KernelCall& first, const KernelCall& second, size_t shared) {
  Ref<PrimFunc> head = instantiate(first), tail = instantiate(second);
  std::vector<PrimParam> params(head->params.begin(), head->params.end() - 1);
  Ref<Buffer> between = head->params.back().buffer;
  NameSupply names;
  for (const PrimParam& p : params) names.reserve(p.buffer->name);
  BufferMap joined{{tail->params[shared].buffer, between}};
  std::vector<Expr> inputs = first.inputs;
  for (size_t i = 0; i < second.inputs.size(); ++i) {
    if (i == shared) continue;
    // An input of both kernels becomes a single parameter.
    auto known = std::ranges::find(inputs, second.inputs[i]);
    if (known != inputs.end()) {
      joined[tail->params[i].buffer] = params[static_cast<size_t>(known - inputs.begin())].buffer;
      continue;
    }
    inputs.push_back(second.inputs[i]);
    params.push_back(renamed(tail->params[i], names, joined));
  }
  params.push_back(renamed(tail->params.back(), names, joined));
  const Block *a = root_of(*head), *b = root_of(*tail);
  std::vector<Ref<Buffer>> allocs = a->alloc_buffers;
  allocs.push_back(between);
  allocs.insert(allocs.end(), b->alloc_buffers.begin(), b->alloc_buffers.end());
  Stmt body = root_block(Seq::make({a->body, substitute(b->body, {}, joined)}), std::move(allocs));
  std::vector<Ref<SymVar>> used = scalar_symbols(first);
  std::ranges::copy(scalar_symbols(second), std::back_inserter(used));
  return {with_scalars(std::move(params), std::move(used), body, head->attrs.without(kOpPattern)), between,
          std::move(inputs)};
}

}  // namespace sunmao
