#include "eval/kernel_call.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "support/diagnostic.h"

namespace sunmao {
namespace {

// The arguments of a kernel. An array is replaced by a copy when it is not aligned for its elements, or when the kernel
// may write to it although it must not change.
class Arguments {
 public:
  Arguments(const PrimFunc& func, KernelRunner& runner) : func_(func), runner_(runner) {}

  /// Adds an argument; returns true when an array was copied.
  bool add(const Value& value) {
    if (const Array* a = value.array()) return add_array(*a);
    if (const ShapeValue* s = value.shape())
      for (int64_t v : *s) args_.push_back({.scalar = v});
    else if (const auto* i = std::get_if<int64_t>(&value.v))
      args_.push_back({.scalar = *i});
    else
      fail("E0507", {}, fmt::format("the evaluator cannot hand {} to a loop-level function", describe(value)));
    return false;
  }
  void add_memory(std::byte* data, const Array& array) {
    args_.push_back({.data = data, .shape = array.shape(), .dtype = array.dtype()});
  }
  std::optional<Number> run() {
    if (args_.size() != func_.params.size())
      fail("E0505", func_.span,
           fmt::format("a loop-level function takes {} arguments, got {}", func_.params.size(), args_.size()));
    return runner_.run(func_, args_);
  }
  const KernelArgument& back() const { return args_.back(); }

 private:
  bool add_array(const Array& a) {
    const auto address = std::bit_cast<uintptr_t>(a.data());
    const bool is_aligned = address % static_cast<uintptr_t>(std::max<int64_t>(a.dtype().bytes(), 1)) == 0;
    if (is_aligned && args_.size() < func_.params.size() && !runner_.may_write(func_, args_.size())) {
      // KernelArgument has only a mutable pointer; memcpy avoids a const_cast.
      const std::byte* only_read = a.data();
      std::byte* data = nullptr;
      std::memcpy(&data, &only_read, sizeof(data));
      add_memory(data, a);
      return false;
    }
    copies_.emplace_back(a.dtype(), a.shape());
    if (a.size_bytes() != 0) std::memcpy(copies_.back().data(), a.data(), a.size_bytes());
    add_memory(copies_.back().data(), a);
    return true;
  }
  const PrimFunc& func_;
  KernelRunner& runner_;
  std::vector<ArrayBuilder> copies_;
  std::vector<KernelArgument> args_;
};

ArrayBuilder output_of(const Type& type, const Environment& environment) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims() || tensor->dtype.is_void())
    fail("E0507", type->span, fmt::format("the evaluator cannot make a result of type {}", describe(type)),
         "state its shape and dtype");
  std::vector<int64_t> shape = environment.numbers(*tensor->dims());
  check_sizes(shape, tensor->dtype, type->span);
  return ArrayBuilder(tensor->dtype, std::move(shape));
}

std::vector<Type> results_in(const Type& type) {
  const auto* tuple = find<TupleType>(type);
  return tuple ? tuple->fields : std::vector{type};
}

}  // namespace

std::vector<ArrayBuilder> new_results(const Type& type, const Environment& environment) {
  std::vector<ArrayBuilder> out;
  for (const Type& t : results_in(type)) out.push_back(output_of(t, environment));
  return out;
}

Value run_kernel(const KernelRun& call, const Environment& environment, KernelRunner& runner) {
  const std::vector<Type> types = results_in(call.result);
  Arguments args(call.func, runner);
  std::vector<Array> results(types.size());
  std::vector<ArrayBuilder> outputs = new_results(call.result, environment);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    auto place = std::ranges::find(call.inplace, static_cast<int64_t>(i));
    const Array* array = call.inputs[i].array();
    if (place == call.inplace.end() || !array) {
      args.add(call.inputs[i]);
      continue;
    }
    const auto index = static_cast<size_t>(place - call.inplace.begin());
    ArrayBuilder& out = outputs[index];
    const auto* type = find<TensorType>(types[index]);
    if (type->dtype != array->dtype() || environment.numbers(*type->dims()) != array->shape())
      fail("E0506", types[index]->span,
           fmt::format("a result of type {} cannot take the place of a {}", describe(types[index]), describe(*array)));
    if (array->size_bytes() != 0) std::memcpy(out.data(), array->data(), array->size_bytes());
    args.add_memory(out.data(), *array);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::byte* data = outputs[i].data();
    results[i] = std::move(outputs[i]).finish();
    if (call.inplace.empty() || call.inplace[i] < 0) args.add_memory(data, results[i]);
  }
  args.add(call.scalars);
  args.run();
  if (!find<TupleType>(call.result)) return results[0];
  return ValueTuple(results.begin(), results.end());
}

