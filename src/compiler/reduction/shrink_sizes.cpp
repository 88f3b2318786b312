// Smaller sizes: symbols become constants, and large numbers small ones, in all functions of the module.
#include <algorithm>
#include <optional>
#include <set>

#include "compiler/reduction/flat_function.h"
#include "compiler/reduction/reduction_search.h"
#include "compiler/reduction/resize.h"
#include "loop/walk.h"
#include "sym/analyzer.h"

namespace sunmao::reduction {
namespace {

constexpr const char* kBounds[] = {"tir_var_lower_bound", "tir_var_upper_bound", "tir_non_negative_var"};

using MapNumber = std::function<int64_t(int64_t)>;

struct SizeChange {
  MapNumber number = {};  // what replaces a size; unset: sizes stay
  Substitution symbols = {};
  bool in_attributes = false;  // numbers in the attributes of calls are sizes, too
};

Scalar changed(const Scalar& size, const SizeChange& change) {
  Scalar out = size;
  if (!change.symbols.empty()) {
    out = substitute(out, change.symbols);
    if (out != size) out = Analyzer().simplify(out);
  }
  const int64_t* number = find_int(out);
  if (!number || !change.number) return out;
  const int64_t other = change.number(*number);
  return other == *number ? out : IntImm::make(out->dtype, other, out->span);
}

AttrValue changed_attribute(const AttrValue& value, const MapNumber& number) {
  if (const auto* i = value.find<int64_t>()) return AttrValue(number(*i));
  const std::optional<std::vector<int64_t>> list = value.find<AttrList>() ? value.as_ints() : std::nullopt;
  if (!list) return value;
  std::vector<int64_t> out;
  for (int64_t i : *list) out.push_back(number(i));
  return out == *list ? value : AttrValue::ints(out);
}

Attrs changed_attributes(const Call& call, const SizeChange& change) {
  Attrs attrs = call.attrs;
  for (const auto& [name, value] : call.attrs.values()) {
    const AttrValue other = changed_attribute(value, change.number);
    if (!other.same_plain(value)) attrs = attrs.with(name, other);
  }
  return attrs;
}

Expr changed_leaf(const Expr& e, const SizeChange& change) {
  const MapSize map = [&](const Scalar& s) { return changed(s, change); };
  if (const auto* shape = find<ShapeExpr>(e)) {
    std::vector<Scalar> values;
    for (const Scalar& v : shape->values) values.push_back(map(v));
    return values == shape->values ? e : ShapeExpr::make(std::move(values), e->span);
  }
  if (const auto* value = find<PrimValue>(e)) {
    if (find_int(value->value) || change.symbols.empty()) return e;
    const Scalar other = map(value->value);
    return other == value->value ? e : PrimValue::make(other, e->span);
  }
  const auto* constant = find<Constant>(e);
  if (!constant) return e;
  const Array data = resized_to(constant->data, map_sizes(e->type, map));
  return data.shape() == constant->data.shape() ? e : Constant::make(data, e->span);
}

Ref<Function> changed_function(const Ref<Function>& f, const SizeChange& change, bool is_root) {
  FlatFunction flat = flatten(f);
  flat.keeps_signature = !is_root;
  FlatEdits edits;
  edits.leaf = [&](const Expr& e) { return changed_leaf(e, change); };
  edits.type = [&](const Type& t) { return map_sizes(t, [&](const Scalar& s) { return changed(s, change); }); };
  if (change.in_attributes && change.number)
    edits.attrs = [&](const Call& call) { return changed_attributes(call, change); };
  Ref<Function> out = build(flat, edits);
  if (change.symbols.empty()) return out;
  Attrs attrs = out->attrs;
  for (const char* name : kBounds) attrs = attrs.without(name);
  return find_ref<Function>(Expr(out->with_attrs(attrs)));
}

/// Changes the sizes of buffers and loops, and the numbers of indices.
class SizesOfLoops final : public StmtRewriter {
 public:
  explicit SizesOfLoops(const SizeChange& change) : change_(change) {}

  Ref<PrimFunc> changed_kernel(const PrimFunc& f) {
    std::vector<PrimParam> params;
    for (const PrimParam& p : f.params) params.push_back({p.var, p.buffer ? visit_buffer(p.buffer) : p.buffer});
    return PrimFunc::make(std::move(params), visit(f.body), f.attrs, f.result_type, f.span);
  }

  Scalar visit_scalar(const Scalar& s) override {
    return rewrite(StmtRewriter::visit_scalar(s), [&](const Scalar& part) -> Scalar {
      return find<IntImm>(part) && part->dtype.is_int() ? changed(part, change_) : nullptr;
    });
  }

