#include "loop/builder.h"

#include <algorithm>

#include "loop/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// The loads of `buffer[…]` in a value, as regions of one element, first occurrence first.
std::vector<BufferRegion> reads_of(const Scalar& value) {
  std::vector<BufferRegion> out;
  Equality eq;
  visit_all(value, [&](const Scalar& node) {
    const auto* l = find<BufferLoad>(node);
    if (!l) return;
    BufferRegion region{l->buffer, {}};
    for (const Scalar& i : l->indices) region.region.push_back({i, IntImm::make(i->dtype, 1)});
    bool known = std::ranges::any_of(out, [&](const BufferRegion& r) {
      return r.buffer == region.buffer &&
             std::ranges::equal(r.region, region.region, [](const Range& a, const Range& b) { return structural_equal(a.min, b.min); });
    });
    if (!known) out.push_back(std::move(region));
  });
  return out;
}

BufferRegion point(const Ref<Buffer>& buffer, const Indices& indices) {
  BufferRegion region{buffer, {}};
  for (const Scalar& i : indices) region.region.push_back({i, IntImm::make(i->dtype, 1)});
  return region;
}

struct Nest {
  std::vector<Ref<SymVar>> loops;
  std::vector<Scalar> extents;
  std::vector<IterVar> iters;
  Indices indices;

  void add(const std::string& prefix, const Scalar& extent, IterKind kind) {
    std::string number = std::to_string(loops.size());
    Ref<SymVar> loop = SymVar::make((kind == IterKind::Reduce ? "k" : "i") + number, extent->dtype);
    Ref<SymVar> axis = SymVar::make(prefix + number, extent->dtype);
    loops.push_back(loop);
    extents.push_back(extent);
    iters.push_back({axis, {IntImm::make(extent->dtype, 0), extent}, kind});
    indices.push_back(axis);
  }

  Stmt wrap(Ref<Block> block) const {
    std::vector<Scalar> values(loops.begin(), loops.end());
    Stmt s = BlockRealize::make(std::move(values), IntImm::make(DType::bool_(), 1), std::move(block));
    for (size_t i = loops.size(); i-- > 0;) s = For::make(loops[i], extents[i], s);
    return s;
  }
};

}  // namespace

Ref<Buffer> KernelBuilder::param(const std::string& name, const Type& type) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims() || tensor->dtype.is_void())
    fail("E0314", type ? type->span : Span(),
         fmt::format("{}: `{}` needs a known shape and dtype to be compiled, got {}", name_, name, describe(type)),
         "state the shape with a match_cast");
  Ref<SymVar> handle = SymVar::make("p_" + name, DType::handle());
  Ref<Buffer> buffer = Buffer::make(name, tensor->dtype, *tensor->dims());
  params_.push_back({handle, buffer});
  return buffer;
}

Ref<Buffer> KernelBuilder::input(const std::string& name, const Type& type) { return param(name, type); }
Ref<Buffer> KernelBuilder::output(const std::string& name, const Type& type) { return param(name, type); }

Ref<Buffer> KernelBuilder::alloc(const std::string& name, DType dtype, std::vector<Scalar> shape) {
  allocs_.push_back(Buffer::make(name, dtype, std::move(shape)));
  return allocs_.back();
}

void KernelBuilder::compute(const Ref<Buffer>& out, const std::string& block, const std::function<Scalar(const Indices&)>& value) {
  Nest nest;
  for (const Scalar& extent : out->shape) nest.add("v", extent, IterKind::Spatial);
  Scalar v = value(nest.indices);
  stmts_.push_back(nest.wrap(Block::make({.name = block,
                                          .iters = nest.iters,
                                          .reads = reads_of(v),
                                          .writes = {point(out, nest.indices)},
                                          .body = BufferStore::make(out, v, nest.indices)})));
}

void KernelBuilder::reduce(const Ref<Buffer>& out, const std::string& block, const std::vector<Scalar>& extents,
                           const Reduction& reduction, const std::function<Scalar(const Indices&, const Indices&)>& value) {
  Nest nest;
  for (const Scalar& extent : out->shape) nest.add("v", extent, IterKind::Spatial);
  Indices spatial = nest.indices;
  for (const Scalar& extent : extents) nest.add("v", extent, IterKind::Reduce);
  Indices reduced(nest.indices.begin() + static_cast<std::ptrdiff_t>(spatial.size()), nest.indices.end());
  Scalar v = value(spatial, reduced);
  Scalar updated = reduction.combine(load(out, spatial), v);
  stmts_.push_back(nest.wrap(Block::make({.name = block,
                                          .iters = nest.iters,
                                          .reads = reads_of(v),
                                          .writes = {point(out, spatial)},
                                          .init = BufferStore::make(out, reduction.init, spatial),
                                          .body = BufferStore::make(out, updated, spatial)})));
}

void KernelBuilder::attr(const std::string& name, AttrValue value) { attrs_ = attrs_.with(name, std::move(value)); }

Ref<PrimFunc> KernelBuilder::finish() && {
  // A symbol that is no dimension of its own cannot be read off a shape, so it is passed.
  std::vector<Ref<SymVar>> own, all;
  for (const PrimParam& p : params_) {
    for (const Scalar& d : p.buffer->shape) {
      if (find<SymVar>(d)) own.push_back(find_ref<SymVar>(d));
      for (const Ref<SymVar>& s : free_symbols(d))
        if (std::ranges::find(all, s) == all.end()) all.push_back(s);
    }
  }
  for (const Ref<SymVar>& s : all)
    if (std::ranges::find(own, s) == own.end()) params_.push_back({s, nullptr});
  attr("tirx.noalias", true);
  return PrimFunc::make(std::move(params_), root_block(Seq::make(std::move(stmts_)), std::move(allocs_)), attrs_);
}

Stmt root_block(Stmt body, std::vector<Ref<Buffer>> allocs) {
  return BlockRealize::make({}, IntImm::make(DType::bool_(), 1),
                            Block::make({.name = "root", .body = std::move(body), .alloc_buffers = std::move(allocs)}));
}

Scalar load(const Ref<Buffer>& buffer, std::vector<Scalar> indices) { return BufferLoad::make(buffer, std::move(indices)); }

Scalar constant(DType dtype, double value) {
  return dtype.is_float() ? FloatImm::make(dtype, value) : IntImm::make(dtype, static_cast<int64_t>(value));
}

Scalar intrinsic(const std::string& name, Scalar x) {
  DType dtype = x->dtype;
  return ScalarCall::make(name, dtype, {std::move(x)});
}

}  // namespace sunmao
