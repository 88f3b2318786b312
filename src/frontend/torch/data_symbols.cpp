#include "frontend/torch/data_symbols.h"

#include <algorithm>

#include "frontend/findings.h"
#include "frontend/shapes.h"
#include "frontend/torch/scalar_text.h"
#include "frontend/torch/symbolic_number.h"
#include "io/concat.h"
#include "ir/walk.h"

namespace sunmao::torch {
namespace {

/// Returns the operator of a comparison, as guards have it; empty for other functions.
std::string_view comparison(std::string_view head) {
  constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
      {"Equality", "=="},    {"Unequality", "!="},    {"LessThan", "<="},
      {"GreaterThan", ">="}, {"StrictLessThan", "<"}, {"StrictGreaterThan", ">"}};
  for (const auto& [name, op] : kOperators)
    if (name == head) return op;
  return {};
}

const Expr& tensor_in(const DataSymbols::Number& number) {
  if (!number.tensor) throw NeedsUnread{};
  return number.tensor;
}

SympyNode known_sympy(std::string_view text, const Span& span) {
  std::optional<SympyNode> node = parse_sympy(text);
  if (!node)
    fail("E0709", span, fmt::format("the number {} cannot be read", io::quoted(text)),
         "the file is damaged, or a newer PyTorch wrote it");
  return std::move(*node);
}

}  // namespace

Ref<SymVar> new_size(ModelBuilder& builder, const std::string& name) {
  Ref<SymVar> symbol = SymVar::make(builder.fresh_name(name));
  builder.assume(symbol, {0, Interval::kMax});
  return symbol;
}

void read_size(ModelBuilder& builder, const Expr& number, const Scalar& size, const Span& span) {
  constexpr DType kSize = DType::int_(64);
  const Expr own = converted(builder, reshaped(builder, number, {}, span), kSize, span);
  const Expr is_size = builder.call("greater_equal", {own, integer_constant(kSize, 0, span)}, {}, span);
  const Expr both = Tuple::make({own, converted(builder, is_size, kSize, span)});
  const Expr list = builder.call("stack", {both}, {{"axis", 0}}, span);
  const Expr shape = builder.bind(builder.call("tensor_to_shape", {list}, {}, span), "sizes");
  builder.checked(shape, ShapeType::make({size, int_imm(1)}));
}

Ref<SymVar> DataSymbols::symbol(std::string_view name) {
  const Ref<SymVar> written = find_ref<SymVar>(builder_.size_of(std::string(name)));
  auto it = meanings_.find(written);
  if (it == meanings_.end()) return written;
  return find_ref<SymVar>(it->second);
}

bool DataSymbols::is_unknown(const Scalar& s) const {
  return std::ranges::any_of(free_symbols(s), [&](const Ref<SymVar>& symbol) {
    return !builder_.is_sized_by_inputs(symbol) && !numbers_.contains(symbol);
  });
}

bool DataSymbols::depends_on_data(const Scalar& s) const {
  return std::ranges::any_of(free_symbols(s), [&](const Ref<SymVar>& symbol) {
    return std::ranges::find(builder_.sizes_of_data(), symbol) != builder_.sizes_of_data().end() ||
           numbers_.contains(symbol);
  });
}

void DataSymbols::define_number(std::string_view text, const Expr& tensor, const Span& span) {
  const std::vector<std::string_view> names = symbol_names(known_sympy(text, span));
  const Ref<SymVar> own = names.size() == 1 ? symbol(names[0]) : nullptr;
  if (!own || builder_.is_sized_by_inputs(own)) return;  // its value is known from sizes
  if (!tensor) return (void)numbers_.insert_or_assign(own, Number{nullptr, false});
  const DType dtype = dtype_of(tensor).is_float() ? DType::float_(64) : DType::int_(64);
  const Expr number = converted(builder_, reshaped(builder_, tensor, {}, span), dtype, span);
  const std::optional<int64_t> least = ranges_[names[0]]["min_val"].as_int();
  numbers_.insert_or_assign(
      own, Number{builder_.bind(number, "number"), dtype == DType::int_(64) && least.value_or(-1) >= 0});
}

Expr DataSymbols::value_of(std::string_view name, const Span& span) {
  const Scalar size = substitute(builder_.size_of(std::string(name)), meanings_);
  if (const Ref<SymVar> own = find_ref<SymVar>(size))
    if (auto it = numbers_.find(own); it != numbers_.end()) return tensor_in(it->second);
  if (is_unknown(size))
    throw UnsupportedUse{fmt::format("with the number {}, which nothing defines", io::quoted(name))};
  return tensor_of(builder_, {size}, false, span);
}

Expr DataSymbols::number(std::string_view text, const Span& span) {
  const SympyNode node = known_sympy(text, span);
  if (is_of_integers(node)) {
    const Scalar size = substitute(parse_scalar(text, builder_, span), meanings_);
    if (builder_.is_sized_by_inputs(size)) return tensor_of(builder_, {size}, false, span);
  }
  return number_of(node, [&](std::string_view name) { return value_of(name, span); }, builder_, span);
}

bool DataSymbols::is_size(const Scalar& written) const {
  const std::vector<Ref<SymVar>> symbols = free_symbols(substitute(written, meanings_));
  return std::ranges::all_of(symbols, [&](const Ref<SymVar>& s) {
    auto it = numbers_.find(s);
    return it == numbers_.end() ? builder_.is_sized_by_inputs(s) : it->second.is_size;
  });
}

