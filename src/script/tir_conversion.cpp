// ScalarReader for conversions, typed literals, vectors and lets.
#include <limits>

#include "script/scalar_reader.h"
#include "script/spelling.h"
#include "support/diagnostic.h"
#include "sym/lanes.h"

namespace sunmao::script {
namespace {
constexpr int64_t kMaxLanes = 1024;
}

// Reads `T.float32(1)`, `T.int64(i)`, `T.float32("nan")`.
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
  if (to.lanes == 1 && value.kind == PyKind::Number && !is_float_text(value.text) && to.is_integral()) {
    const uint64_t written = *read_integer(value.text);
    if (written > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) && to != DType::uint(64))
      error("E0110", value, fmt::format("{} does not fit into {}", written, to.str()));
    return integer_of(to, static_cast<int64_t>(written), span(e));
  }
  if (std::optional<PlainNumber> n = number(value); n && to.lanes == 1) {
    bool real = n->kind == PlainNumber::Kind::Float;
    if (to.is_float()) return FloatImm::make(to, real ? n->real : static_cast<double>(n->integer), span(e));
    if (!real) return integer_of(to, n->integer, span(e));
  }
  return cast(e, value, to, true);
}

Scalar ScalarReader::cast(const PyExpr& e, const PyExpr& value, DType to, bool always) {
  Scalar s = scalar(value);
  check_operand(s, value);
  if (to.is_void()) error("E0110", e, "a cast needs a type");
  if (!to.is_vector()) to = to.with_lanes(s->dtype.all_lanes());
  if (to.lanes != s->dtype.lanes || to.is_scalable != s->dtype.is_scalable)
    error("E0110", e, fmt::format("a cast keeps the lanes: {} to {}", s->dtype.str(), to.str()),
          "use `T.Broadcast` to make a vector");
  if (!always && s->dtype == to) return s;
  return Cast::make(to, std::move(s), span(e));
}

// Reads `T.Let(body, where={x: value})` and the older `T.Let(x, value, body)`.
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

// Reads a number of lanes: `4`, `T.vscale() * 4`.
Lanes ScalarReader::vector_length(const PyExpr& e) {
  const Scalar length = scalar(e);
  const std::optional<Lanes> lanes = find_lanes(length);
  if (!lanes) error("E0110", e, fmt::format("the number of lanes must be an integer, got `{}`", unparse(e)));
  if ((lanes->count < 2 && !lanes->is_scalable) || lanes->count > kMaxLanes)
    error("E0110", e, fmt::format("a vector has 2 to {} lanes, got {}", kMaxLanes, lanes->count));
  return *lanes;
}

Scalar ScalarReader::vector(const PyExpr& e, const std::string& name) {
  bool is_ramp = name == "Ramp" || name == "ramp";
  check_arity(e, "T." + name, is_ramp ? 3 : 2, is_ramp ? 3 : 2);
  const Lanes lanes = vector_length(e.arg(is_ramp ? 2 : 1));
  Scalar base = scalar(e.arg(0));
  check_operand(base, e);
  if (base->dtype.is_vector()) error("E0110", e.arg(0), fmt::format("`{}` is a vector already", unparse(e.arg(0))));
  if (!is_ramp) return Broadcast::make(std::move(base), lanes, span(e));
  Scalar stride = scalar(e.arg(1));
  unify(base, stride);
  if (find<IntImm>(base) && find<IntImm>(stride) && base->dtype != stride->dtype)
    stride = integer_of(base->dtype, *find_int(stride), span(e.arg(1)));
  if (base->dtype != stride->dtype || !base->dtype.is_integral())
    error(
        "E0110", e,
        fmt::format("base and stride are integers of one type, got {} and {}", base->dtype.str(), stride->dtype.str()));
  return Ramp::make(std::move(base), std::move(stride), lanes, span(e));
}

// Reads `T.Shuffle([vectors], [lanes])`: selects lanes by number from the concatenated vectors. The first argument of
// the call node is the number of vectors.
Scalar ScalarReader::shuffle(const PyExpr& e) {
  check_arity(e, "T.Shuffle", 2, 2);
  std::vector<Scalar> vectors = scalars(e.arg(0)), picked = scalars(e.arg(1));
  if (vectors.empty() || picked.empty() || picked.size() > static_cast<size_t>(kMaxLanes))
    error("E0110", e, "`T.Shuffle` takes vectors and the numbers of lanes", "write `T.Shuffle([x], [0, 1])`");
  check_operand(vectors[0], e);
  DType type = vectors[0]->dtype.with_lanes(static_cast<int>(picked.size()));
  vectors.insert(vectors.begin(), IntImm::make(DType::int_(32), static_cast<int64_t>(vectors.size())));
  vectors.insert(vectors.end(), picked.begin(), picked.end());
  return ScalarCall::make("Shuffle", type, std::move(vectors), span(e));
}

// Reads `T.min_value("float32")` and `T.max_value("float32")`, the finite extremes of a type, and
// `T.infinity("float32")`.
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

// Reads typed literals such as `T.IntImm("uint8", 3)`, for values without a shorter spelling.
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
  if (is_int) return integer_of(type, n->integer, span(e));
  return FloatImm::make(type, n->kind == PlainNumber::Kind::Float ? n->real : static_cast<double>(n->integer), span(e));
}

}  // namespace sunmao::script
