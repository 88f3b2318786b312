// Scalars: calls of intrinsics and conversions, buffer indices and regions.
#include <limits>

#include "script/intrinsics.h"
#include "script/scalar_reader.h"
#include "script/spelling.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"
#include "sym/equal.h"
#include "sym/fold.h"

namespace sunmao::script {
namespace {
constexpr int64_t kMaxLanes = 1024;
}

void ScalarReader::check_arity(const PyExpr& call, const std::string& name, size_t least, size_t most) const {
  size_t count = call.arg_count();
  if (count >= least && count <= most) return;
  std::string expected = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  error("E0108", call, fmt::format("`{}` takes {} argument{}, got {}", name, expected, most == 1 ? "" : "s", count));
}

Scalar ScalarReader::call(const PyExpr& e) {
  const PyExpr& callee = *e.items[0];
  auto [dialect, name] = dialect_name(callee);
  if (dialect == 'T') return intrinsic(e, name);
  if (dialect == 'R' && name == "prim_value") {
    check_arity(e, "R.prim_value", 1, 1);
    return scalar(e.arg(0));
  }
  if (callee.kind == PyKind::Name && !scope_.find(callee.text)) return plain_call(e, callee.text);
  if (callee.kind == PyKind::Attribute && callee.text == "astype") {
    check_arity(e, "astype", 1, 1);
    return cast(e, *callee.items[0], dtype(e.arg(0)), false);
  }
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  error("E0110", e, fmt::format("`{}` gives no scalar", unparse(callee)), "scalar functions are called as `T.exp(x)`");
}

// `min`, `max`, `abs` of Python; anything else is the host's.
Scalar ScalarReader::plain_call(const PyExpr& e, const std::string& name) {
  if (name == "min" || name == "max" || name == "abs") return intrinsic(e, name);
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  unknown_name(*e.items[0]);
}

Scalar ScalarReader::intrinsic(const PyExpr& e, const std::string& name) {
  std::string shown = "T." + name;
  for (const PyExprPtr& item : e.items)
    if (item->kind == PyKind::Starred) error("E0105", *item, "arguments of intrinsics are written out, not unpacked");
  if (std::optional<BinaryOp> op = find_operator(name)) {
    check_arity(e, shown, 2, 2);
    return binary(*op, e.arg(0), e.arg(1), e);
  }
  if (name == "Not" || name == "logical_not") {
    check_arity(e, shown, 1, 1);
    return Not::make(scalar(e.arg(0)), span(e));
  }
  if (name == "Select") {
    check_arity(e, shown, 3, 3);
    Scalar condition = boolean(e.arg(0)), a = scalar(e.arg(1)), b = scalar(e.arg(2));
    unify(a, b);
    return Select::make(std::move(condition), std::move(a), std::move(b), span(e));
  }
  if (name == "Cast" || name == "cast") {
    check_arity(e, shown, 2, 2);
    bool written = name == "Cast";
    return cast(e, e.arg(written ? 1 : 0), dtype(e.arg(written ? 0 : 1)), written);
  }
  if (name == "IntImm" || name == "FloatImm" || name == "StringImm") return immediate_node(e, name);
  if (name == "min_value" || name == "max_value" || name == "infinity") return extreme(e, name);
  if (name == "Ramp" || name == "ramp" || name == "Broadcast" || name == "broadcast") return vector(e, name);
  if (name == "Let") return let(e);
  if (std::optional<DType> to = DType::parse(name); to && !to->is_void() && name != "handle") return conversion(e, *to);
  if (is_statement_name(name))
    error("E0110", e, fmt::format("`{}` is no scalar", shown), "it stands as a statement of its own");
  if (!is_name(name)) error("E0107", *e.items[0], fmt::format("`{}` is no intrinsic", shown));

  std::optional<DType> type;
  size_t first = 0;
  if (takes_dtype_first(name) && e.arg_count() > 0 && !e.find_keyword("dtype")) type = dtype(e.arg(first++));
  std::vector<Scalar> args;
  for (size_t i = first; i < e.arg_count(); ++i) args.push_back(argument(e.arg(i)));
  for (const PyKeyword& k : e.keywords) {
    if (k.name != "dtype") ctx_.error("E0109", k.place, fmt::format("`{}` has no argument named `{}`", shown, k.name));
    type = dtype(*k.value);
  }
  if (adapts_numbers(name)) {
    size_t from = name == "if_then_else" ? 1 : 0;
    for (size_t i = from; i < args.size(); ++i)
      for (size_t k = from; k < args.size(); ++k)
        if (i != k && number(e.arg(first + i)) && !number(e.arg(first + k))) unify(args[i], args[k]);
  }
  DType result = type ? *type : default_dtype(name, args);
  return ScalarCall::make(name, result, std::move(args), span(e));
}

// `T.float32(1)`, `T.int64(i)`, `T.float32("nan")`.
Scalar ScalarReader::conversion(const PyExpr& e, DType to) {
  std::string shown = "T." + to.str();
  if (e.arg_count() == 0 && e.keywords.empty())
    error("E0110", e, fmt::format("`{}()` declares a variable", shown),
          fmt::format("write `n = {}()` on a line of its own", shown));
  check_arity(e, shown, 1, 1);
  const PyExpr& value = e.arg(0);
  if (to.lanes == 1 && value.kind == PyKind::String && to.is_float()) {
    if (std::optional<double> number = read_double(value.text)) return FloatImm::make(to, *number, span(e));
    error("E0110", value, fmt::format("`{}` is no float", value.text), "write \"nan\", \"inf\", \"-inf\" or a number");
  }
  if (to.lanes == 1 && value.kind == PyKind::Number && !is_float_text(value.text) && to.is_integral())
    return IntImm::make(to, static_cast<int64_t>(*read_integer(value.text)), span(e));
  if (std::optional<PlainNumber> n = number(value); n && to.lanes == 1) {
    bool real = n->kind == PlainNumber::Kind::Float;
    if (to.is_float()) return FloatImm::make(to, real ? n->real : static_cast<double>(n->integer), span(e));
    if (!real) return IntImm::make(to, n->integer, span(e));
  }
  return cast(e, value, to, true);
}

Scalar ScalarReader::cast(const PyExpr& e, const PyExpr& value, DType to, bool always) {
  Scalar s = scalar(value);
  check_operand(s, value);
  if (to.is_void()) error("E0110", e, "a cast needs a type");
  if (to.lanes == 1) to = to.with_lanes(s->dtype.lanes);
  if (to.lanes != s->dtype.lanes)
    error("E0110", e, fmt::format("a cast keeps the lanes: {} to {}", s->dtype.str(), to.str()),
          "use `T.Broadcast` to make a vector");
  if (!always && s->dtype == to) return s;
  return Cast::make(to, std::move(s), span(e));
}

// `T.Let(body, where={x: value})`, and the older `T.Let(x, value, body)`.
Scalar ScalarReader::let(const PyExpr& e) {
  const PyExpr* where = e.find_keyword("where");
  const PyExpr *var = nullptr, *value = nullptr, *body = nullptr;
  if (where && where->kind == PyKind::Dict && where->items.size() == 2 && e.arg_count() == 1) {
    var = where->items[0].get();
    value = where->items[1].get();
    body = &e.arg(0);
  } else if (!where && e.arg_count() == 3) {
    var = &e.arg(0);
    value = &e.arg(1);
    body = &e.arg(2);
  }
  if (!var || var->kind != PyKind::Name)
    error("E0108", e, "`T.Let` takes a body and one variable", "write `T.Let(x + 1, where={x: 2})`");
  Scalar bound = scalar(*value);
  Ref<SymVar> symbol = SymVar::make(var->text, bound->dtype, span(*var));
  ScopeLevel level(scope_);
  scope_.set(var->text, Scalar(symbol));
  return Let::make(symbol, std::move(bound), scalar(*body), span(e));
}

Scalar ScalarReader::vector(const PyExpr& e, const std::string& name) {
  bool is_ramp = name == "Ramp" || name == "ramp";
  check_arity(e, "T." + name, is_ramp ? 3 : 2, is_ramp ? 3 : 2);
  const PyExpr& count = e.arg(is_ramp ? 2 : 1);
  int64_t lanes = integer(count, "the number of lanes");
  if (lanes < 2 || lanes > kMaxLanes)
    error("E0110", count, fmt::format("a vector has 2 to {} lanes, got {}", kMaxLanes, lanes));
  Scalar base = scalar(e.arg(0));
  check_operand(base, e);
  if (base->dtype.lanes != 1) error("E0110", e.arg(0), fmt::format("`{}` is a vector already", unparse(e.arg(0))));
  if (!is_ramp) return Broadcast::make(std::move(base), static_cast<int>(lanes), span(e));
  Scalar stride = scalar(e.arg(1));
  unify(base, stride);
  if (find<IntImm>(base) && find<IntImm>(stride) && base->dtype != stride->dtype)
    stride = IntImm::make(base->dtype, *find_int(stride));
  if (base->dtype != stride->dtype || !base->dtype.is_integral())
    error(
        "E0110", e,
        fmt::format("base and stride are integers of one type, got {} and {}", base->dtype.str(), stride->dtype.str()));
  return Ramp::make(std::move(base), std::move(stride), static_cast<int>(lanes), span(e));
}

// `T.min_value("float32")`: the smallest and the largest number of a type.
Scalar ScalarReader::extreme(const PyExpr& e, const std::string& name) {
  check_arity(e, "T." + name, 1, 1);
  DType type = dtype(e.arg(0));
  double largest = type == DType::float_(64)       ? std::numeric_limits<double>::max()
                   : type == DType::float_(32)     ? static_cast<double>(std::numeric_limits<float>::max())
                   : type == DType::float_(16)     ? 65504.0
                   : type.code == TypeCode::BFloat ? 0x1.fep127
                                                   : 0.0;
  bool is_min = name == "min_value";
  if (largest != 0 && type.lanes == 1) {
    if (name == "infinity") largest = std::numeric_limits<double>::infinity();
    return FloatImm::make(type, is_min ? -largest : largest, span(e));
  }
  if ((!type.is_int() && !type.is_uint()) || type.lanes != 1 || name == "infinity")
    error("E0110", e, fmt::format("`{}` has no such value", type.str()));
  int64_t low = type.is_uint() ? 0 : std::numeric_limits<int64_t>::min() >> (64 - type.bits);
  int64_t high = type.is_uint() ? (type.bits == 64 ? -1 : (int64_t{1} << type.bits) - 1) : -(low + 1);
  return IntImm::make(type, is_min ? low : high, span(e));
}

// `T.IntImm("uint8", 3)`: for what has no plainer spelling.
Scalar ScalarReader::immediate_node(const PyExpr& e, const std::string& name) {
  if (name == "StringImm") {
    check_arity(e, "T.StringImm", 1, 1);
    return StringImm::make(text(e.arg(0), "the text"), span(e));
  }
  check_arity(e, "T." + name, 2, 2);
  DType type = dtype(e.arg(0));
  std::optional<PlainNumber> n = number(e.arg(1));
  bool is_int = name == "IntImm";
  bool fits = n && type.lanes == 1 &&
              (is_int ? n->kind != PlainNumber::Kind::Float && (type.is_integral() || type.code == TypeCode::Handle)
                      : type.is_float());
  if (!fits) error("E0110", e, fmt::format("`{}` is no immediate of that type", unparse(e)));
  if (is_int) return IntImm::make(type, n->integer, span(e));
  return FloatImm::make(type, n->kind == PlainNumber::Kind::Float ? n->real : static_cast<double>(n->integer), span(e));
}

Ref<Buffer> ScalarReader::buffer(const PyExpr& e) {
  if (e.kind == PyKind::Name) {
    if (const Ref<Buffer>* b = scope_.find_as<Ref<Buffer>>(e.text)) return *b;
    if (!scope_.find(e.text)) unknown_name(e);
  }
  error("E0110", e, fmt::format("`{}` is no buffer", unparse(e)));
}

Scalar ScalarReader::distance(const Scalar& start, const Scalar& stop, const Place& place) {
  if (const int64_t* zero = find_int(start); zero && *zero == 0) return stop;
  if (const auto* sum = find<Binary>(stop); sum && sum->op == BinaryOp::Add && structural_equal(sum->a, start))
    return sum->b;
  const int64_t *a = find_int(start), *b = find_int(stop);
  if (a && b && start->dtype == stop->dtype) {
    if (std::optional<int64_t> difference = evaluate(BinaryOp::Sub, *b, *a))
      return IntImm::make(stop->dtype, *difference, stop->span);
  }
  Scalar difference = Binary::make(BinaryOp::Sub, stop, start, ctx_.span(place));
  return Analyzer().simplify(difference);
}

std::vector<Scalar> ScalarReader::indices(const PyExpr& index, const Buffer& buffer) {
  std::vector<Scalar> out;
  for (const PyExpr* e : index.kind == PyKind::Tuple ? elements(index) : std::vector<const PyExpr*>{&index}) {
    if (e->kind != PyKind::Slice) {
      if (e->kind == PyKind::Name && scope_.find_as<std::vector<Scalar>>(e->text)) {
        for (const Scalar& s : *scope_.find_as<std::vector<Scalar>>(e->text)) out.push_back(s);
        continue;
      }
      out.push_back(scalar(*e));
    } else {
      Scalar start = e->items[0] ? scalar(*e->items[0]) : IntImm::make(defaults_.integer, 0);
      if (!e->items[1]) error("E0110", *e, "a slice in an index needs an end", "its length is the number of lanes");
      Scalar stop = scalar(*e->items[1]);
      unify(start, stop);
      if (!start->dtype.is_integral() || start->dtype != stop->dtype)
        error("E0110", *e, "start and end of a slice are integers of one type");
      int64_t step = e->items[2] ? integer(*e->items[2], "the step of a slice") : 1;
      const Scalar length = distance(start, stop, e->place);
      const int64_t* count = find_int(length);
      if (!count || step < 1 || *count < 2 * step || *count / step > kMaxLanes)
        error("E0110", *e, fmt::format("a slice in an index has a constant length of 2 to {}", kMaxLanes),
              "use a loop for others");
      int lanes = static_cast<int>((*count + step - 1) / step);
      out.push_back(Ramp::make(start, IntImm::make(start->dtype, step), lanes, span(*e)));
    }
    if (!out.back()->dtype.is_integral())
      error("E0110", *e,
            fmt::format("an index is an integer, `{}` is of type {}", unparse(*e), out.back()->dtype.str()));
  }
  if (out.size() != buffer.shape.size())
    error("E0116", index,
          fmt::format("`{}` has {} dimensions, indexed with {}", buffer.name, buffer.shape.size(), out.size()));
  return out;
}

Range ScalarReader::range(const PyExpr& e, const Buffer& buffer, size_t dim) {
  if (e.kind != PyKind::Slice) {
    Scalar at = scalar(e);
    if (!at->dtype.is_integral() || at->dtype.lanes != 1)
      error("E0110", e, fmt::format("an index is an integer, `{}` is of type {}", unparse(e), at->dtype.str()));
    return {at, IntImm::make(at->dtype, 1)};
  }
  if (e.items[2]) error("E0110", e, "a region has no step");
  Scalar stop = e.items[1] ? scalar(*e.items[1]) : buffer.shape[dim];
  Scalar start = e.items[0] ? scalar(*e.items[0])
                            : IntImm::make(stop->dtype.is_integral() ? stop->dtype.element() : defaults_.integer, 0);
  unify(start, stop);
  if (!start->dtype.is_integral() || start->dtype != stop->dtype || start->dtype.lanes != 1)
    error("E0110", e, "start and end of a region are integers of one type");
  return {start, distance(start, stop, e.place)};
}

BufferRegion ScalarReader::region(const PyExpr& e) {
  BufferRegion out;
  if (e.kind != PyKind::Subscript) {  // the whole buffer
    out.buffer = buffer(e);
    for (const Scalar& extent : out.buffer->shape) out.region.push_back({IntImm::make(extent->dtype, 0), extent});
    return out;
  }
  out.buffer = buffer(*e.items[0]);
  const PyExpr& index = *e.items[1];
  std::vector<const PyExpr*> parts = index.kind == PyKind::Tuple ? elements(index) : std::vector<const PyExpr*>{&index};
  if (parts.size() != out.buffer->shape.size())
    error("E0116", index,
          fmt::format("`{}` has {} dimensions, the region has {}", out.buffer->name, out.buffer->shape.size(),
                      parts.size()));
  for (size_t i = 0; i < parts.size(); ++i) out.region.push_back(range(*parts[i], *out.buffer, i));
  return out;
}

}  // namespace sunmao::script
