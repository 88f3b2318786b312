#include "ops/wide_steps.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "loop/builder.h"
#include "loop/intrinsics/table.h"
#include "loop/walk.h"

namespace sunmao {
namespace {

const DType kWide = DType::float_(32);

bool is_narrow(DType dtype) { return dtype.is_float() && dtype.bits < 32 && !dtype.is_vector(); }
bool is_narrow(const Scalar& s) { return is_narrow(s->dtype); }

// True for intrinsics whose result is no operand, nor a whole number beside it.
bool rounds(const ScalarCall& call) {
  const Intrinsic* known = find_intrinsic(std::string_view(call.name));
  return call.name != "if_then_else" && !(known && known->is_exact);
}
// Intrinsics that depend on the dtype of their operands itself, and so must not be widened.
const std::set<std::string> kOfTheFormat{"nextafter", "reinterpret", "call_extern"};

// True for 0, infinities, NaN, and values that every float dtype of 8 bits or more represents: three significant bits
// and an exponent within the range of float8.
bool is_held_by_all(double value) {
  if (value == 0 || !std::isfinite(value)) return true;
  int exponent = 0;
  const double bits = std::ldexp(std::frexp(value, &exponent), 3);
  return bits == std::trunc(bits) && exponent > -6 && exponent < 9;
}

// True when evaluating the node may round to a narrow dtype.
bool is_step(const Scalar& s) {
  if (!is_narrow(s)) return false;
  if (const auto* number = find<FloatImm>(s)) return !is_held_by_all(number->value);
  if (const auto* binary = find<Binary>(s)) return binary->op != BinaryOp::Min && binary->op != BinaryOp::Max;
  if (const auto* call = find<ScalarCall>(s)) return rounds(*call) && !kOfTheFormat.contains(call->name);
  return find<Cast>(s) != nullptr;
}

int count_steps(const Scalar& s) {
  int count = 0;
  visit_all(s, [&](const Scalar& node) { count += is_step(node); });
  return count;
}

bool reads(const Scalar& s, const Ref<Buffer>& buffer) {
  bool found = false;
  visit_all(s, [&](const Scalar& node) {
    const auto* l = find<BufferLoad>(node);
    found = found || (l && l->buffer == buffer);
  });
  return found;
}

// Collects what is to be widened to float32: intermediate buffers that receive rounded values, results that are
// accumulated into, and scalar variables.
class Wide final : public StmtVisitor {
 public:
  explicit Wide(const PrimFunc& kernel) : params_(kernel.buffers()) {
    // Iterates to a fixpoint: a value read from wide memory makes its destination wide.
    for (size_t before = 1, now = 0; before != now;) {
      before = size();
      StmtVisitor::visit(kernel.body);
      now = size();
    }
  }

  /// True when evaluating a value may round more than once, or reads an unrounded wide value.
  bool takes_steps(const Scalar& s) const { return count_steps(s) > 1 || is_of_wide(s); }
  bool is_empty() const { return size() == 0 && !any_; }

  BufferMap buffers;
  std::unordered_map<Ref<SymVar>, Ref<SymVar>> vars;
  std::vector<Ref<Buffer>> results;  // the function's parameters among the wide buffers

 private:
  size_t size() const { return buffers.size() + vars.size(); }

  bool is_of_wide(const Scalar& s) const {
    bool found = false;
    visit_all(s, [&](const Scalar& node) {
      const auto* l = find<BufferLoad>(node);
      const Ref<SymVar> var = find_ref<SymVar>(node);
      found = found || (l && buffers.contains(l->buffer)) || (var && vars.contains(var));
    });
    return found;
  }

  void visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) note(*store);
    if (const auto* bind = find<Bind>(s); bind && is_narrow(bind->value))
      if (count_steps(bind->value) > 0 || is_of_wide(bind->value))
        vars.try_emplace(bind->var, SymVar::make(bind->var->name, kWide));
    StmtVisitor::visit(s);
  }
  void visit_scalar(const Scalar& s) override { any_ = any_ || (s && count_steps(s) > 1); }

  void note(const BufferStore& store) {
    const Ref<Buffer>& b = store.buffer;
    if (!is_narrow(b->dtype) || buffers.contains(b)) return;
    const bool is_result = std::ranges::find(params_, b) != params_.end(), has_step = count_steps(store.value) > 0;
    if (is_result ? !has_step || !reads(store.value, b) : !has_step && !is_of_wide(store.value)) return;
    buffers.emplace(b, Buffer::make(is_result ? b->name + "_wide" : b->name, kWide, b->shape));
    if (is_result) results.push_back(b);
  }

  const std::vector<Ref<Buffer>> params_;
  bool any_ = false;
};

class Widen final : public StmtRewriter {
 public:
  explicit Widen(const Wide& wide) : wide_(wide) {}