const PrimFunc& called_kernel(const Call& call, const Module& module) {
  if (const auto* external = find<ExternFunc>(call.args[0]))
    fail("E0509", call.span, fmt::format("the loop-level function `{}` is not in the module", external->name),
         "add it to the module");
  const auto* g = find<GlobalVar>(call.args[0]);
  const auto* f = g ? find<PrimFunc>(Expr(module.find(g->name))) : nullptr;
  if (!f) fail("E0507", call.span, fmt::format("`{}` is not a loop-level function", g ? g->name : "the callee"));
  return *f;
}

const ValueTuple& tuple_argument(const Call& call, const ValueTuple& args, size_t i) {
  const ValueTuple* tuple = args[i].tuple();
  if (!tuple) fail("E0505", call.span, fmt::format("expected a tuple, got {}", describe(args[i])));
  return *tuple;
}

Value run_kernel_call(const Call& call, const ValueTuple& args, const Module& module, const Environment& environment,
                      KernelRunner& runner) {
  static const ShapeValue kNone;
  const AttrValue* inplace = call.attrs.find("inplace_indices");
  const ShapeValue* scalars = args.size() > 2 ? args[2].shape() : nullptr;
  return run_kernel({.func = called_kernel(call, module),
                     .inputs = tuple_argument(call, args, 1),
                     .result = call.type,
                     .scalars = scalars ? *scalars : kNone,
                     .inplace = inplace ? inplace->as_ints().value_or(std::vector<int64_t>()) : std::vector<int64_t>()},
                    environment, runner);
}

Value run_lowered(const PrimFunc& func, const Call& call, const ValueTuple& args, const Environment& environment,
                  KernelRunner& runner) {
  ValueTuple tensors;
  for (const Value& arg : args) {
    if (arg.array()) tensors.push_back(arg);
    if (!arg.tuple()) continue;
    for (const Value& field : *arg.tuple())
      if (field.array()) tensors.push_back(field);
  }
  ShapeValue scalars;
  for (const PrimParam& p : func.params)
    if (!p.buffer) scalars.push_back(environment.number(p.var));
  return run_kernel({.func = func, .inputs = tensors, .result = call.type, .scalars = scalars}, environment, runner);
}

Value run_on_memory(const PrimFunc& func, const ValueTuple& args, const Memory& memory, KernelRunner& runner) {
  struct Borrowed {
    const Array* array;
    const std::byte* copy;
  };
  Arguments kernel(func, runner);
  std::vector<Borrowed> borrowed;
  for (const Value& value : args) {
    const Array* array = value.array();
    std::byte* own = array ? memory.writable(*array) : nullptr;
    if (own) {
      kernel.add_memory(own, *array);
      continue;
    }
    if (kernel.add(value)) borrowed.push_back({array, kernel.back().data});
  }
  std::optional<Number> result = kernel.run();
  for (const Borrowed& b : borrowed)
    if (b.array->size_bytes() != 0 && std::memcmp(b.array->data(), b.copy, b.array->size_bytes()) != 0)
      fail("E0506", func.span, "a loop-level function writes into an array that was not allocated for it",
           "allocate the memory of its result with `R.builtin.alloc_tensor`");
  const auto* returned = func.result_type ? find<PrimType>(func.result_type) : nullptr;
  if (!returned || !result) return ValueTuple();
  return returned->dtype.is_float() ? Value(result->f) : Value(result->i);
}

}  // namespace sunmao
