#include "loop/builder.h"

#include <algorithm>
#include <limits>

#include "loop/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Returns the loads in a value as single-element regions, without duplicates, in order of first occurrence.
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
             std::ranges::equal(r.region, region.region,
                                [](const Range& a, const Range& b) { return structural_equal(a.min, b.min); });
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

  Stmt wrap(Ref<Block> block, Scalar predicate = {}) const {
    std::vector<Scalar> values(loops.begin(), loops.end());
    if (!predicate) predicate = IntImm::make(DType::bool_(), 1);
    Stmt s = BlockRealize::make(std::move(values), std::move(predicate), std::move(block));
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

void KernelBuilder::note_symbols(const Scalar& value, const Indices& own) {
  for (const Ref<SymVar>& s : free_symbols(value)) {
    bool is_own = std::ranges::any_of(own, [&](const Scalar& i) { return i.get() == s.get(); });
    if (!is_own && std::ranges::find(symbols_, s) == symbols_.end()) symbols_.push_back(s);
  }
}

void KernelBuilder::compute(const Ref<Buffer>& out, const std::string& block,
                            const std::function<Scalar(const Indices&)>& value) {
  Nest nest;
  for (const Scalar& extent : out->shape) nest.add("v", extent, IterKind::Spatial);
  Scalar v = value(nest.indices);
  note_symbols(v, nest.indices);
  stmts_.push_back(nest.wrap(Block::make({.name = block,
                                          .iters = nest.iters,
                                          .reads = reads_of(v),
                                          .writes = {point(out, nest.indices)},
                                          .body = BufferStore::make(out, v, nest.indices)})));
}

void KernelBuilder::reduce(const Ref<Buffer>& out, const std::string& block, const std::vector<Scalar>& extents,
                           const Reduction& reduction,
                           const std::function<Scalar(const Indices&, const Indices&)>& value) {
  reduce_block({.name = block,
                .spatial = out->shape,
                .reduced = extents,
                .out = out,
                .target = [](const Indices& at) { return at; },
                .reduction = reduction,
                .value = value});
}

void KernelBuilder::reduce_block(const ReductionBlock& b) {
  Nest nest;
  for (const Scalar& extent : b.spatial) nest.add("v", extent, IterKind::Spatial);
  for (const Scalar& extent : b.reduced) nest.add("v", extent, IterKind::Reduce);
  auto cut = nest.indices.begin() + static_cast<std::ptrdiff_t>(b.spatial.size());
  Indices spatial(nest.indices.begin(), cut), reduced(cut, nest.indices.end());
  Indices target = b.target(spatial);
  Scalar v = b.value(spatial, reduced);
  Scalar updated = b.reduction.combine(load(b.out, target), v);
  note_symbols(updated, nest.indices);
  // If the reduction may be empty, an `init` inside it may never run, so initialisation is a block of its own.
  bool never_empty = std::ranges::all_of(b.reduced, [](const Scalar& e) { return find_int(e) && *find_int(e) > 0; });
  if (!never_empty) compute(b.out, b.name + "_init", [&](const Indices&) { return b.reduction.init; });
  Scalar predicate = b.predicate ? b.predicate(Indices(nest.loops.begin(), nest.loops.end())) : Scalar();
  stmts_.push_back(
      nest.wrap(Block::make({.name = b.name,
                             .iters = nest.iters,
                             .reads = reads_of(v),
                             .writes = {point(b.out, target)},
                             .init = never_empty ? BufferStore::make(b.out, b.reduction.init, target) : Stmt(),
                             .body = BufferStore::make(b.out, updated, target),
                             .annotations = b.annotations}),
                predicate));
}

void KernelBuilder::accumulate(const Ref<Buffer>& out, const std::string& block, const std::vector<Scalar>& extents,
                               const std::function<Scalar(const Indices&, const Indices&, const Scalar&)>& value) {
  Nest nest;
  for (const Scalar& extent : out->shape) nest.add("v", extent, IterKind::Spatial);
  for (const Scalar& extent : extents) nest.add("v", extent, IterKind::Reduce);
  auto cut = nest.indices.begin() + static_cast<std::ptrdiff_t>(out->shape.size());
  Indices spatial(nest.indices.begin(), cut), reduced(cut, nest.indices.end());
  Scalar v = value(spatial, reduced, load(out, spatial));
  note_symbols(v, nest.indices);
  stmts_.push_back(nest.wrap(Block::make({.name = block,
                                          .iters = nest.iters,
                                          .reads = reads_of(v),
                                          .writes = {point(out, spatial)},
                                          .body = BufferStore::make(out, v, spatial)})));
}

void KernelBuilder::scan(const Ref<Buffer>& out, const std::string& block, size_t axis,
                         const std::function<Scalar(const Indices&)>& first,
                         const std::function<Scalar(const Indices&, const Scalar&)>& next) {
  Nest nest;
  for (size_t i = 0; i < out->shape.size(); ++i)
    nest.add("v", out->shape[i], i == axis ? IterKind::Scan : IterKind::Spatial);
  Indices before = nest.indices;
  const Scalar& here = nest.indices[axis];
  before[axis] = here - IntImm::make(here->dtype, 1);
  Scalar start = first(nest.indices);
  Scalar is_first = Binary::make(BinaryOp::Eq, here, IntImm::make(here->dtype, 0));
  Scalar v = ScalarCall::make("if_then_else", start->dtype, {is_first, start, next(nest.indices, load(out, before))});
  note_symbols(v, nest.indices);
  stmts_.push_back(nest.wrap(Block::make({.name = block,
                                          .iters = nest.iters,
                                          .reads = reads_of(v),
                                          .writes = {point(out, nest.indices)},
                                          .body = BufferStore::make(out, v, nest.indices)})));
}

void KernelBuilder::scatter(const Ref<Buffer>& from, const Ref<Buffer>& to, const std::string& block,
                            const std::function<Indices(const Indices&)>& target, Attrs annotations) {
  Nest nest;
  for (const Scalar& extent : from->shape) nest.add("v", extent, IterKind::Spatial);
  Indices at = target(nest.indices);
  Scalar v = load(from, nest.indices);
  stmts_.push_back(nest.wrap(Block::make({.name = block,
                                          .iters = nest.iters,
                                          .reads = reads_of(v),
                                          .writes = {point(to, at)},
                                          .body = BufferStore::make(to, v, at),
                                          .annotations = std::move(annotations)})));
}

void KernelBuilder::steps(const Steps& steps) {
  Nest nest;
  for (const Scalar& extent : steps.spatial) nest.add("v", extent, IterKind::Spatial);
  auto whole = [](const std::vector<Ref<Buffer>>& buffers) {
    std::vector<BufferRegion> out;
    for (const Ref<Buffer>& b : buffers) {
      out.push_back({b, {}});
      for (const Scalar& d : b->shape) out.back().region.push_back({IntImm::make(d->dtype, 0), d});
    }
    return out;
  };
  stmts_.push_back(nest.wrap(Block::make({.name = steps.name,
                                          .iters = nest.iters,
                                          .reads = whole(steps.reads),
                                          .writes = whole(steps.writes),
                                          .body = steps.body(nest.indices),
                                          .alloc_buffers = steps.locals})));
}

void KernelBuilder::attr(const std::string& name, AttrValue value) { attrs_ = attrs_.with(name, std::move(value)); }

Ref<PrimFunc> KernelBuilder::finish() && {
  // A symbol that is no dimension on its own cannot be derived from a shape, so it is passed as a scalar.
  std::vector<Ref<SymVar>> own, all;
  for (const PrimParam& p : params_) {
    for (const Scalar& d : p.buffer->shape) {
      if (find<SymVar>(d)) own.push_back(find_ref<SymVar>(d));
      for (const Ref<SymVar>& s : free_symbols(d))
        if (std::ranges::find(all, s) == all.end()) all.push_back(s);
    }
  }
  for (const Ref<SymVar>& s : symbols_)
    if (std::ranges::find(all, s) == all.end()) all.push_back(s);
  for (const Ref<SymVar>& s : all)
    if (std::ranges::find(own, s) == own.end()) params_.push_back({s, nullptr});
  attr("tirx.noalias", true);
  return PrimFunc::make(std::move(params_), root_block(Seq::make(std::move(stmts_)), std::move(allocs_)), attrs_);
}

Stmt root_block(Stmt body, std::vector<Ref<Buffer>> allocs) {
  return BlockRealize::make({}, IntImm::make(DType::bool_(), 1),
                            Block::make({.name = "root", .body = std::move(body), .alloc_buffers = std::move(allocs)}));
}

Scalar load(const Ref<Buffer>& buffer, std::vector<Scalar> indices) {
  return BufferLoad::make(buffer, std::move(indices));
}

Scalar constant(DType dtype, double value) {
  if (dtype.is_float()) return FloatImm::make(dtype, value);
  constexpr double kEnd = 0x1p63;  // of int64; numbers beyond are the nearest one, and NaN is 0
  if (!(value >= -kEnd && value < kEnd))
    return IntImm::make(dtype, value >= kEnd ? std::numeric_limits<int64_t>::max()
                               : value < 0   ? std::numeric_limits<int64_t>::min()
                                             : 0);
  return IntImm::make(dtype, static_cast<int64_t>(value));
}

// The arguments of the call are upstream's: address, for reading, to stay in all caches, of data.
Stmt prefetch(const Ref<Buffer>& buffer, std::vector<Scalar> indices) {
  const Scalar address = ScalarCall::make("address_of", DType::handle(), {load(buffer, std::move(indices))});
  const auto number = [](int64_t n) { return IntImm::make(DType::int_(32), n); };
  return Evaluate::make(ScalarCall::make("prefetch", DType::handle(), {address, number(0), number(3), number(1)}));
}

const BufferLoad* find_prefetch(const Stmt& s) {
  const auto* evaluate = find<Evaluate>(s);
  const auto* call = evaluate ? find<ScalarCall>(evaluate->value) : nullptr;
  if (!call || call->name != "prefetch" || call->args.empty()) return nullptr;
  const auto* address = find<ScalarCall>(call->args[0]);
  const bool is_address = address && address->name == "address_of" && address->args.size() == 1;
  const auto* element = is_address ? find<BufferLoad>(address->args[0]) : nullptr;
  const bool is_one = element && element->dtype.bits >= 8 &&
                      std::ranges::none_of(element->indices, [](const Scalar& i) { return i->dtype.is_vector(); });
  return is_one ? element : nullptr;
}

Scalar intrinsic(const std::string& name, Scalar x) {
  DType dtype = x->dtype;
  return ScalarCall::make(name, dtype, {std::move(x)});
}

}  // namespace sunmao
