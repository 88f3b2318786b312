#include "eval/environment.h"

#include "ir/type.h"
#include "support/diagnostic.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// Describes how an array differs from its type; empty for other values.
const char* difference(const Type& type, const Value& value) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !value.array()) return "";
  const bool is_dtype = !tensor->dtype.is_void() && tensor->dtype != value.array()->dtype();
  return is_dtype ? ": the dtype differs" : ": the rank (ndim) differs";
}

[[noreturn]] void does_not_fit(const std::string& name, const Type& type, const Value& value) {
  fail("E0505", {},
       fmt::format("`{}`: expected {}, got {}{}", name, describe(type), describe(value), difference(type, value)));
}

bool fits_type(const TensorType& type, const Array& array) {
  return (type.dtype.is_void() || type.dtype == array.dtype()) &&
         (type.rank == kUnknownRank || type.rank == array.rank());
}

}  // namespace

const Value& Environment::get(const Var& var) const {
  auto it = vars_.find(&var);
  SUNMAO_CHECK(it != vars_.end(), "`{}` has no value", var.name);
  return it->second;
}

Environment Environment::captured(const std::vector<Ref<Var>>& vars) const {
  Environment out;
  out.symbols_ = symbols_;
  out.seen_ = seen_;
  for (const Ref<Var>& v : vars)
    if (auto it = vars_.find(v.get()); it != vars_.end()) out.vars_.insert(*it);
  return out;
}

int64_t Environment::number(const Scalar& s) const {
  if (const int64_t* i = find_int(s)) return *i;
  if (const auto* symbol = find<SymVar>(s)) {
    auto it = symbols_.find(symbol);
    if (it == symbols_.end()) fail("E0506", s->span, fmt::format("`{}` has no value here", symbol->name));
    return it->second;
  }
  Scalar folded = map_children(s, [&](const Scalar& child) {
    return child->dtype.is_integral() ? IntImm::make(child->dtype, number(child)) : child;
  });
  Scalar result = fold_constants(folded);
  const int64_t* value = result ? find_int(result) : nullptr;
  if (!value)
    fail("E0506", s->span,
         fmt::format("`{}` has no value here: {} cannot be computed in 64 bits", describe(s), describe(folded)));
  return *value;
}

std::vector<int64_t> Environment::numbers(const std::vector<Scalar>& list) const {
  std::vector<int64_t> out;
  for (const Scalar& s : list) out.push_back(number(s));
  return out;
}

ValueTuple Environment::values() const {
  ValueTuple out;
  for (const auto& entry : vars_) out.push_back(entry.second);
  return out;
}

Seen Environment::seen_by_symbols() const {
  Seen out = Seen::Nothing;
  for (const auto& entry : seen_) out = std::max(out, entry.second);
  return out;
}

Seen Environment::seen(const std::vector<Ref<SymVar>>& symbols) const {
  Seen out = Seen::Nothing;
  for (const Ref<SymVar>& s : symbols)
    if (auto it = seen_.find(s.get()); it != seen_.end()) out = std::max(out, it->second);
  return out;
}

Seen Environment::seen(const std::vector<Scalar>& list) const {
  Seen out = Seen::Nothing;
  if (seen_.empty()) return out;
  for (const Scalar& s : list) out = std::max(out, seen(free_symbols(s)));
  return out;
}

Seen Environment::seen(const Type& type) const {
  return seen_.empty() || !type ? Seen::Nothing : seen(free_symbols(type));
}

void Environment::match(const Matched& matched, bool define) {
  const auto& [type, value, name, seen, limit, span] = matched;
  if (const auto* tensor = find<TensorType>(type)) {
    const Array* array = value.array();
    if (!array || !fits_type(*tensor, *array)) does_not_fit(name, type, value);
    if (tensor->dims()) match_dims(*tensor->dims(), array->shape(), matched, define);
  } else if (const auto* shape = find<ShapeType>(type)) {
    const ShapeValue* sizes = value.shape();
    if (!sizes || (shape->rank != kUnknownRank && sizes->size() != static_cast<size_t>(shape->rank)))
      does_not_fit(name, type, value);
    if (shape->values) match_dims(*shape->values, *sizes, matched, define);
  } else if (const auto* prim = find<PrimType>(type)) {
    const auto* number = std::get_if<int64_t>(&value.v);
    if (!number && !std::holds_alternative<double>(value.v)) does_not_fit(name, type, value);
    if (prim->value && number) match_dims({prim->value}, {*number}, matched, define);
  } else if (find<CallableType>(type)) {
    if (!value.closure() && !value.host_function()) does_not_fit(name, type, value);
  } else if (const auto* tuple = find<TupleType>(type)) {
    if (!value.tuple() || value.tuple()->size() != tuple->fields.size()) does_not_fit(name, type, value);
    for (size_t i = 0; i < tuple->fields.size(); ++i) {
      const Value& field = (*value.tuple())[i];
      match({tuple->fields[i], field, fmt::format("{}[{}]", name, i), std::max(seen, field.seen), limit, span}, define);
    }
  }
}

void Environment::match_dims(const std::vector<Scalar>& dims, const std::vector<int64_t>& sizes, const Matched& matched,
                             bool define) {
  if (define && matched.seen > matched.limit) return;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (define) {
      const bool is_new = find<SymVar>(dims[i]) && symbols_.try_emplace(dims[i].get(), sizes[i]).second;
      if (is_new && matched.seen != Seen::Nothing) seen_.emplace(dims[i].get(), matched.seen);
    } else if (int64_t expected = number(dims[i]); expected != sizes[i]) {
      fail("E0905", matched.span,
           fmt::format("`{}`: dimension {} of {} must be {}, got {}", matched.name, i, describe(matched.type), expected,
                       describe(matched.value)));
    }
  }
}

void check_not_negative(const Value& value) {
  const ShapeValue* sizes = value.shape();
  if (!sizes) return;
  for (const int64_t size : *sizes)
    if (size < 0)
      fail("E0911", {}, fmt::format("data decides a size, and it is {}", size),
           "what computes the size must give 0 or more");
}

Value with_last_arguments(const Value& function, std::span<const Value> last, const Span& span) {
  std::shared_ptr<const Closure> f = function.closure();
  if (!f) fail("E0507", span, fmt::format("the evaluator cannot make a closure of {}", describe(function)));
  Closure closure = *f;
  closure.bound.insert(closure.bound.begin(), last.begin(), last.end());
  return Value(std::make_shared<const Closure>(std::move(closure)));
}

}  // namespace sunmao
