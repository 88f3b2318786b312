// Bindings of custom ops: Python functions serve as inference, normalisation and validation of an op.
#include "ops/custom_ops.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "ops/ops.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

// A Python function that may be called and released on any thread.
class Callback {
 public:
  explicit Callback(nb::callable f)
      : held_(new nb::callable(std::move(f)), [](nb::callable* gone) {
          nb::gil_scoped_acquire locked;
          delete gone;
        }) {}

  /// Calls the function; `expected` is the message of the TypeError for a result of another type.
  template <class Result, class Argument>
  Result call(const Argument& argument, const char* expected) const {
    nb::gil_scoped_acquire locked;
    nb::object found = (*held_)(argument);
    Result result;
    if (!nb::try_cast(found, result)) throw nb::type_error(expected);
    return result;
  }

  void run(const Ref<Call>& call) const {
    nb::gil_scoped_acquire locked;
    try {
      (*held_)(call);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;
      std::string text = nb::cast<std::string>(nb::str(error.value()));
      fail("E0416", call->span, fmt::format("a call of `{}` is refused: {}", find<Op>(call->callee)->name(), text));
    }
  }

 private:
  std::shared_ptr<nb::callable> held_;
};

CustomOp custom_op(const std::string& name, std::optional<bool> is_pure, std::optional<bool> allocates,
                   const nb::callable& infer, const nb::object& normalize, const nb::object& validate) {
  CustomOp op{.name = name, .is_pure = is_pure, .allocates = allocates, .infer = {}};
  // The call is made without a type, since its type is what the function infers.
  op.infer = [callback = Callback(infer)](const InferInput& in) {
    std::vector<Expr> args(in.args.begin(), in.args.end());
    std::vector<Type> told(in.type_args.begin(), in.type_args.end());
    auto call = Call::make_typed(Expr(&in.op), std::move(args), in.attrs, std::move(told), nullptr, in.span);
    return callback.call<Type>(call, "the inference of an op gives a type");
  };
  if (!normalize.is_none())
    op.normalize = [callback = Callback(nb::cast<nb::callable>(normalize))](const Call& call) {
      return callback.call<Expr>(Ref<Call>(&call), "the normal form of a call is an expression");
    };
  if (!validate.is_none())
    op.validate = [callback = Callback(nb::cast<nb::callable>(validate))](const Call& call) {
      callback.run(Ref<Call>(&call));
    };
  return op;
}

}  // namespace

void bind_custom_ops(nb::module_& m) {
  m.def(
      "find_op",
      [](const std::string& name) {
        bool is_known = builtin_ops().find(name) || find_custom_op(name);
        return is_known ? known_ops()->find(name) : nullptr;
      },
      nb::arg("name"), nb::sig("def find_op(name: str) -> Op | None"), "The op of this name, or None.");
  m.def("op_names", [] {
    std::vector<std::string> names;
    for (const Ref<Op>& op : known_ops()->all()) names.push_back(op->name());
    return names;
  });
  m.def(
      "set_custom_op",
      [](const std::string& name, std::optional<bool> is_pure, std::optional<bool> allocates, const nb::callable& infer,
         const nb::object& normalize, const nb::object& validate) {
        set_custom_op(custom_op(name, is_pure, allocates, infer, normalize, validate));
      },
      nb::arg("name"), nb::arg("is_pure").none(), nb::arg("allocates").none(), nb::arg("infer"),
      nb::arg("normalize").none(), nb::arg("validate").none(),
      nb::sig("def set_custom_op(name: str, is_pure: bool | None, allocates: bool | None, "
              "infer: collections.abc.Callable[[Call], Type], normalize: "
              "collections.abc.Callable[[Call], Expr] | None, validate: collections.abc.Callable[[Call], "
              "typing.Any] | None) -> None"),
      "Adds an op of the program's own, or says anew what it does.");
  m.def("remove_custom_op", &remove_custom_op, nb::arg("name"), "Calls of the op cannot be made from here on.");
}

}  // namespace sunmao::python
