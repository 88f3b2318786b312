#include "compiler/compiled_executor.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <mutex>

#include "compiler/build.h"
#include "compiler/loaded_kernels.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

Array of_sizes(std::vector<int64_t> shape, const std::vector<int64_t>& sizes) {
  ArrayBuilder builder(DType::int_(64), std::move(shape));
  std::ranges::copy(sizes, builder.as<int64_t>().begin());
  return std::move(builder).finish();
}

void flatten(const Value& value, std::vector<Array>& out) {
  if (const ShapeValue* shape = value.shape()) out.push_back(of_sizes({static_cast<int64_t>(shape->size())}, *shape));
  if (const auto* number = std::get_if<int64_t>(&value.v)) out.push_back(of_sizes({}, {*number}));
  if (const Array* a = value.array()) out.push_back(*a);
  if (const ValueTuple* t = value.tuple())
    for (const Value& v : *t) flatten(v, out);
}

// Returns a DLPack view of an input. DLPack has no const, but inputs are only read.
DLTensor view_of(const Array& a, std::vector<int64_t>& shape) {
  shape = a.shape();
  auto address = std::bit_cast<void*>(a.data());
  return {.data = address,
          .device = {kDLCPU, 0},
          .ndim = static_cast<int32_t>(a.rank()),
          .dtype = {static_cast<uint8_t>(a.dtype().code), a.dtype().bits, a.dtype().lanes},
          .shape = shape.data(),
          .strides = nullptr,
          .byte_offset = 0};
}

Array adopt(DLManagedTensor* managed) {
  const DLTensor& t = managed->dl_tensor;
  std::shared_ptr<const void> owner(managed, [](DLManagedTensor* tensor) {
    if (tensor->deleter) tensor->deleter(tensor);
  });
  DType dtype{static_cast<TypeCode>(t.dtype.code), t.dtype.bits, t.dtype.lanes};
  const auto* data = static_cast<const std::byte*>(t.data) + t.byte_offset;
  return Array::wrap(dtype, {t.shape, t.shape + t.ndim}, data, std::move(owner));
}

sunmao_load_options with_threads(uint32_t threads) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.threads = threads;
  return options;
}

}  // namespace

Value run_compiled(const Module& module, const std::string& function, const std::vector<Value>& args,
                   const CompileOptions& options) {
  const ProgramOptions program = with_walked(module, {.entries = {function}});
  io::Bytes artifact = io::join(build_artifact(module, program, options));
  if (!program.walked.empty()) return CompiledExecutor(module, std::move(artifact)).call(function, args);
  const ModelHandle model = load_model(artifact, SUNMAO_LOAD_OPTIONS_INIT);
  const SessionHandle session = create_session(model);

  std::vector<Array> arrays;
  for (const Value& v : args) flatten(v, arrays);
  std::vector<std::vector<int64_t>> shapes(arrays.size());
  std::vector<DLTensor> inputs;
  for (size_t i = 0; i < arrays.size(); ++i) inputs.push_back(view_of(arrays[i], shapes[i]));
  std::vector<DLManagedTensor*> outputs(sunmao_output_count(model.get(), 0));
  sunmao_error error;
  if (sunmao_run_managed(session.get(), function.c_str(), inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                         &error))
    fail_with(error);
  ValueTuple results;
  for (DLManagedTensor* o : outputs) results.emplace_back(adopt(o));
  return results;
}

// The loaded artifact and a pool of idle sessions.
class CompiledExecutor::Loaded {
 public:
  Loaded(const Module& module, io::Bytes artifact, uint32_t threads)
      : artifact_(std::move(artifact)), model_(load_model(artifact_, with_threads(threads))), table_(module, model_) {}

  Value walk(const Module& module, const FindHostFunction& host_functions,
             const std::function<Value(const Evaluator&)>& run) {
    return lend([&](KernelRunner& kernels) {
      return run(Evaluator(module, {.kernels = &kernels, .host_functions = host_functions}));
    });
  }

  Value lend(const std::function<Value(KernelRunner&)>& use) {
    const Lease lease(*this);
    LoadedKernels kernels(table_, lease.session());
    return use(kernels);
  }

 private:
  class Lease {
   public:
    explicit Lease(Loaded& loaded) : loaded_(loaded), session_(loaded.take()) {}
    ~Lease() { loaded_.give_back(std::move(session_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    sunmao_session* session() const { return session_.get(); }

   private:
    Loaded& loaded_;
    SessionHandle session_;
  };

  SessionHandle take() {
    const std::lock_guard guard(lock_);
    if (idle_.empty()) return create_session(model_);
    SessionHandle session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }
  void give_back(SessionHandle session) {
    const std::lock_guard guard(lock_);
    idle_.push_back(std::move(session));
  }

  const io::Bytes artifact_;
  const ModelHandle model_;
  const KernelTable table_;
  std::mutex lock_;
  std::vector<SessionHandle> idle_;
};

CompiledExecutor::CompiledExecutor(Module module, io::Bytes artifact, uint32_t threads)
    : module_(std::move(module)), loaded_(std::make_unique<Loaded>(module_, std::move(artifact), threads)) {}

CompiledExecutor::~CompiledExecutor() = default;

Value CompiledExecutor::call(const std::string& function, ValueTuple args,
                             const FindHostFunction& host_functions) const {
  return loaded_->walk(module_, host_functions, [&](const Evaluator& e) { return e.call(function, std::move(args)); });
}

Value CompiledExecutor::invoke(const Value& function, ValueTuple args, const FindHostFunction& host_functions) const {
  return loaded_->walk(module_, host_functions,
                       [&](const Evaluator& e) { return e.invoke(function, std::move(args)); });
}

Value CompiledExecutor::with_kernels(const std::function<Value(KernelRunner&)>& use) const {
  return loaded_->lend(use);
}

}  // namespace sunmao