  Stmt visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) {
      const Ref<Buffer> to = visit_buffer(store->buffer);
      const bool stays = to == store->buffer;
      return store->with_parts(to, stays ? visit_scalar(store->value) : widened(store->value), places(store->indices));
    }
    if (const auto* bind = find<Bind>(s))
      if (const auto found = wide_.vars.find(bind->var); found != wide_.vars.end())
        return Bind::make(found->second, widened(bind->value), visit(bind->body), bind->span);
    return StmtRewriter::visit(s);
  }

  Scalar visit_scalar(const Scalar& s) override {
    if (!s || !wide_.takes_steps(s)) return s;
    return is_narrow(s) ? Cast::make(s->dtype, widened(s), s->span) : remade(s);
  }

 private:
  Ref<Buffer> visit_buffer(const Ref<Buffer>& b) override {
    const auto found = wide_.buffers.find(b);
    return found == wide_.buffers.end() ? b : found->second;
  }

  std::vector<Scalar> places(const std::vector<Scalar>& indices) {
    std::vector<Scalar> out;
    for (const Scalar& i : indices) out.push_back(remade(i));
    return out;
  }

  // Returns a narrow value computed in float32.
  Scalar widened(const Scalar& s) {
    if (const auto* number = find<FloatImm>(s)) return FloatImm::make(kWide, number->value, s->span);
    if (const auto* binary = find<Binary>(s))
      return Binary::make(binary->op, widened(binary->a), widened(binary->b), s->span);
    if (const auto* cast = find<Cast>(s)) {
      Scalar value = is_narrow(cast->value) ? widened(cast->value) : remade(cast->value);
      return value->dtype == kWide ? value : Cast::make(kWide, value, s->span);
    }
    if (const auto* select = find<Select>(s))
      return Select::make(remade(select->condition), widened(select->then_value), widened(select->else_value), s->span);
    if (const auto* let = find<Let>(s)) return of_let(*let, [&](const Scalar& body) { return widened(body); });
    if (const auto* call = find<ScalarCall>(s); call && !kOfTheFormat.contains(call->name)) {
      std::vector<Scalar> args;
      for (const Scalar& a : call->args) args.push_back(is_narrow(a) ? widened(a) : remade(a));
      return ScalarCall::make(call->name, kWide, std::move(args), s->span);
    }
    Scalar value = remade(s);
    return value->dtype == kWide ? value : Cast::make(kWide, value, s->span);
  }

  // Returns a value in its own dtype (float32 when read from wide memory), whose narrow operands are computed in
  // float32.
  Scalar remade(const Scalar& s) {
    if (const auto var = find_ref<SymVar>(s)) {
      if (const auto found = wide_.vars.find(var); found != wide_.vars.end()) return found->second;
      const auto own = lets_.find(var);
      return own == lets_.end() ? var : own->second;
    }
    if (const auto* l = find<BufferLoad>(s)) return l->with_place(visit_buffer(l->buffer), places(l->indices));
    if (const auto* let = find<Let>(s)) return of_let(*let, [&](const Scalar& body) { return remade(body); });
    if (const auto* binary = find<Binary>(s); binary && is_narrow(binary->a))
      return Binary::make(binary->op, widened(binary->a), widened(binary->b), s->span);
    if (const auto* cast = find<Cast>(s); cast && is_narrow(cast->value)) {
      Scalar value = widened(cast->value);
      return value->dtype == s->dtype ? value : Cast::make(s->dtype, value, s->span);
    }
    return map_children(s, [&](const Scalar& child) -> Scalar {
      if (!is_narrow(child)) return remade(child);
      return find<ScalarCall>(s) && !kOfTheFormat.contains(find<ScalarCall>(s)->name)
                 ? widened(child)
                 : Cast::make(child->dtype, widened(child), child->span);
    });
  }

  template <class Body>
  Scalar of_let(const Let& let, const Body& body) {
    if (!is_narrow(let.value)) return Let::make(let.var, remade(let.value), body(let.body), let.span);
    Ref<SymVar> var = SymVar::make(let.var->name, kWide);
    Scalar value = widened(let.value);
    lets_.insert_or_assign(let.var, var);
    return Let::make(var, std::move(value), body(let.body), let.span);
  }

  const Wide& wide_;
  std::unordered_map<Ref<SymVar>, Ref<SymVar>> lets_;
};

// Emits to[i…] = cast(from[i…]).
Stmt rounded_copy(const Ref<Buffer>& from, const Ref<Buffer>& to) {
  std::vector<Ref<SymVar>> loops;
  std::vector<IterVar> axes;
  Indices at;
  BufferRegion read{from, {}}, written{to, {}};
  for (const Scalar& extent : to->shape) {
    const std::string number = std::to_string(loops.size());
    loops.push_back(SymVar::make("i" + number, extent->dtype));
    Ref<SymVar> axis = SymVar::make("v" + number, extent->dtype);
    axes.push_back({axis, {IntImm::make(extent->dtype, 0), extent}, IterKind::Spatial});
    at.push_back(axis);
    read.region.push_back({axis, IntImm::make(axis->dtype, 1)});
  }
  written.region = read.region;
  Stmt out =
      BlockRealize::make({loops.begin(), loops.end()}, IntImm::make(DType::bool_(), 1),
                         Block::make({.name = to->name + "_rounded",
                                      .iters = std::move(axes),
                                      .reads = {read},
                                      .writes = {written},
                                      .body = BufferStore::make(to, Cast::make(to->dtype, load(from, at)), at)}));
  for (size_t i = loops.size(); i-- > 0;) out = For::make(loops[i], to->shape[i], out);
  return out;
}

}  // namespace

Ref<PrimFunc> with_wide_steps(const Ref<PrimFunc>& kernel) {
  const Wide wide(*kernel);
  if (wide.is_empty()) return kernel;
  const Stmt body = Widen(wide).visit(kernel->body);
  if (wide.results.empty()) return kernel->with_body(body);
  const Block& root = *find<BlockRealize>(body)->block;
  std::vector<Stmt> stmts{root.body};
  std::vector<Ref<Buffer>> allocs = root.alloc_buffers;
  for (const Ref<Buffer>& result : wide.results) {
    const Ref<Buffer>& sum = wide.buffers.find(result)->second;
    stmts.push_back(rounded_copy(sum, result));
    allocs.push_back(sum);
  }
  return kernel->with_body(root_block(Seq::make(std::move(stmts)), std::move(allocs)));
}

}  // namespace sunmao
