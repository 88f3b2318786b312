#include "eval/builtins/builtin.h"

#include <unordered_map>

#include "eval/element.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using Table = std::unordered_map<std::string_view, Value (*)(const BuiltinCall&)>;

const Table& builtins() {
  static const Table table = [] {
    Table out;
    for (const auto& family : {tuple_builtins(), tensor_builtins(), shape_builtins(), check_builtins(),
                               sampling_builtins(), attention_cache_builtins()})
      for (const Builtin& b : family) out.emplace(b.name, b.run);
    return out;
  }();
  return table;
}

}  // namespace

void BuiltinCall::wrong(size_t i, const char* expected) const {
  fail("E0505", span,
       fmt::format("`{}`: argument {} must be {}, got {}", name, i, expected,
                   i < args.size() ? describe(args[i]) : "no argument"));
}

void BuiltinCall::fail_with(const std::string& message) const {
  fail("E0506", span, fmt::format("`{}`: {}", name, message));
}

const Array& BuiltinCall::array(size_t i) const {
  const Array* a = i < args.size() ? args[i].array() : nullptr;
  return a ? *a : (wrong(i, "a tensor"), *a);
}

const ShapeValue& BuiltinCall::shape(size_t i) const {
  const ShapeValue* s = i < args.size() ? args[i].shape() : nullptr;
  return s ? *s : (wrong(i, "a shape"), *s);
}

int64_t BuiltinCall::integer(size_t i) const {
  const auto* number = i < args.size() ? std::get_if<int64_t>(&args[i].v) : nullptr;
  return number ? *number : (wrong(i, "an integer"), 0);
}

double BuiltinCall::number(size_t i) const {
  if (i >= args.size()) wrong(i, "a number");
  if (const auto* real = std::get_if<double>(&args[i].v)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&args[i].v)) return static_cast<double>(*whole);
  const Array* a = args[i].array();
  if (!a || a->count() != 1) wrong(i, "a number");
  const Number n = load_element(*a, 0);
  return a->dtype().is_float() ? n.f : static_cast<double>(n.i);
}

const std::string& BuiltinCall::text(size_t i) const {
  const auto* text = i < args.size() ? std::get_if<std::string>(&args[i].v) : nullptr;
  return text ? *text : (wrong(i, "a text"), *text);
}

DType BuiltinCall::dtype(size_t i) const {
  const std::optional<DType> known = DType::parse(text(i));
  if (!known) wrong(i, "the name of a dtype");
  return *known;
}

std::shared_ptr<ValueTuple> BuiltinCall::tuple(size_t i) const {
  std::shared_ptr<ValueTuple> fields = i < args.size() ? args[i].shared_tuple() : nullptr;
  if (!fields) wrong(i, "a tuple");
  return fields;
}

std::string BuiltinCall::context(size_t i) const {
  const auto* text = i < args.size() ? std::get_if<std::string>(&args[i].v) : nullptr;
  return text && !text->empty() ? *text + " " : "";
}

std::byte* BuiltinCall::writable(size_t i) const {
  std::byte* bytes = memory.writable(array(i));
  if (!bytes && array(i).size_bytes() != 0)
    fail_with(fmt::format("argument {} is filled, and its memory may not be written", i));
  return bytes;
}

std::optional<Value> call_builtin(const std::string& name, const ValueTuple& args, const BuiltinPlace& place) {
  auto builtin = builtins().find(name);
  if (builtin == builtins().end()) return std::nullopt;
  return builtin->second({name, args, place.result, place.span, place.memory});
}

bool is_builtin(const std::string& name) { return builtins().contains(name); }

}  // namespace sunmao
