#include "ir/size_demands.h"

#include <algorithm>
#include <unordered_map>

#include "ir/equal.h"
#include "sym/equal.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// The most rounds of casts; replacing a dimension may decide other relations or make further ones visible.
constexpr int kMaxRounds = 8;

// A substitution of dimensions by dimensions.
class Replacements {
 public:
  Scalar of(const Scalar& dim) const {
    for (const auto& [from, to] : list_)
      if (structural_equal(from, dim)) return to;
    return dim;
  }
  void add(const Scalar& from, const Scalar& to) {
    for (auto& entry : list_)
      if (structural_equal(entry.second, from)) entry.second = to;
    list_.emplace_back(from, to);
  }
  bool empty() const { return list_.empty(); }

  Type of(const Type& type) const {
    if (const auto* tuple = find<TupleType>(type)) {
      std::vector<Type> fields;
      for (const Type& field : tuple->fields) fields.push_back(of(field));
      return fields == tuple->fields ? type : TupleType::make(std::move(fields));
    }
    const auto* tensor = find<TensorType>(type);
    if (!tensor || !tensor->dims()) return type;
    std::vector<Scalar> dims;
    for (const Scalar& d : *tensor->dims()) dims.push_back(of(d));
    const bool is_same =
        std::ranges::equal(dims, *tensor->dims(), [](const Scalar& a, const Scalar& b) { return a.same_as(b); });
    return is_same ? type : TensorType::make(std::move(dims), tensor->dtype, tensor->vdevice);
  }

 private:
  std::vector<std::pair<Scalar, Scalar>> list_;
};

bool has_dim(const Type& type, const Scalar& dim) {
  if (const auto* tuple = find<TupleType>(type))
    return std::ranges::any_of(tuple->fields, [&](const Type& field) { return has_dim(field, dim); });
  const auto* tensor = find<TensorType>(type);
  return tensor && tensor->dims() &&
         std::ranges::any_of(*tensor->dims(), [&](const Scalar& d) { return structural_equal(d, dim); });
}

bool has_dim(const Call& call, const Scalar& dim) {
  return !find_int(dim) && std::ranges::any_of(call.args, [&](const Expr& a) { return has_dim(a->type, dim); });
}

// Returns replacements of argument dimensions that satisfy the demands: `value` is replaced by `expected` or, if no
// argument has the dimension `value`, `expected` by `value`.
Replacements replacements_for(const Call& call, const std::vector<SizeDemand>& demands) {
  Replacements out;
  for (const SizeDemand& d : demands) {
    if (d.is_relation) continue;
    const Scalar value = out.of(d.value), expected = out.of(d.expected);
    if (structural_equal(value, expected)) continue;
    if (has_dim(call, value))
      out.add(value, expected);
    else if (has_dim(call, expected))
      out.add(expected, value);
  }
  return out;
}

// One round of casts: an argument used several times is cast once; an earlier cast is extended.
class Caster {
 public:
  Caster(AgreedCall& out, MakeVar make_var) : out_(out), make_var_(make_var) {}

  Expr cast(const Expr& arg, const Replacements& replacements) {
    if (const auto* tuple = find<Tuple>(arg)) {
      std::vector<Expr> fields;
      for (const Expr& field : tuple->fields) fields.push_back(cast(field, replacements));
      return fields == tuple->fields ? arg : Tuple::make(std::move(fields), tuple->span);
    }
    Type type = replacements.of(arg->type);
    if (type == arg->type) return arg;
    auto [done, is_new] = done_.try_emplace(arg.get());
    if (!is_new) return done->second;
    const auto* var = find<Var>(arg);
    done->second = make_var_(var ? var->name : "arg", std::move(type), arg->span);
    auto before = std::ranges::find_if(out_.casts, [&](const AgreedCall::Cast& c) { return c.to.get() == arg.get(); });
    if (before != out_.casts.end())
      before->to = done->second;
    else
      out_.casts.push_back({arg, done->second});
    return done->second;
  }

 private:
  AgreedCall& out_;
  const MakeVar make_var_;
  std::unordered_map<const ExprNode*, Ref<Var>> done_;
};

}  // namespace

std::vector<SizeDemand> size_demands(const Call& call) {
  const Op* op = op_of(call);
  if (!op || !call.type) return {};
  std::vector<SizeDemand> out;
  op->info.infer(InferInput(*op, call.args, call.attrs, call.type_args, call.span, &out));
  return out;
}

AgreedCall agree_on_sizes(const Ref<Call>& call, MakeVar make_var) {
  AgreedCall out{.casts = {}, .call = call, .rest = size_demands(*call)};
  for (int round = 0; round < kMaxRounds && !out.rest.empty(); ++round) {
    const Replacements replacements = replacements_for(*out.call, out.rest);
    if (replacements.empty()) break;
    Caster caster(out, make_var);
    std::vector<Expr> args;
    for (const Expr& arg : out.call->args) args.push_back(caster.cast(arg, replacements));
    out.call = out.call->with_args(std::move(args));
    out.rest = size_demands(*out.call);
  }
  return out;
}

}  // namespace sunmao
