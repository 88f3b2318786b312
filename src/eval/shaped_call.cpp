#include "eval/shaped_call.h"

#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Returns the type of the value if `type` is a tensor of unknown shape or a shape of unknown sizes, else `type` itself.
Type known_type(const Type& type, const Value& value) {
  if (const auto* shape = find<ShapeType>(type); shape && !shape->values && value.shape()) {
    std::vector<Scalar> sizes;
    for (int64_t d : *value.shape()) sizes.push_back(int_imm(d));
    return ShapeType::make(std::move(sizes));
  }
  const auto* tensor = find<TensorType>(type);
  const Array* array = value.array();
  if (!tensor || tensor->dims() || !array) return type;
  std::vector<Scalar> dims;
  for (int64_t d : array->shape()) dims.push_back(int_imm(d));
  return TensorType::make(std::move(dims), array->dtype(), tensor->vdevice);
}

// Returns the value of `wanted`, which is `arg` or a field of a tuple expression; null when it is neither.
const Value* value_of(const Expr& wanted, const Expr& arg, const Value& value) {
  if (arg == wanted) return &value;
  const auto* literal = find<Tuple>(arg);
  const ValueTuple* fields = literal ? value.tuple() : nullptr;
  for (size_t i = 0; fields && i < fields->size(); ++i)
    if (const Value* found = value_of(wanted, literal->fields[i], (*fields)[i])) return found;
  return nullptr;
}

}  // namespace

ShapedCall::ShapedCall(const Call& call, const ValueTuple& args, Environment& environment, AgreedCalls& known)
    : environment_(environment) {
  std::vector<Expr> variables;
  for (size_t i = 0; i < call.args.size(); ++i) variables.push_back(variable_for(call.args[i], args[i]));
  const Ref<Call> shaped = call.with_args(std::move(variables));
  if (shaped.get() != &call) {
    const AgreedCall agreed = agree_on_sizes(shaped);
    check(agreed, *shaped, args);
    call_ = agreed.call;
    return;
  }
  auto [agreed, is_new] = known.try_emplace(shaped);
  if (is_new) agreed->second = agree_on_sizes(shaped);
  check(agreed->second, call, args);
  call_ = agreed->second.call;
}

ShapedCall::~ShapedCall() {
  for (const Ref<Var>& var : held_) environment_.erase(*var);
}

void ShapedCall::hold(const Ref<Var>& var, Value value) {
  environment_.set(*var, std::move(value));
  held_.push_back(var);
}

// Replaces a tensor or shape of unknown sizes by a variable whose type has the actual sizes, and a nested call by a
// variable that holds its value, so that it is not evaluated again; in a tuple, field by field. Other arguments are
// returned unchanged.
Expr ShapedCall::variable_for(const Expr& arg, const Value& value) {
  if (const auto* tuple = find<Tuple>(arg); tuple && value.tuple()) {
    std::vector<Expr> fields;
    for (size_t i = 0; i < tuple->fields.size(); ++i)
      fields.push_back(variable_for(tuple->fields[i], (*value.tuple())[i]));
    return fields == tuple->fields ? arg : Tuple::make(std::move(fields), tuple->span);
  }
  Type type = known_type(arg->type, value);
  if (type == arg->type && !find<Call>(arg)) return arg;
  Ref<Var> var = Var::make("arg", std::move(type), arg->span);
  hold(var, value);
  return var;
}

void ShapedCall::check(const AgreedCall& agreed, const Call& original, const ValueTuple& args) {
  const std::string& op = op_of(original)->name();
  for (const AgreedCall::Cast& cast : agreed.casts) {
    const Value* value = nullptr;
    for (size_t i = 0; i < args.size() && !value; ++i) value = value_of(cast.from, original.args[i], args[i]);
    SUNMAO_CHECK(value, "{} casts what is no argument", op);
    environment_.check(cast.to->type, *value, op);
    hold(cast.to, *value);
  }
  for (const SizeDemand& d : agreed.rest)
    if (const int64_t value = environment_.number(d.value), expected = environment_.number(d.expected);
        value != expected)
      fail("E0905", original.span,
           fmt::format("{}: `{}` must be `{}`, got {} and {}", op, describe(d.value), describe(d.expected), value,
                       expected));
}

}  // namespace sunmao
