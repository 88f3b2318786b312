// Objects that only the host understands, in a program of C that runs an artifact.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "compiler/compile.h"
#include "compiler/runtime_handles.h"
#include "ops/ops.h"
#include "script/parse.h"

namespace sunmao {
namespace {

io::Bytes artifact_of(const char* text) {
  CompileOptions options;
  options.bind_weights = false;
  return compile({parse_module(Source::make("m.py", text), builtin_ops()), {}}, options).artifact;
}

// The host: what it was called with, and handles, which are places in `given`.
struct Host {
  std::vector<std::string> forms;
  std::vector<float> given = {};

  static int call(void* data, const sunmao_host_call* call) { return static_cast<Host*>(data)->run(*call); }

  int run(const sunmao_host_call& call) {
    forms.emplace_back(call.form);
    const std::string form = call.form;
    if (form.starts_with("make(")) {
      given.push_back(*static_cast<const float*>(call.inputs[0].data));
      *call.outputs = scalar<uint64_t>({kDLOpaqueHandle, 64, 1}, given.size() - 1);
    } else if (form.starts_with("sunmao.take(") || form.starts_with("vm.builtin.invoke_closure(")) {
      *call.outputs = scalar<float>({kDLFloat, 32, 1}, given.at(*static_cast<const uint64_t*>(call.inputs[0].data)));
    } else if (!form.starts_with("vm.builtin.check_")) {
      return 1;
    }
    return 0;
  }

  template <class T>
  static DLManagedTensor* scalar(DLDataType dtype, T value) {
    auto* out = new DLManagedTensor{{new T(value), {kDLCPU, 0}, 0, dtype, nullptr, nullptr, 0}, nullptr, nullptr};
    out->deleter = [](DLManagedTensor* t) {
      delete static_cast<T*>(t->dl_tensor.data);
      delete t;
    };
    return out;
  }
};

class ProgramInC {
 public:
  explicit ProgramInC(const char* text)
      : artifact_(artifact_of(text)), model_(load_model(artifact_, SUNMAO_LOAD_OPTIONS_INIT)),
        session_(create_session(model_)) {
    sunmao_error error;
    for (size_t i = 0; i < sunmao_host_function_count(model_.get()); ++i)
      EXPECT_EQ(sunmao_register_function(session_.get(), sunmao_host_function_name(model_.get(), i), &Host::call, &host,
                                         &error),
                0);
  }

  DLTensor operator()(std::vector<DLTensor> inputs) {
    DLTensor out = {};
    sunmao_error error = {};
    EXPECT_EQ(sunmao_run(session_.get(), "main", inputs.data(), inputs.size(), &out, 1, &error), 0) << error.message;
    return out;
  }

  Host host;

 private:
  const io::Bytes artifact_;
  const ModelHandle model_;
  const SessionHandle session_;
};

TEST(Objects, AModelMovesThemAndGivesThemBack) {
  ProgramInC run(R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((), "float32"), c: R.Tensor((), "bool"), other: R.Any) -> R.Any:
        made = R.call_packed("make", x, ty_args=(R.Any,))
        if c:
            y = made
        else:
            y = other
        return y
)");
  float x = 7;
  bool c = true;
  uint64_t other = 41;
  const DLDataType handle{kDLOpaqueHandle, 64, 1};
  const std::vector<DLTensor> inputs{{&x, {kDLCPU, 0}, 0, {kDLFloat, 32, 1}, nullptr, nullptr, 0},
                                     {&c, {kDLCPU, 0}, 0, {kDLBool, 8, 1}, nullptr, nullptr, 0},
                                     {&other, {kDLCPU, 0}, 0, handle, nullptr, nullptr, 0}};
  DLTensor out = run(inputs);
  EXPECT_EQ(out.dtype.code, kDLOpaqueHandle);
  EXPECT_EQ(*static_cast<const uint64_t*>(out.data), 0u);
  c = false;
  out = run(inputs);
  EXPECT_EQ(*static_cast<const uint64_t*>(out.data), 41u);
  EXPECT_EQ(run.host.given, (std::vector<float>{7, 7}));
  EXPECT_EQ(run.host.forms, (std::vector<std::string>(2, "make(float32[0]) -> object")));
}

TEST(Objects, ACastAsksForTheTensorThatOneIs) {
  ProgramInC run(R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((), "float32"), f: R.Callable((), R.Tensor((), "float32"), False)):
        made = R.call_packed("make", x, ty_args=(R.Any,))
        y = R.match_cast(made, R.Tensor((), "float32"))
        z = f()
        w = R.add(y, z)
        return w
)");
  run.host.given = {100};
  float x = 7;
  uint64_t f = 0;
  const DLTensor out = run({{&x, {kDLCPU, 0}, 0, {kDLFloat, 32, 1}, nullptr, nullptr, 0},
                            {&f, {kDLCPU, 0}, 0, {kDLOpaqueHandle, 64, 1}, nullptr, nullptr, 0}});
  EXPECT_EQ(*static_cast<const float*>(out.data), 107);
  EXPECT_EQ(run.host.forms,
            (std::vector<std::string>{
                "vm.builtin.check_func_info(object, \"param_f:\") -> ()", "make(float32[0]) -> object",
                "vm.builtin.check_tensor_info(object, 0, \"float32\", \"match_cast_y:\") -> ()",
                "sunmao.take(object) -> float32[0]", "vm.builtin.invoke_closure(object) -> float32[0]"}));
}

}  // namespace
}  // namespace sunmao
