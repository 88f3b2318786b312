// ScalarReader for calls: of intrinsics, of methods, of functions of the module.
#include "script/intrinsics.h"
#include "script/scalar_reader.h"
#include "script/spelling.h"
#include "support/diagnostic.h"

namespace sunmao::script {

void ScalarReader::check_arity(const PyExpr& call, const std::string& name, size_t least, size_t most) const {
  size_t count = call.arg_count();
  if (count >= least && count <= most) return;
  std::string expected = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  error("E0108", call, fmt::format("`{}` takes {} argument{}, got {}", name, expected, most == 1 ? "" : "s", count));
}

Scalar ScalarReader::call(const PyExpr& e) {
  const PyExpr& callee = *e.items[0];
  auto [dialect, name] = dialect_name(callee);
  if (dialect == 'T' && name == "call_tir" && calls_functions() && e.arg_count() > 0)  // older spelling
    if (FunctionDecl* decl = module_function(e.arg(0))) return function_call(e, *decl, 1);
  if (dialect == 'T') return intrinsic(e, name);
  if (dialect == 'R' && name == "prim_value") {
    check_arity(e, "R.prim_value", 1, 1);
    return scalar(e.arg(0));
  }
  if (FunctionDecl* decl = calls_functions() ? module_function(callee) : nullptr) return function_call(e, *decl);
  if (callee.kind == PyKind::Name && !scope_.find(callee.text)) return plain_call(e, callee.text);
  if (callee.kind == PyKind::Attribute) {
    const Ref<Buffer>* b = find_buffer(*callee.items[0]);
    if (Scalar known = b ? buffer_method(*b, e, callee.text) : nullptr) return known;
    if (callee.text == "astype" && !b) {
      check_arity(e, "astype", 1, 1);
      return cast(e, *callee.items[0], dtype(e.arg(0)), false);
    }
  }
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  error("E0110", e, fmt::format("`{}` gives no scalar", unparse(callee)), "scalar functions are called as `T.exp(x)`");
}

// Reads Python's `min`, `max`, `abs` and `len`; the host evaluates other calls.
Scalar ScalarReader::plain_call(const PyExpr& e, const std::string& name) {
  if (name == "min" || name == "max" || name == "abs") return intrinsic(e, name);
  if (name == "len" && e.arg_count() == 1)
    if (std::optional<std::vector<Scalar>> parts = several(e.arg(0)))
      return IntImm::make(defaults_.integer, static_cast<int64_t>(parts->size()), span(e));
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  unknown_name(*e.items[0]);
}

Scalar ScalarReader::intrinsic(const PyExpr& e, const std::string& name) {
  std::string shown = "T." + name;
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
  if (name == "Cast" || name == "cast") return cast_call(e, name);
  if (name == "Shuffle") return shuffle(e);
  if (name == "IntImm" || name == "FloatImm" || name == "StringImm") return immediate_node(e, name);
  if (name == "min_value" || name == "max_value" || name == "infinity") return extreme(e, name);
  if (name == "Ramp" || name == "ramp" || name == "Broadcast" || name == "broadcast") return vector(e, name);
  if (name == "Let") return let(e);
  if (std::optional<DType> to = DType::parse(name); to && !to->is_void() && name != "handle") return conversion(e, *to);
  if (is_statement_name(name))
    error("E0110", e, fmt::format("`{}` is no scalar", shown), "it stands as a statement of its own");
  if (!is_intrinsic(name))
    error("E0107", *e.items[0], fmt::format("`{}` is no intrinsic", shown), nearest_intrinsic(name));
  return intrinsic_call(e, name);
}

// Reads `T.Cast("float32", x)` and `T.cast(x, "float32")`, also with keywords.
Scalar ScalarReader::cast_call(const PyExpr& e, const std::string& name) {
  bool written = name == "Cast";
  std::vector<std::string> names =
      written ? std::vector<std::string>{"dtype", "value"} : std::vector<std::string>{"value", "dtype"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, e, "T." + name, names);
  if (!given[0] || !given[1]) error("E0108", e, fmt::format("`T.{}` takes a value and a dtype", name));
  return cast(e, *given[written ? 1 : 0], dtype(*given[written ? 0 : 1]), written);
}

// Returns the first element of a buffer, which `T.address_of(A)` takes the address of.
Scalar ScalarReader::first_element(const Ref<Buffer>& b, const PyExpr& at) const {
  std::vector<Scalar> zeros;
  for (const Scalar& extent : b->shape) zeros.push_back(IntImm::make(extent->dtype, 0));
  return BufferLoad::make(b, std::move(zeros), span(at));
}

Scalar ScalarReader::intrinsic_call(const PyExpr& e, const std::string& name) {
  std::optional<DType> type;
  size_t first = 0, last = e.arg_count();
  if (const PyExpr* said = e.find_keyword("dtype")) type = dtype(*said);
  if (!type && takes_dtype_first(name) && last > 0) type = dtype(e.arg(first++));
  bool has_last = !type && takes_dtype_last(name) && last > 0 && e.arg(last - 1).kind == PyKind::String;
  if (has_last) type = dtype(e.arg(--last));
  std::vector<Scalar> args;
  std::vector<bool> is_plain;
  for (size_t i = first; i < last; ++i) {
    std::vector<Scalar> parts;
    if (e.arg(i).kind == PyKind::Starred)
      parts = unpacked(e.arg(i));
    else
      parts.push_back(name == "address_of" && find_buffer(e.arg(i)) ? first_element(*find_buffer(e.arg(i)), e)
                                                                    : argument(e.arg(i)));
    for (Scalar& part : parts) {
      args.push_back(std::move(part));
      is_plain.push_back(e.arg(i).kind != PyKind::Starred && number(e.arg(i)).has_value());
    }
  }
  for (const PyKeyword& k : e.keywords) {
    if (k.name == "dtype") continue;
    ctx_.error("E0109", k.place, fmt::format("`T.{}` has no argument named `{}`", name, k.name),
               "arguments of intrinsics are told by position");
  }
  if (adapts_numbers(name)) {
    for (size_t i = name == "if_then_else" ? 1 : 0; i < args.size(); ++i)
      for (size_t k = name == "if_then_else" ? 1 : 0; k < args.size(); ++k)
        if (i != k && is_plain[i] && !is_plain[k]) unify(args[i], args[k]);
  }
  DType result = type ? *type : default_dtype(name, args);
  if (name == "reinterpret" && args.size() == 1 && args[0]->dtype == result) return args[0];
  return ScalarCall::make(name, result, std::move(args), span(e));
}

}  // namespace sunmao::script
