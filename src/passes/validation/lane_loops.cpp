#include "passes/validation/lane_loops.h"

#include <algorithm>

#include "loop/calls.h"
#include "loop/walk.h"
#include "passes/loop/kernel_forms.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

struct NoLaneForm {};  // scalable vectors, and buffers of vectors

int lanes_of(const Scalar& s) {
  if (s && s->dtype.is_scalable) throw NoLaneForm();
  return s ? s->dtype.lanes : 1;
}

/// Returns the lanes of the vectors that a statement itself computes, 1 when it computes none.
int own_lanes(const Stmt& s) {
  if (const auto* store = find<BufferStore>(s)) {
    int lanes = std::max(lanes_of(store->value), lanes_of(store->predicate));
    for (const Scalar& i : store->indices) lanes = std::max(lanes, lanes_of(i));
    return lanes;
  }
  if (const auto* branch = find<IfThenElse>(s)) return lanes_of(branch->condition);
  if (const auto* bind = find<Bind>(s)) return lanes_of(bind->value);
  const auto* evaluate = find<Evaluate>(s);
  return evaluate ? lanes_of(evaluate->value) : 1;
}

/// True when a lane of something in `s` depends on other lanes.
bool mixes_lanes(const Scalar& s) {
  bool found = false;
  visit_all(s, [&](const Scalar& part) {
    const auto* call = find<ScalarCall>(part);
    found = found || (call && call->name == "Shuffle");
  });
  return found;
}

/// The elements of vectors that statements name, in memory.
using VectorMemory = std::unordered_map<Ref<SymVar>, Ref<Buffer>>;

/// Gives what statements and scalars compute in one lane, whose number is a symbol or a constant.
class Lane {
 public:
  explicit Lane(Scalar number, const VectorMemory& memory) : number_(std::move(number)), memory_(memory) {}

  Stmt stmt(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::BufferStore: {
        const auto& n = *find<BufferStore>(s);
        const Stmt store = BufferStore::make(n.buffer, scalar(n.value), scalars(n.indices), n.span);
        return n.predicate ? IfThenElse::make(scalar(n.predicate), store) : store;
      }
      case StmtKind::Evaluate: return Evaluate::make(scalar(find<Evaluate>(s)->value), s->span);
      case StmtKind::Seq: {
        std::vector<Stmt> out;
        for (const Stmt& part : find<Seq>(s)->stmts) out.push_back(stmt(part));
        return Seq::make(std::move(out), s->span);
      }
      case StmtKind::IfThenElse: {
        const auto& n = *find<IfThenElse>(s);
        return IfThenElse::make(scalar(n.condition), stmt(n.then_case), n.else_case ? stmt(n.else_case) : Stmt(),
                                n.span);
      }
      case StmtKind::Bind: {
        const auto& n = *find<Bind>(s);
        const Scalar value = scalar(n.value);
        const Ref<SymVar> var = narrow(n.var);
        return Bind::make(var, value, stmt(n.body), n.span);
      }
      case StmtKind::For: return find<For>(s)->with_body(stmt(find<For>(s)->body));
      default: throw NoLaneForm();
    }
  }

  Scalar scalar(const Scalar& s) {
    if (const Ref<SymVar> var = find_ref<SymVar>(s)) {
      if (const auto kept = memory_.find(var); kept != memory_.end()) return BufferLoad::make(kept->second, {number_});
      const auto known = vars_.find(var);
      return known == vars_.end() ? s : Scalar(known->second);
    }
    if (const auto* call = find<ScalarCall>(s); call && call->name == "any_lane") return scalar(call->args[0]);
    if (lanes_of(s) == 1) return s;
    const DType dtype = s->dtype.with_lanes(1);
    if (const auto* n = find<Ramp>(s)) return n->base + Cast::make(n->base->dtype, number_) * n->stride;
    if (const auto* n = find<Broadcast>(s)) return n->value;
    if (const auto* n = find<Binary>(s)) return Binary::make(n->op, scalar(n->a), scalar(n->b), n->span);
    if (const auto* n = find<Not>(s)) return Not::make(scalar(n->a), n->span);
    if (const auto* n = find<Cast>(s)) return Cast::make(dtype, scalar(n->value), n->span);
    if (const auto* n = find<Select>(s))
      return Select::make(scalar(n->condition), scalar(n->then_value), scalar(n->else_value), n->span);
    if (const auto* n = find<ScalarCall>(s)) {
      if (n->name == "Shuffle") return shuffled(*n);
      if (const std::optional<ByteDots> dots = find_byte_dots(*n)) return dot(dots->a, dots->b, dots->sum, kBytesOfDot);
      if (const std::optional<ShortDots> dots = find_short_dots(*n))
        return dot(dots->a, dots->b, dots->sum, kShortsOfDot);
      if (n->name == "dp4a") throw NoLaneForm();
      return ScalarCall::make(n->name, dtype, scalars(n->args), n->span);
    }
    if (const auto* n = find<BufferLoad>(s)) {
      if (n->predicate || n->buffer->dtype.is_vector()) throw NoLaneForm();
      return BufferLoad::make(n->buffer, scalars(n->indices), n->span);
    }
    if (const auto* n = find<Let>(s)) {
      const Scalar value = scalar(n->value);
      const Ref<SymVar> var = narrow(n->var);
      return Let::make(var, value, scalar(n->body), n->span);
    }
    throw NoLaneForm();
  }

  /// Only a lane of known number has a form, which is a lane of one of the vectors.
  Scalar shuffled(const ScalarCall& call) const {
    const std::optional<Shuffle> parts = find_shuffle(call);
    const int64_t* number = find_int(number_);
    if (!parts || !number) throw NoLaneForm();
    int64_t lane = parts->lanes[static_cast<size_t>(*number)];
    for (const Scalar& v : parts->vectors) {
      if (lane < v->dtype.lanes) return Lane(int_imm(lane), memory_).scalar(v);
      lane -= v->dtype.lanes;
    }
    throw NoLaneForm();
  }

  /// Adds `count` products to a lane of the sum. Operands of fewer lanes are repeated.
  Scalar dot(const Scalar& a, const Scalar& b, const Scalar& sums, int count) const {
    Scalar sum = Lane(number_, memory_).scalar(sums);
    for (int i = 0; i < count; ++i) {
      const auto factor = [&](const Scalar& x) {
        Scalar at = number_ * int_imm(count) + int_imm(i);
        if (x->dtype.lanes < count * sums->dtype.lanes) at = floor_mod(at, int_imm(x->dtype.lanes));
        return Cast::make(DType::int_(32), Lane(Analyzer().simplify(at), memory_).scalar(x));
      };
      sum = sum + factor(a) * factor(b);
    }
    return sum;
  }

 private:
  std::vector<Scalar> scalars(const std::vector<Scalar>& list) {
    std::vector<Scalar> out;
    for (const Scalar& s : list) out.push_back(scalar(s));
    return out;
  }

  Ref<SymVar> narrow(const Ref<SymVar>& var) {
    if (lanes_of(var) == 1) return var;
    return vars_[var] = SymVar::make(var->name, var->dtype.with_lanes(1), var->span);
  }

  const Scalar number_;
  const VectorMemory& memory_;
  std::unordered_map<Ref<SymVar>, Ref<SymVar>> vars_;
};

