#include "passes/weights/bind_params.h"

#include <algorithm>

#include "eval/element.h"
#include "ir/copy.h"
#include "ir/source_names.h"
#include "ir/type_relation.h"
#include "ir/walk.h"
#include "passes/analysis/matched_scalars.h"
#include "passes/analysis/named_functions.h"
#include "passes/analysis/variables.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

class ValueSymbols {
 public:
  Substitution known;

  void match(const Ref<Var>& param, const Type& value) {
    for_each_matched(param->type, value, [&](const Type& part, const Scalar& pattern, const Scalar& size) {
      if (Ref<SymVar> symbol = find_ref<SymVar>(pattern)) set(symbol, size, *param, part);
    });
  }

 private:
  void set(const Ref<SymVar>& symbol, const Scalar& value, const Var& param, const Type& part) {
    const Scalar& first = known.try_emplace(symbol, value).first->second;
    if (find<PrimType>(part)) given_.insert(symbol);
    if (!analyzer_.can_prove(Binary::make(BinaryOp::Ne, first, value))) return;
    if (given_.contains(symbol))
      fail("E0518", param.span,
           fmt::format("Explicit binding for symbolic variable {} conflicts with the value inferred from a parameter "
                       "shape: {} against {} of `{}`",
                       symbol->name, describe(first), describe(value), param.name));
    fail("E0518", param.span,
         fmt::format("`{}`: symbol `{}` is {} here and {} elsewhere", param.name, symbol->name, describe(value),
                     describe(first)));
  }

  std::unordered_set<Ref<SymVar>> given_;  // symbols that a scalar parameter defines
  Analyzer analyzer_;
};

void check_fits(const Var& param, const Type& expected, const Expr& value) {
  if (find<PrimType>(expected) && !find<PrimType>(value->type))
    fail("E0518", param.span,
         fmt::format("Explicit binding for symbolic variable {} must be a primitive expression, got {}", param.name,
                     describe(value->type)));
  Analyzer analyzer;
  if (fits(expected, value->type, analyzer) == Fit::No)
    fail("E0518", param.span,
         fmt::format("the value of `{}` does not fit: expected {}, got {}", param.name, describe(expected),
                     describe(value->type)));
}

}  // namespace

namespace {

// Substitutes values for variables and infers dependent types again.
class ValuesForVars final : public Rewriter {
 public:
  void put(const Ref<Var>& var, Expr value) { replace(var, std::move(value)); }
  Ref<SeqExpr> rewrite(const Ref<SeqExpr>& body) { return visit_seq(body); }
};

}  // namespace

Ref<Function> bind_params(const Ref<Function>& function, const std::unordered_map<Ref<Var>, Expr>& values) {
  if (values.empty()) return function;
  ValueSymbols symbols;
  for (const Ref<Var>& p : function->params)
    if (auto it = values.find(p); it != values.end()) symbols.match(p, it->second->type);
  FreshCopy copy;
  for (const auto& [symbol, scalar] : symbols.known) copy.map(symbol, scalar);
  std::vector<Ref<Var>> params;
  ValuesForVars rewriter;
  for (const Ref<Var>& p : function->params) {
    auto it = values.find(p);
    if (it == values.end()) {
      params.push_back(copy.define(p));
      continue;
    }
    check_fits(*p, copy.copy(p->type), it->second);
    rewriter.put(copy.define(p), it->second);
  }
  Ref<SeqExpr> body = rewriter.rewrite(copy.copy(function->body));
  return Function::make(std::move(params), std::move(body), copy.copy(function->result_type), function->is_pure,
                        function->attrs, function->span);
}

std::string param_named(const Function& function, const std::string& name) {
  for (const char* attr : {kSourceWeightsAttr, kSourceInputsAttr})
    if (const AttrMap* names = function.attr<AttrMap>(attr))
      for (const auto& [param, own] : *names)
        if (const auto* text = own.find<std::string>(); text && *text == name) return param;
  return name;
}

Ref<Function> bind_params(const Ref<Function>& function, const std::map<std::string, Expr>& values) {
  std::unordered_map<Ref<Var>, Expr> by_var;
  std::vector<std::string> known;
  for (const Ref<Var>& p : function->params) known.push_back(p->name);
  for (const auto& [given, value] : values) {
    const std::string name = param_named(*function, given);
    if (std::ranges::count(known, name) != 1)
      fail("E0518", function->span,
           fmt::format("the function has {} named `{}`",
                       std::ranges::count(known, name) == 0 ? "no parameter" : "several parameters", given),
           did_you_mean(given, known));
    const auto param = std::ranges::find(function->params, name, [](const Ref<Var>& p) { return p->name; });
    if (!by_var.emplace(*param, value).second)
      fail("E0518", function->span, fmt::format("`{}` names the parameter `{}`, which is given already", given, name));
  }
  return bind_params(function, by_var);
}

namespace {

// Returns a number from the command line as an element of the dtype; nothing if it is no number or an integer dtype
// does not hold it.
std::optional<Number> element_of(const AttrValue& value, DType dtype) {
  if (const double* real = value.find<double>())
    return dtype.is_float() ? std::optional(float_number(*real)) : std::nullopt;
  const int64_t* whole = value.find<int64_t>();
  if (!whole) return std::nullopt;
  const Number element = convert(DType::int_(64), dtype, int_number(*whole));
  const bool is_held = dtype.is_float() || (element.i == *whole && !(dtype.is_uint() && *whole < 0));
  return is_held ? std::optional(element) : std::nullopt;
}

std::string spell_number(const AttrValue& value) {
  if (const double* real = value.find<double>()) return fmt::format("{}", *real);
  if (const int64_t* whole = value.find<int64_t>()) return fmt::format("{}", *whole);
  return "no number";
}

// Makes a constant of the given shape from numbers given on the command line, in the parameter's dtype, or float32 if
// that is unknown.
Expr constant_of(const std::vector<AttrValue>& numbers, std::vector<int64_t> shape, const Var& param) {
  const auto* type = find<TensorType>(param.type);
  const DType dtype = type && !type->is_unknown_dtype() ? type->dtype : DType::float_(32);
  ArrayBuilder array(dtype, std::move(shape));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::optional<Number> element = element_of(numbers[i], dtype);
    if (!element)
      fail("E0514", {},
           fmt::format("bind-params: `{}` must be numbers of type {}, got {}", param.name, dtype.str(),
                       spell_number(numbers[i])));
    store_element(dtype, array.data(), static_cast<int64_t>(i), *element);
  }
  return Constant::make(std::move(array).finish(), param.span);
}

Expr value_of(const AttrValue& value, const Var& param) {
  if (const Expr* e = value.find<Expr>()) return *e;
  if (const AttrList* list = value.find<AttrList>())
    return constant_of(*list, {static_cast<int64_t>(list->size())}, param);
  return constant_of({value}, {}, param);
}

}  // namespace

Module bind_params(const Module& m, const PassContext& ctx) {
  PassArguments arguments("bind-params", ctx);
  if (arguments.map("params").empty()) return m;
  std::string name = arguments.string("func_name");
  require_functions(m, "bind-params", {name});
  Ref<Function> f = m.find_as<Function>(name);
  std::map<std::string, Expr> values;
  for (const auto& [param, value] : arguments.map("params")) {
    auto it = std::ranges::find(f->params, param_named(*f, param), [](const Ref<Var>& p) { return p->name; });
    values.emplace(param, it == f->params.end() ? PrimValue::make(int_imm(0)) : value_of(value, **it));
  }
  Ref<Function> bound = bind_params(f, values);
  return bound == f ? m : m.with_function(name, bound);
}

}  // namespace sunmao
