#include "frontend/torch/symbolic_number.h"

#include <algorithm>
#include <charconv>

#include "frontend/findings.h"
#include "frontend/shapes.h"
#include "io/concat.h"

namespace sunmao::torch {
namespace {

constexpr DType kWhole = DType::int_(64), kReal = DType::float_(64);

/// A function of sympy and the op of the same meaning.
struct Function {
  std::string_view head;
  const char* op;
};

constexpr Function kOfTwo[] = {{"Add", "add"},       {"Mul", "multiply"},          {"Max", "maximum"},
                               {"Min", "minimum"},   {"FloorDiv", "floor_divide"}, {"CleanDiv", "floor_divide"},
                               {"Mod", "floor_mod"}, {"PythonMod", "floor_mod"}};
constexpr Function kOfTwoFloats[] = {
    {"IntTrueDiv", "divide"}, {"FloatTrueDiv", "divide"}, {"Pow", "power"}, {"FloatPow", "power"}};
constexpr Function kRoundings[] = {
    {"TruncToInt", "trunc"}, {"FloorToInt", "floor"}, {"CeilToInt", "ceil"}, {"RoundToInt", "round"}};
constexpr Function kComparisons[] = {{"Equality", "equal"},      {"Unequality", "not_equal"},
                                     {"LessThan", "less_equal"}, {"GreaterThan", "greater_equal"},
                                     {"StrictLessThan", "less"}, {"StrictGreaterThan", "greater"}};
constexpr Function kOfBools[] = {{"And", "logical_and"}, {"Or", "logical_or"}};
constexpr std::string_view kOpaque = "OpaqueUnaryFn_";
constexpr std::string_view kOpaqueFunctions[] = {"sqrt", "cos",  "cosh", "sin",  "sinh", "tan",
                                                 "tanh", "asin", "acos", "atan", "exp",  "log"};

template <size_t N>
const char* op_for(const Function (&functions)[N], std::string_view head) {
  const auto* it = std::ranges::find(functions, head, &Function::head);
  return it == std::end(functions) ? nullptr : it->op;
}

class NumberReader {
 public:
  NumberReader(const ValueOfSymbol& symbol, ModelBuilder& builder, const Span& span)
      : symbol_(symbol), builder_(builder), span_(span) {}

  Expr read(const SympyNode& node) {
    if (node.head == "true" || node.head == "false") return constant(DType::bool_(), node.head == "true");
    if (node.args.empty()) unknown(node);
    const SympyNode& first = node.args[0];
    if (node.head == "Symbol") return symbol_(first.text);
    if (node.head == "Integer") return integer(first);
    if (node.head == "Float") return constant(kReal, number<double>(first));
    if (node.head == "Rational" && node.args.size() == 2)
      return constant(kReal, number<double>(first) / number<double>(node.args[1]));
    if (node.head == "Piecewise") return piecewise(node);
    return applied(node, all(node));
  }

 private:
  [[noreturn]] static void unknown(const SympyNode& node) {
    throw UnsupportedUse{fmt::format("with the number {}", io::quoted(node.text))};
  }
  template <class T>
  static T number(const SympyNode& digits) {
    T value{};
    auto [end, error] = std::from_chars(digits.text.data(), digits.text.data() + digits.text.size(), value);
    if (error != std::errc() || end != digits.text.data() + digits.text.size()) unknown(digits);
    return value;
  }
  Expr constant(DType dtype, double value) const { return scalar_constant(dtype, value, span_); }
  Expr integer(const SympyNode& digits) const { return integer_constant(kWhole, number<int64_t>(digits), span_); }
  Expr call(const char* op, std::vector<Expr> args) { return builder_.call(op, std::move(args), {}, span_); }
  Expr as(DType dtype, const Expr& x) { return converted(builder_, x, dtype, span_); }

  std::vector<Expr> all(const SympyNode& node) {
    std::vector<Expr> out;
    for (const SympyNode& arg : node.args) out.push_back(read(arg));
    return out;
  }

  Expr applied(const SympyNode& node, const std::vector<Expr>& x) {
    const std::string_view head = node.head;
    if (const char* op = op_for(kOfTwo, head)) return folded(op, in_common(x));
    if (const char* op = op_for(kOfBools, head)) return folded(op, x);
    if (x.size() == 2) {
      if (head == "PowByNatural") return call("power", in_common(x));
      if (const char* op = op_for(kOfTwoFloats, head)) return call(op, {as(kReal, x[0]), as(kReal, x[1])});
      if (const char* op = op_for(kComparisons, head)) return call(op, in_common(x));
    }
    if (x.size() == 1) {
      if (head == "Not") return call("logical_not", x);
      if (head == "Abs") return call("abs", x);
      if (head == "ToFloat") return as(kReal, x[0]);
      if (head == "Identity") return x[0];
      if (const char* op = op_for(kRoundings, head)) return as(kWhole, call(op, {as(kReal, x[0])}));
      for (std::string_view name : kOpaqueFunctions)
        if (head.starts_with(kOpaque) && head.substr(kOpaque.size()) == name)
          return builder_.call(name, {as(kReal, x[0])}, {}, span_);
    }
    unknown(node);
  }

  std::vector<Expr> in_common(std::vector<Expr> x) {
    const bool is_float = std::ranges::any_of(x, [](const Expr& e) { return dtype_of(e).is_float(); });
    for (Expr& e : x) e = as(is_float ? kReal : kWhole, e);
    return x;
  }

  Expr folded(const char* op, const std::vector<Expr>& x) {
    Expr all = x[0];
    for (size_t i = 1; i < x.size(); ++i) all = call(op, {all, x[i]});
    return all;
  }

  /// Reads Piecewise(ExprCondPair(value, condition), …), of which the first pair whose condition holds counts.
  Expr piecewise(const SympyNode& node) {
    std::vector<Expr> values, conditions;
    for (const SympyNode& pair : node.args) {
      if (pair.head != "ExprCondPair" || pair.args.size() != 2) unknown(node);
      values.push_back(read(pair.args[0]));
      conditions.push_back(read(pair.args[1]));
    }
    values = in_common(std::move(values));
    Expr chosen = values.back();
    for (size_t i = values.size() - 1; i-- > 0;) chosen = call("where", {conditions[i], values[i], chosen});
    return chosen;
  }

  const ValueOfSymbol& symbol_;
  ModelBuilder& builder_;
  const Span& span_;
};

}  // namespace

Expr number_of(const SympyNode& node, const ValueOfSymbol& symbol, ModelBuilder& builder, const Span& span) {
  return NumberReader(symbol, builder, span).read(node);
}

}  // namespace sunmao::torch