class LaneLooper final : public StmtRewriter {
 public:
  Stmt visit(const Stmt& s) override {
    if (!s) return s;
    const auto* bind = find<Bind>(s);
    if (bind && lanes_of(bind->value) > 1) return in_memory(*bind);
    const int lanes = own_lanes(s);
    return lanes == 1 ? visit_parts(s) : each_lane(lanes, s);
  }

 private:
  /// Statements that mix lanes are written once for each lane.
  Stmt each_lane(int lanes, const Stmt& s) {
    const auto* store = find<BufferStore>(s);
    if (store && mixes_lanes(store->value)) {
      std::vector<Stmt> all;
      for (int i = 0; i < lanes; ++i) all.push_back(Lane(int_imm(i), memory_).stmt(s));
      return Seq::make(std::move(all));
    }
    const Ref<SymVar> number = SymVar::make("lane", DType::int_(64));
    return For::make(number, int_imm(lanes), Lane(number, memory_).stmt(s));
  }

  /// Keeps a vector that a statement names in memory, where each lane can read all of it.
  Stmt in_memory(const Bind& bind) {
    const int lanes = lanes_of(bind.value);
    const Ref<Buffer> buffer = Buffer::make(bind.var->name, bind.var->dtype.with_lanes(1), {int_imm(lanes)}, {});
    const Stmt fill =
        each_lane(lanes, BufferStore::make(buffer, bind.value, {Ramp::make(int_imm(0), int_imm(1), lanes)}));
    memory_[bind.var] = buffer;
    return AllocBuffer::make(buffer, Seq::make({fill, visit(bind.body)}));
  }

  VectorMemory memory_;
};

}  // namespace

Stmt with_lane_loops(const Stmt& s) {
  try {
    return LaneLooper().visit(s);
  } catch (const NoLaneForm&) {
    return s;
  }
}

Module evaluable_forms(const Module& module) {
  Module out = module;
  for (const FunctionEntry& e : module.functions())
    if (const auto* text = e.func->attr<std::string>(kFormTargetAttr)) {
      out = with_forms_as_kernels(module, Target::parse(*text));
      break;
    }
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : out.functions())
    if (const Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(e.func)))
      if (Ref<PrimFunc> now = f->with_body(with_lane_loops(f->body)); now != f) changed.push_back({e.var, now});
  return changed.empty() ? out : out.with_functions(std::move(changed));
}

}  // namespace sunmao
