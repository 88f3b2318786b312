#include "tests/random/compiled_run.h"

#include <algorithm>
#include <memory>

#include "abi/packed_elements.h"
#include "sunmao/runtime.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Calls a function of the C API, appending the argument that receives the error; throws when the call fails.
template <class F, class... Args>
void call(F function, Args... args) {
  sunmao_error error = {};
  if (function(args..., &error)) fail(error.code, {}, error.message, error.help);
}

template <class T, void (*kFree)(T*)>
struct Freeing {
  void operator()(T* t) const { kFree(t); }
};
using ModelPtr = std::unique_ptr<sunmao_model, Freeing<sunmao_model, sunmao_model_free>>;
using SessionPtr = std::unique_ptr<sunmao_session, Freeing<sunmao_session, sunmao_session_free>>;

// A tensor in its own writable memory, which is passed to the runtime.
struct HandedIn {
  std::vector<std::byte> bytes;
  std::vector<int64_t> shape;
  DType dtype;

  explicit HandedIn(const Array& a) : bytes(a.bytes().begin(), a.bytes().end()), shape(a.shape()), dtype(a.dtype()) {}
  DLTensor view() {
    const DLDataType type{static_cast<uint8_t>(dtype.code), dtype.bits, dtype.lanes};
    return {bytes.data(), {kDLCPU, 0}, static_cast<int32_t>(shape.size()), type, shape.data(), nullptr, 0};
  }
};

Array taken(const DLTensor& t) {
  const DType dtype{static_cast<TypeCode>(t.dtype.code), t.dtype.bits, t.dtype.lanes};
  ArrayBuilder out(dtype, std::vector<int64_t>(t.shape, t.shape + t.ndim));
  Array array = std::move(out).finish();
  const auto* from = static_cast<const std::byte*>(t.data) + t.byte_offset;
  const uint8_t unused = abi::unused_bits(dtype.bits, static_cast<uint64_t>(array.count()));
  SUNMAO_CHECK(unused == 0 || (std::to_integer<uint8_t>(from[array.size_bytes() - 1]) & unused) == 0,
               "unused bits of the last byte of {} are set", dtype.str());
  return Array::copy(dtype, array.shape(), {from, array.size_bytes()});
}

// Runs a program on the runtime library alone, without the compiler.
std::vector<Array> run_program(const io::Bytes& program, const std::vector<Array>& inputs, uint32_t threads) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.threads = threads;
  sunmao_model* loaded = nullptr;
  call(sunmao_load_memory, program.data(), program.size(), &options, &loaded);
  const ModelPtr model(loaded);
  sunmao_session* created = nullptr;
  call(sunmao_session_create, model.get(), &created);
  const SessionPtr session(created);

  std::vector<HandedIn> held(inputs.begin(), inputs.end());
  std::vector<DLTensor> views;
  for (HandedIn& h : held) views.push_back(h.view());
  const int64_t main = sunmao_find_function(model.get(), "main");
  std::vector<DLTensor> outputs(main < 0 ? 0 : sunmao_output_count(model.get(), static_cast<size_t>(main)));
  call(sunmao_run, session.get(), "main", views.data(), views.size(), outputs.data(), outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    SUNMAO_CHECK(std::ranges::equal(held[i].bytes, inputs[i].bytes()), "a run writes to input {}", i);
  std::vector<Array> out;
  for (const DLTensor& t : outputs) out.emplace_back(taken(t));
  return out;
}

void collect(const Value& value, std::vector<Array>& out) {
  if (const ValueTuple* tuple = value.tuple()) {
    for (const Value& field : *tuple) collect(field, out);
    return;
  }
  if (const Array* array = value.array()) return out.push_back(*array);
  const auto* number = std::get_if<int64_t>(&value.v);
  const ShapeValue* shape = value.shape();
  SUNMAO_CHECK(number || shape, "a result is {}", describe(value));
  out.push_back(shape ? Array::from_ints({std::ssize(*shape)}, *shape) : Array::from_ints({}, std::vector{*number}));
}

}  // namespace

std::vector<Array> arrays_of(const Value& value) {
  std::vector<Array> out;
  collect(value, out);
  return out;
}

Compiled compile_for_run(const Module& module, int opt_level, const std::string& target) {
  CompileOptions options;
  options.targets = {Target::parse(target)};
  options.opt_level = opt_level;
  return compile({module, {}}, options);
}

std::vector<Array> run_compiled(const Compiled& compiled, const std::vector<Array>& inputs, uint32_t threads) {
  return run_program(compiled.artifact, inputs, threads);
}

}  // namespace sunmao