 protected:
  Ref<Buffer> visit_buffer(const Ref<Buffer>& b) override {
    Ref<Buffer>& known = buffers_[b];
    if (known) return known;
    std::vector<Scalar> shape;
    for (const Scalar& d : b->shape) shape.push_back(changed(d, change_));
    if (shape == b->shape) return known = b;
    return known = Buffer::make(b->name, b->dtype, std::move(shape),
                                {.strides = b->strides,
                                 .elem_offset = b->elem_offset,
                                 .scope = b->scope,
                                 .align = b->align,
                                 .offset_factor = b->offset_factor,
                                 .axis_separators = b->axis_separators,
                                 .data = b->data,
                                 .span = b->span});
  }

 private:
  const SizeChange& change_;
  BufferMap buffers_;
};

bool attempt_change(ReductionSearch& search, const SizeChange& change) {
  return search.attempt_module([&] {
    const Module& module = search.best().module;
    std::vector<FunctionEntry> functions;
    for (const FunctionEntry& e : module.functions())
      if (const Ref<Function> f = find_ref<Function>(Expr(e.func)))
        functions.push_back({e.var, changed_function(f, change, search.roots().contains(e.var->name))});
      else if (const auto* kernel = find<PrimFunc>(Expr(e.func)); kernel && change.number)
        functions.push_back({e.var, SizesOfLoops(change).changed_kernel(*kernel)});
    return module.with_functions(std::move(functions));
  });
}

bool attempt_number(ReductionSearch& search, const MapNumber& number) {
  return attempt_change(search, {.number = number, .in_attributes = true}) ||
         attempt_change(search, {.number = number});
}

std::vector<Ref<SymVar>> symbols_of(const Module& module) {
  std::vector<Ref<SymVar>> out;
  for (const FunctionEntry& e : module.functions())
    if (const auto* f = find<Function>(Expr(e.func)))
      for (const Ref<Var>& p : f->params)
        for (const Ref<SymVar>& s : defined_symbols(p->type))
          if (std::ranges::find(out, s) == out.end()) out.push_back(s);
  return out;
}

void replace_symbols(ReductionSearch& search) {
  const auto sizes = {2, 1, 3, 4, 16};
  const auto attempt_all = [&](int size) {
    SizeChange change;
    for (const Ref<SymVar>& s : symbols_of(search.best().module))
      change.symbols.emplace(s, IntImm::make(s->dtype, size));
    return !change.symbols.empty() && attempt_change(search, change);
  };
  if (std::ranges::any_of(sizes, attempt_all)) return;
  for (const Ref<SymVar>& s : symbols_of(search.best().module))
    for (int size : sizes)
      if (attempt_change(search, {.symbols = {{s, IntImm::make(s->dtype, size)}}})) break;
}

void collect_numbers(const Type& type, std::set<int64_t>& out) {
  map_sizes(type, [&](const Scalar& s) {
    if (const int64_t* number = find_int(s)) out.insert(*number);
    return s;
  });
}

/// The sizes of parameters and of what bindings have, without 0 and 1, the largest last.
std::set<int64_t> sizes_of(const Module& module) {
  std::set<int64_t> out;
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f) continue;
    for (const Ref<Var>& p : f->params) collect_numbers(p->type, out);
    for (const FlatBinding& b : flatten(find_ref<Function>(Expr(e.func))).bindings)
      collect_numbers(b.binding.var->type, out);
  }
  out.erase(out.begin(), out.lower_bound(2));
  return out;
}

std::set<int64_t> prime_factors(const std::set<int64_t>& numbers) {
  std::set<int64_t> out;
  for (int64_t n : numbers)
    for (int64_t p = 2; n > 1 && p < 64; ++p)
      for (; n % p == 0; n /= p) out.insert(p);
  return out;
}

/// Replaces one prime factor of a number, so that products of sizes stay products.
int64_t with_factor(int64_t n, int64_t prime, int64_t other) {
  int64_t out = n, scale = 1;
  for (; out > 1 && out % prime == 0; out /= prime) scale *= other;
  return out * scale;
}

void shrink_numbers(ReductionSearch& search) {
  for (int64_t most : {1, 2, 3, 4, 8, 16, 32, 64}) {
    const std::set<int64_t> sizes = sizes_of(search.best().module);
    if (sizes.empty() || *sizes.rbegin() <= most) return;
    if (attempt_number(search, [&](int64_t n) { return std::min(n, most); })) break;
  }
  for (int64_t prime : prime_factors(sizes_of(search.best().module)))
    for (int64_t other : {1, 2})
      if (other < prime && attempt_number(search, [&](int64_t n) { return with_factor(n, prime, other); })) break;
  const std::set<int64_t> sizes = sizes_of(search.best().module);
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    for (int64_t other : std::set<int64_t>{1, 2, 3, 4, *size / 4, *size / 2})
      if (other > 0 && other < *size && attempt_number(search, [&](int64_t n) { return n == *size ? other : n; }))
        break;
}

}  // namespace

void shrink_sizes(ReductionSearch& search) {
  search.begin_step("sizes");
  replace_symbols(search);
  shrink_numbers(search);
}

}  // namespace sunmao::reduction
