#include "eval/kernel_call.h"

#include <algorithm>
#include <cstring>

#include "eval/interpreter.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// The arguments of a kernel, with the memory that stands in for arrays which must not change.
class Arguments {
 public:
  void add(const Value& value) {
    if (const Array* a = value.array()) return add_copy(*a);
    if (const ShapeValue* s = value.shape())
      for (int64_t v : *s) args_.push_back({.scalar = v});
    else if (const auto* i = std::get_if<int64_t>(&value.v))
      args_.push_back({.scalar = *i});
    else
      fail("E0507", {}, fmt::format("the evaluator cannot hand {} to a loop-level function", describe(value)));
  }
  void add_memory(std::byte* data, std::vector<int64_t> shape) {
    args_.push_back({.data = data, .shape = std::move(shape)});
  }
  std::span<const KernelArgument> all() const { return args_; }
  const KernelArgument& back() const { return args_.back(); }

 private:
  void add_copy(const Array& a) {
    copies_.emplace_back(a.dtype(), a.shape());
    if (a.size_bytes() != 0) std::memcpy(copies_.back().data(), a.data(), a.size_bytes());
    args_.push_back({.data = copies_.back().data(), .shape = a.shape()});
  }
  std::vector<ArrayBuilder> copies_;
  std::vector<KernelArgument> args_;
};

ArrayBuilder output_of(const Type& type, const Environment& environment) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims() || tensor->dtype.is_void())
    fail("E0507", type->span, fmt::format("the evaluator cannot make a result of type {}", describe(type)),
         "state its shape and dtype");
  std::vector<int64_t> shape = environment.numbers(*tensor->dims());
  check_sizes(shape, type->span);
  return ArrayBuilder(tensor->dtype, std::move(shape));
}

void check_count(const PrimFunc& func, const Arguments& args) {
  if (args.all().size() != func.params.size())
    fail("E0505", func.span,
         fmt::format("a loop-level function takes {} arguments, got {}", func.params.size(), args.all().size()));
}

}  // namespace

Value run_kernel(const KernelRun& call, const Environment& environment) {
  const auto* tuple = find<TupleType>(call.result);
  const std::vector<Type> types = tuple ? tuple->fields : std::vector{call.result};
  Arguments args;
  std::vector<Array> results(types.size());
  std::vector<ArrayBuilder> outputs;
  for (const Type& type : types) outputs.push_back(output_of(type, environment));
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
    args.add_memory(out.data(), array->shape());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::byte* data = outputs[i].data();
    results[i] = std::move(outputs[i]).finish();
    if (call.inplace.empty() || call.inplace[i] < 0) args.add_memory(data, results[i].shape());
  }
  args.add(call.scalars);
  check_count(call.func, args);
  interpret(call.func, args.all());
  if (!tuple) return results[0];
  return ValueTuple(results.begin(), results.end());
}

Value run_on_memory(const PrimFunc& func, const ValueTuple& args, const Memory& memory) {
  struct Borrowed {
    const Array* array;
    const std::byte* copy;
  };
  Arguments kernel;
  std::vector<Borrowed> borrowed;
  for (const Value& value : args) {
    const Array* array = value.array();
    std::byte* own = array ? memory.writable(*array) : nullptr;
    if (own) {
      kernel.add_memory(own, array->shape());
      continue;
    }
    kernel.add(value);
    if (array) borrowed.push_back({array, kernel.back().data});
  }
  check_count(func, kernel);
  std::optional<Number> result = interpret(func, kernel.all());
  for (const Borrowed& b : borrowed)
    if (b.array->size_bytes() != 0 && std::memcmp(b.array->data(), b.copy, b.array->size_bytes()) != 0)
      fail("E0506", func.span, "a loop-level function writes into an array that was not allocated for it",
           "allocate the memory of its result with `R.builtin.alloc_tensor`");
  const auto* returned = func.result_type ? find<PrimType>(func.result_type) : nullptr;
  if (!returned || !result) return ValueTuple();
  return returned->dtype.is_float() ? Value(result->f) : Value(result->i);
}

}  // namespace sunmao
