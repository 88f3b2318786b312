// Bindings of the reference evaluator, and of op samples that tests compare with other libraries.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/host_tensor.h"
#include "bindings/interruptible.h"
#include "bindings/node_caster.h"
#include "eval/evaluator.h"
#include "ir/builder.h"
#include "ops/ops.h"
#include "ops/samples/samples.h"
#include "support/diagnostic.h"
#include "support/place.h"

namespace sunmao::python {
namespace {

// Converts tensors, numbers, texts, lists of integers (shapes), tuples and what only programs use to evaluator values.
Value argument_value(nb::handle h) {
  if (nb::isinstance<Value>(h)) return nb::cast<const Value&>(h);
  if (nb::isinstance<HostTensor>(h)) return nb::cast<const HostTensor&>(h).array();
  if (nb::isinstance<nb::tuple>(h)) {
    ValueTuple fields;
    for (nb::handle field : nb::cast<nb::tuple>(h)) fields.push_back(argument_value(field));
    return fields;
  }
  if (nb::isinstance<nb::list>(h)) return nb::cast<std::vector<int64_t>>(h);
  if (nb::isinstance<nb::float_>(h)) return nb::cast<double>(h);
  if (nb::isinstance<nb::str>(h)) return nb::cast<std::string>(h);
  return nb::cast<int64_t>(h);
}

nb::object from_value(const Value& v) {
  if (const Array* array = v.array()) return nb::cast(HostTensor::of(*array));
  if (const ShapeValue* shape = v.shape()) return nb::cast(*shape);
  if (const ValueTuple* tuple = v.tuple()) {
    nb::list fields;
    for (const Value& field : *tuple) fields.append(from_value(field));
    return nb::tuple(fields);
  }
  if (const auto* i = std::get_if<int64_t>(&v.v)) return nb::cast(*i);
  if (const auto* d = std::get_if<double>(&v.v)) return nb::cast(*d);
  if (const auto* s = std::get_if<std::string>(&v.v)) return nb::cast(*s);
  return v.object() ? nb::cast(v) : nb::none();
}

nb::object evaluate(const Module& module, const std::string& function, const nb::list& args) {
  std::vector<Value> values;
  for (nb::handle arg : args) values.push_back(argument_value(arg));
  return from_value(interruptible<Value>([module, function, values = std::move(values)](const IsCancelled& stop) {
    return Evaluator(module, {.is_cancelled = stop}).call(function, values);
  }));
}

nb::tuple evaluate_poisoned(const Module& module, const std::string& function, const nb::list& args,
                            std::vector<size_t> poisoned) {
  PoisonWatch watch{.poisoned = std::move(poisoned)};
  std::vector<Value> values;
  for (nb::handle arg : args) values.push_back(argument_value(arg));
  nb::object result = from_value(Evaluator(module, {.poison = &watch}).call(function, values));
  return nb::make_tuple(result, watch.clean, watch.constant);
}

// Mixes an FNV-1a hash of the op's name into the seed, so that ops draw different samples.
uint64_t seed_of(const std::string& name, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash + seed;
}

// Returns a sampled call, a module whose `main` computes it, and the values of its parameters.
nb::tuple sample_op(const std::string& name, uint64_t seed, std::optional<DType> dtype, bool every_kind) {
  const SampleFn draw = sample_of(name);
  if (!draw) fail("E0204", {}, fmt::format("the op `{}` has no samples", name));
  Sampler sampler(seed_of(name, seed), {.dtype = dtype.value_or(DType()), .every_kind = every_kind});
  OpSample sample = draw(sampler);
  const Expr call = Call::make(builtin_ops().get(name), std::move(sample.args), Attrs(std::move(sample.attrs)));
  sampler.define_symbols();
  std::vector<Ref<Var>> params;
  nb::list values;
  for (const Sampler::Input& input : sampler.inputs()) {
    params.push_back(input.var);
    values.append(nb::cast(HostTensor::of(sampler.values(input))));
  }
  BlockBuilder b;
  const Expr result = b.emit_output(call);
  Module module = Module().with_function(
      "main", b.finish_function(std::move(params), result, Attrs(AttrMap{{"global_symbol", "main"}})));
  return nb::make_tuple(nb::cast(call), nb::cast(module), values);
}

}  // namespace

void bind_evaluate(nb::module_& m) {
  m.def("evaluate", &evaluate, nb::arg("module"), nb::arg("function"), nb::arg("args"),
        nb::sig("def evaluate(module: Module, function: str, args: list[typing.Any]) -> typing.Any"),
        "What a function of the module gives, by the reference evaluator.");
  nb::class_<Work>(m, "Work", "A call that a run has made.")
      .def_ro("function", &Work::function, "The function that makes it.")
      .def_ro("binding", &Work::binding, "The variable that holds the result; empty where the function returns it.")
      .def_ro("callee", &Work::callee, "The op, the kernel or the function of the host.")
      .def_prop_ro("place", [](const Work& w) { return place_of(w.span); })
      .def("__repr__", [](const Work& w) { return fmt::format("{}: {} = {}", w.function, w.binding, w.callee); });
  m.def("evaluate_poisoned", &evaluate_poisoned, nb::arg("module"), nb::arg("function"), nb::arg("args"),
        nb::arg("poisoned"),
        nb::sig("def evaluate_poisoned(module: Module, function: str, args: list[typing.Any], "
                "poisoned: collections.abc.Sequence[int]) -> tuple[typing.Any, list[Work], list[Work]]"),
        "What a function gives, the calls that saw none of the arguments `poisoned`, and those that saw no argument.");
  m.def("sampled_ops", &sampled_ops, "The ops that have samples.");
  m.def("sample_op", &sample_op, nb::arg("name"), nb::arg("seed"), nb::arg("dtype") = nb::none(),
        nb::arg("every_kind") = false,
        nb::sig("def sample_op(name: str, seed: int, dtype: DType | None = None, every_kind: bool = False) "
                "-> tuple[Call, Module, list[Tensor]]"),
        "A call of an op drawn by a seed, a module whose `main` computes it, and the values of its parameters. `dtype` "
        "is that of the tensors whose dtype the sample leaves open, with `every_kind` even where it asks for a float, "
        "an integer or a bool.");
}

}  // namespace sunmao::python