Scalar DataSymbols::size(const Scalar& written, const Span& span) {
  const Scalar size = substitute(written, meanings_);
  for (const Ref<SymVar>& s : free_symbols(size)) {
    if (builder_.is_sized_by_inputs(s)) continue;
    auto it = numbers_.find(s);
    if (it == numbers_.end()) throw UnsupportedUse{"with a size that depends on data"};
    if (it->second.tensor && !it->second.is_size)
      throw UnsupportedUse{"with a size that may be negative: state `torch._check(n >= 0)` in the model"};
    read_size(builder_, tensor_in(it->second), s, span);
  }
  return builder_.simplify(size);
}

Expr DataSymbols::sized(const Expr& value, const Type& stated, const Span& span) {
  const auto* type = stated ? find<TensorType>(stated) : nullptr;
  if (!type || !type->dims() || rank_of(value) != type->rank) return value;
  std::vector<Scalar> sizes = *type->dims();
  const std::vector<Scalar>* dims = dims_of(value);
  bool is_checked = !dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = substitute(sizes[i], meanings_);
    const Ref<SymVar> own = find_ref<SymVar>(sizes[i]);
    const bool is_new = is_unknown(sizes[i]);
    if (!is_new) sizes[i] = is_size(sizes[i]) ? size(sizes[i], span) : sizes[i];
    if (is_new && dims && own) meanings_.insert_or_assign(own, (*dims)[i]);
    if (is_new && dims) sizes[i] = (*dims)[i];
    if (is_new && !dims && !own) sizes[i] = new_size(builder_, "size");
    if (dims && (depends_on_data(sizes[i]) || depends_on_data((*dims)[i])))
      is_checked = is_checked || !builder_.can_prove(Binary::make(BinaryOp::Eq, sizes[i], (*dims)[i]));
  }
  if (!is_checked) return value;
  return builder_.checked(builder_.bind(value, "lv"), TensorType::make(std::move(sizes), dtype_of(value)));
}

bool DataSymbols::is_assumed(const SympyNode& condition) {
  if (condition.head != "GreaterThan" || condition.args.size() != 2 || condition.args[1].text != "Integer(2)")
    return false;
  const std::vector<std::string_view> names = symbol_names(condition.args[0]);
  return condition.args[0].head == "Symbol" && names.size() == 1 && !numbers_.contains(symbol(names[0]));
}

bool DataSymbols::is_decided(std::string_view text) {
  const std::optional<SympyNode> node = parse_sympy(text);
  bool is_of_data = false;
  if (node && is_assumed(*node)) return false;
  for (std::string_view name : node ? symbol_names(*node) : std::vector<std::string_view>()) {
    const Scalar s = substitute(builder_.size_of(std::string(name)), meanings_);
    if (is_unknown(s)) return false;
    is_of_data = is_of_data || depends_on_data(s);
  }
  return is_of_data;
}

void DataSymbols::require(std::string_view text, const Span& span) { require(known_sympy(text, span), span); }

Expr DataSymbols::once(const Expr& operand, const std::function<Expr()>& make) {
  auto it = made_.find(operand);
  if (it == made_.end()) it = made_.emplace(operand, make()).first;
  return it->second;
}

void DataSymbols::require(const SympyNode& node, const Span& span) {
  if (node.head == "And") {
    for (const SympyNode& part : node.args) require(part, span);
    return;
  }
  const std::string_view op = comparison(node.head);
  if (!op.empty() && node.args.size() == 2 && std::ranges::all_of(node.args, is_of_integers)) {
    Guard guard{op, parse_scalar(node.args[0].text, builder_, span), parse_scalar(node.args[1].text, builder_, span)};
    if (is_size(guard.left) && is_size(guard.right)) {
      guard.left = size(guard.left, span);
      guard.right = size(guard.right, span);
      torch::require(guard, span, builder_);
      return assume(guard);
    }
  }
  read_size(builder_, number(node.text, span), int_imm(1), span);
}

/// Takes it from here on that a symbol keeps a bound that is checked; not where the check may not be run.
void DataSymbols::assume(const Guard& checked) {
  const std::vector<Ref<SymVar>>& sizes = builder_.sizes_of_data();
  const Ref<SymVar> symbol = find_ref<SymVar>(checked.left);
  const int64_t* bound = find_int(checked.right);
  const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(first_own_size_);
  if (!symbol || !bound || *bound < 1 || *bound > kLargestSize || std::find(first, sizes.end(), symbol) == sizes.end())
    return;
  if (checked.op == "<=") builder_.assume(symbol, {0, *bound});
  if (checked.op == "<") builder_.assume(symbol, {0, *bound - 1});
  if (checked.op == ">=") builder_.assume(symbol, {*bound, Interval::kMax});
  if (checked.op == ">") builder_.assume(symbol, {*bound + 1, Interval::kMax});
}

DataSymbols::Around DataSymbols::begin_body() {
  Around around{meanings_, numbers_, made_, first_own_size_};
  first_own_size_ = builder_.sizes_of_data().size();
  return around;
}

void DataSymbols::end_body(Around around) {
  const std::vector<Ref<SymVar>>& sizes = builder_.sizes_of_data();
  for (size_t i = first_own_size_; i < sizes.size(); ++i) {
    const Ref<SymVar>& s = sizes[i];
    Ref<SymVar> written = s;
    for (const auto& [from, to] : around.meanings)
      if (find_ref<SymVar>(to) == s) written = from;
    const Ref<SymVar> next = new_size(builder_, s->name);
    around.meanings.insert_or_assign(written, next);
    if (auto number = around.numbers.find(s); number != around.numbers.end())
      around.numbers.insert_or_assign(next, Number(number->second));
  }
  meanings_ = std::move(around.meanings);
  numbers_ = std::move(around.numbers);
  made_ = std::move(around.made);
  first_own_size_ = around.first_own_size;
}

}  // namespace sunmao::torch
