// Bindings of scalars: accessors, constructors, and the Analyzer.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "loop/buffer.h"
#include "script/intrinsics.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"
#include "sym/equal.h"
#include "sym/fold.h"
#include "sym/index_map.h"
#include "sym/lanes.h"
#include "sym/walk.h"

namespace sunmao::python {
namespace {

constexpr std::array kBinaryOps{
    BinaryOp::Add,      BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::TruncMod, BinaryOp::FloorDiv,
    BinaryOp::FloorMod, BinaryOp::Min, BinaryOp::Max, BinaryOp::Eq,  BinaryOp::Ne,       BinaryOp::Lt,
    BinaryOp::Le,       BinaryOp::Gt,  BinaryOp::Ge,  BinaryOp::And, BinaryOp::Or};

BinaryOp binary_op(const std::string& name) {
  for (BinaryOp op : kBinaryOps)
    if (name == name_of(op)) return op;
  fail("E0034", {}, fmt::format("no binary operation of scalars is called {}", name));
}

// Parses a dtype of one lane that must be a float type if `is_float`, else any other.
DType single(const std::string& name, bool is_float) {
  const DType found = dtype(name);
  if (found.is_vector() || found.is_void() || found.is_float() != is_float)
    fail("E0034", {}, fmt::format("`{}` is no dtype of one number of that kind", name), "broadcast or cast the number");
  return found;
}

int64_t int64(const nb::int_& value) {
  int64_t out = 0;
  if (!nb::try_cast(value, out))
    fail("E0034", {},
         fmt::format("{} does not fit into 64 bits with a sign, which integers have", nb::str(value).c_str()),
         "write it as a sum or a product of smaller ones");
  return out;
}

Scalar int_imm_of(const std::string& type, const nb::int_& value) {
  const DType found = single(type, false);
  const int64_t number = int64(value);
  if (!literal_fits(number, found)) fail("E0034", {}, fmt::format("{} does not fit into {}", number, found.str()));
  return IntImm::make(found, number);
}

Lanes lanes(const Scalar& length) {
  std::optional<Lanes> found = find_lanes(length);
  if (!found || (found->count < 2 && !found->is_scalable))
    fail("E0034", {}, "a vector has 2 lanes or more, or a multiple of vscale");
  return *found;
}

// Returns the scalar with another span. A symbol has identity, so it is returned unchanged.
Scalar placed(const Scalar& s, const Span& span) {
  if (const auto* load = find<BufferLoad>(s))
    return BufferLoad::make_masked(load->buffer, load->indices, load->predicate, span);
  switch (s->kind) {
    case ScalarKind::IntImm: return IntImm::make(s->dtype, find<IntImm>(s)->value, span);
    case ScalarKind::FloatImm: return FloatImm::make(s->dtype, find<FloatImm>(s)->value, span);
    case ScalarKind::StringImm: return StringImm::make(find<StringImm>(s)->value, span);
    case ScalarKind::Binary: return Binary::make(find<Binary>(s)->op, find<Binary>(s)->a, find<Binary>(s)->b, span);
    case ScalarKind::Not: return Not::make(find<Not>(s)->a, span);
    case ScalarKind::Cast: return Cast::make(s->dtype, find<Cast>(s)->value, span);
    case ScalarKind::Select:
      return Select::make(find<Select>(s)->condition, find<Select>(s)->then_value, find<Select>(s)->else_value, span);
    case ScalarKind::Ramp: return Ramp::make(find<Ramp>(s)->base, find<Ramp>(s)->stride, s->dtype.all_lanes(), span);
    case ScalarKind::Broadcast: return Broadcast::make(find<Broadcast>(s)->value, s->dtype.all_lanes(), span);
    case ScalarKind::Let: return Let::make(find<Let>(s)->var, find<Let>(s)->value, find<Let>(s)->body, span);
    case ScalarKind::ScalarCall:
      return ScalarCall::make(find<ScalarCall>(s)->name, s->dtype, find<ScalarCall>(s)->args, span);
    case ScalarKind::SymVar:
    case ScalarKind::Extern: return s;
  }
  return s;
}

void bind_nodes(nb::module_& m) {
  nb::class_<SpanNode>(m, "Span", "A place in a text.")
      .def_prop_ro("name", [](const SpanNode& s) { return s.source ? s.source->name : std::string(); })
      .def_ro("line", &SpanNode::line)
      .def_ro("column", &SpanNode::column)
      .def_ro("end_column", &SpanNode::end_column);
  nb::class_<ScalarNode>(m, "Scalar", "An expression over numbers and symbols.")
      .def_prop_ro("dtype", [](const ScalarNode& s) { return s.dtype.str(); })
      .def_prop_ro(
          "span", [](const ScalarNode& s) { return s.span; }, nb::sig("def span(self) -> Span | None"))
      .def("__repr__", [](const Scalar& s) { return print(s); });
  nb::class_<SymVar, ScalarNode>(m, "SymVar", "A symbol, such as a dimension that is known at run time.")
      .def_ro("name", &SymVar::name)
      .def_prop_ro(
          "pointee", [](const SymVar& v) { return std::pair(v.pointee.element.str(), v.pointee.scope); },
          "Of a handle: the dtype that it points to (empty: any), and the memory.");
  nb::class_<IntImm, ScalarNode>(m, "IntImm", "An integer.")
      .def_prop_ro(
          "value",
          [](const IntImm& i) -> nb::object {
            if (i.dtype.is_bool()) return nb::bool_(i.value != 0);
            return nb::int_(i.value);
          },
          nb::sig("def value(self) -> int"));
  nb::class_<FloatImm, ScalarNode>(m, "FloatImm", "A floating-point number.").def_ro("value", &FloatImm::value);
  nb::class_<StringImm, ScalarNode>(m, "StringImm", "A text.").def_ro("value", &StringImm::value);
  nb::class_<Binary, ScalarNode>(m, "Binary", "An operation on two scalars.")
      .def_prop_ro("op", [](const Binary& b) { return name_of(b.op); })
      .def_ro("a", &Binary::a)
      .def_ro("b", &Binary::b);
  nb::class_<Not, ScalarNode>(m, "Not", "The negation of a condition.").def_ro("a", &Not::a);
  nb::class_<Cast, ScalarNode>(m, "Cast", "A scalar as another dtype.").def_ro("value", &Cast::value);
  nb::class_<Select, ScalarNode>(m, "Select", "One of two scalars.")
      .def_ro("condition", &Select::condition)
      .def_ro("true_value", &Select::then_value)
      .def_ro("false_value", &Select::else_value);
  nb::class_<Ramp, ScalarNode>(m, "Ramp", "base, base + stride, …")
      .def_ro("base", &Ramp::base)
      .def_ro("stride", &Ramp::stride)
      .def_prop_ro("lanes", [](const Ramp& r) { return length_of(r.dtype.all_lanes()); });
  nb::class_<Broadcast, ScalarNode>(m, "Broadcast", "One scalar in every lane.")
      .def_ro("value", &Broadcast::value)
      .def_prop_ro("lanes", [](const Broadcast& b) { return length_of(b.dtype.all_lanes()); });
  nb::class_<Let, ScalarNode>(m, "Let", "A scalar with a name inside another.")
      .def_prop_ro("var", [](const Let& l) { return l.var; })
      .def_ro("value", &Let::value)
      .def_ro("body", &Let::body);
  nb::class_<ScalarCall, ScalarNode>(m, "ScalarCall", "A call of an intrinsic.")
      .def_ro("name", &ScalarCall::name)
      .def_ro("args", &ScalarCall::args);
  nb::class_<IndexMap>(m, "IndexMap", "A map of indices, for layouts.")
      .def_ro("inputs", &IndexMap::inputs)
      .def_ro("outputs", &IndexMap::outputs)
      .def("apply", [](const IndexMap& map, const std::vector<Scalar>& at) { return map.apply(at); }, nb::arg("at"));
}

void make_scalars(nb::module_& m) {
  m.def(
      "span",
      [](const std::string& name, int line, int column, int end_column) {
        return SpanNode::make(Source::make(name, ""), line, column, end_column);
      },
      nb::arg("name"), nb::arg("line"), nb::arg("column"), nb::arg("end_column"));
  m.def("placed", &placed, nb::arg("scalar"), nb::arg("span"), "The scalar at that place; a symbol stays the same.");
  m.def("int_imm", &int_imm_of, nb::arg("dtype"), nb::arg("value"));
  m.def(
      "float_imm", [](const std::string& t, double v) { return FloatImm::make(single(t, true), v); }, nb::arg("dtype"),
      nb::arg("value"));
  m.def("string_imm", [](const std::string& v) { return StringImm::make(v); }, nb::arg("value"));
  m.def(
      "sym_var",
      [](const std::string& n, const std::string& t, const std::optional<Span>& span) {
        return SymVar::make(n, dtype(t), span.value_or(Span()));
      },
      nb::arg("name"), nb::arg("dtype"), nb::arg("span") = nb::none());
  m.def(
      "binary",
      [](const std::string& op, const Scalar& a, const Scalar& b) { return Binary::make(binary_op(op), a, b); },
      nb::arg("op"), nb::arg("a"), nb::arg("b"));
  m.def("not_", [](const Scalar& a) { return Not::make(a); }, nb::arg("a"));
  m.def(
      "cast",
      [](const std::string& t, const Scalar& v) {
        const DType to = dtype(t);
        if (to.lanes != v->dtype.lanes || to.is_scalable != v->dtype.is_scalable)
          fail("E0034", {}, fmt::format("a cast keeps the number of lanes: {} is cast to {}", v->dtype.str(), to.str()),
               "broadcast the value first");
        return Cast::make(to, v);
      },
      nb::arg("dtype"), nb::arg("value"));
  m.def(
      "select", [](const Scalar& c, const Scalar& t, const Scalar& e) { return Select::make(c, t, e); },
      nb::arg("condition"), nb::arg("true_value"), nb::arg("false_value"));
  m.def(
      "handle",
      [](const std::string& name, const std::string& element, const std::string& scope,
         const std::optional<Span>& span) {
        return SymVar::make_handle(name, {element.empty() ? DType() : dtype(element), scope}, span.value_or(Span()));
      },
      nb::arg("name"), nb::arg("element"), nb::arg("scope"), nb::arg("span") = nb::none());
  m.def(
      "ramp", [](const Scalar& b, const Scalar& s, const Scalar& n) { return Ramp::make(b, s, lanes(n)); },
      nb::arg("base"), nb::arg("stride"), nb::arg("lanes"));
  m.def(
      "broadcast", [](const Scalar& v, const Scalar& n) { return Broadcast::make(v, lanes(n)); }, nb::arg("value"),
      nb::arg("lanes"));
  m.def(
      "let", [](const Ref<SymVar>& var, const Scalar& v, const Scalar& body) { return Let::make(var, v, body); },
      nb::arg("var"), nb::arg("value"), nb::arg("body"));
  m.def(
      "scalar_call",
      [](const std::string& name, const std::string& t, const std::vector<Scalar>& args) {
        return ScalarCall::make(name, dtype(t), args);
      },
      nb::arg("name"), nb::arg("dtype"), nb::arg("args"));
  m.def(
      "intrinsic",
      [](const std::string& name, const std::vector<Scalar>& args) {
        return ScalarCall::make(name, script::default_dtype(name, args), args);
      },
      nb::arg("name"), nb::arg("args"), "A call of the dtype that scripts give it.");
  m.def(
      "index_map",
      [](const std::vector<Ref<SymVar>>& in, const std::vector<Scalar>& out) { return IndexMap::make(in, out); },
      nb::arg("inputs"), nb::arg("outputs"));
}

void bind_analyzer(nb::module_& m) {
  m.def(
      "fold",
      [](const std::string& op, const Scalar& a, const Scalar& b) {
        return fold_constants(Binary::make(binary_op(op), a, b));
      },
      nb::arg("op"), nb::arg("a"), nb::arg("b"), nb::sig("def fold(op: str, a: Scalar, b: Scalar) -> Scalar | None"),
      "The result on known numbers, else None.");
  nb::class_<Analyzer>(m, "Analyzer", "Canonical forms, ranges and proofs of scalars.")
      .def(nb::init<>())
      .def(
          "assume", [](Analyzer& a, const Ref<SymVar>& var, int64_t lo, int64_t hi) { a.assume(var, {lo, hi}); },
          nb::arg("var"), nb::arg("lo"), nb::arg("hi"), "Both ends included.")
      .def("simplify", &Analyzer::simplify, nb::arg("scalar"))
      .def("can_prove_equal", &Analyzer::can_prove_equal, nb::arg("a"), nb::arg("b"))
      .def("can_prove", &Analyzer::can_prove, nb::arg("condition"))
      .def(
          "range",
          [](Analyzer& a, const Scalar& s) {
            Interval i = a.range(s);
            return std::pair(i.lo, i.hi);
          },
          nb::arg("scalar"), "The least and the largest value; the ends of int64 stand for no bound.");
}

}  // namespace

void bind_scalars(nb::module_& m) {
  m.def(
      "is_intrinsic", [](const std::string& name) { return script::is_intrinsic(name); }, nb::arg("name"),
      "Whether scripts know `T.<name>(…)`.");
  m.def("takes_dtype_first", [](const std::string& name) { return script::takes_dtype_first(name); }, nb::arg("name"));
  bind_nodes(m);
  nb::module_ make = m.attr("make");
  make_scalars(make);
  bind_analyzer(m);
}

}  // namespace sunmao::python
