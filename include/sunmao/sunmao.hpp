// Sunmao's runtime for C++17 and later: owning handles, tensors that are views, and one exception, over the C functions
// of sunmao/runtime.h, whose contracts hold here too. Header only; programs link libsunmao_runtime.
//
// Where a C function says that something is not to be called during a run, or is valid until the next one, so it is
// here. What this header does not cover (functions of the host, ops, single kernels) takes a session's `handle()`.
#ifndef SUNMAO_SUNMAO_HPP_
#define SUNMAO_SUNMAO_HPP_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sunmao/runtime.h"

namespace sunmao {

/// What every function here throws when the runtime reports a failure; copying it allocates nothing.
class Error : public std::exception {
 public:
  /// Takes over what a C function has reported.
  explicit Error(const sunmao_error& error) noexcept : error_(error) {
    std::snprintf(what_, sizeof(what_), "%s: %s", error_.code, error_.message);
  }
  /// Makes an error of this header's own, with a code of the runtime's.
  Error(const char* code, const char* message, const char* help = "") noexcept : Error(made(code, message, help)) {}

  /// Returns the stable code, such as "E0905"; `sunmao explain E0905` says more.
  const char* code() const noexcept { return error_.code; }
  /// Returns what is wrong.
  const char* message() const noexcept { return error_.message; }
  /// Returns what to do about it; may be empty.
  const char* help() const noexcept { return error_.help; }
  /// Returns code and message.
  const char* what() const noexcept override { return what_; }

 private:
  static sunmao_error made(const char* code, const char* message, const char* help) noexcept {
    sunmao_error error;
    std::snprintf(error.code, sizeof(error.code), "%s", code);
    std::snprintf(error.message, sizeof(error.message), "%s", message);
    std::snprintf(error.help, sizeof(error.help), "%s", help);
    return error;
  }

  sunmao_error error_;
  char what_[sizeof(sunmao_error::code) + sizeof(sunmao_error::message) + 2];
};

namespace detail {

/// Calls a C function whose last parameter is the error, and throws what it reports.
template <class Function, class... Arguments>
void check(Function function, Arguments... arguments) {
  sunmao_error error;
  if (function(arguments..., &error) != 0) throw Error(error);
}

/// Returns an address for DLPack, which has no const: the C functions only read what they are given as inputs and
/// shapes.
template <class T>
T* address_for_dlpack(const T* address) noexcept {
  T* out;
  std::memcpy(&out, &address, sizeof(out));
  return out;
}

struct Free {
  void operator()(sunmao_model* model) const noexcept { sunmao_model_free(model); }
  void operator()(sunmao_session* session) const noexcept { sunmao_session_free(session); }
  void operator()(char* text) const noexcept { sunmao_string_free(text); }
  void operator()(DLManagedTensor* tensor) const noexcept {
    if (tensor->deleter) tensor->deleter(tensor);
  }
};

}  // namespace detail

/// Elements that lie one after another, and are owned by someone else. It is one type under C++17 and C++20, so that
/// parts of a program may be compiled as either; std::span converts to it, and it to std::span.
template <class T>
class Span {
 public:
  /// Has no elements.
  constexpr Span() noexcept = default;
  /// Has `size` elements from `data` on.
  constexpr Span(T* data, size_t size) noexcept : data_(data), size_(size) {}
  /// Has the elements of an array.
  template <size_t N>
  constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  /// Has the elements of a container such as std::vector, std::array or std::span.
  template <class C,
            class = std::enable_if_t<
                !std::is_same_v<std::decay_t<C>, Span> &&
                std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<C&>().data())> (*)[], T (*)[]>>>
  constexpr Span(C&& container) noexcept : data_(container.data()), size_(container.size()) {}

  /// Returns the address of the first element.
  constexpr T* data() const noexcept { return data_; }
  /// Returns the number of elements.
  constexpr size_t size() const noexcept { return size_; }
  /// True when there are no elements.
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// Returns an element; `i` is not checked.
  constexpr T& operator[](size_t i) const noexcept { return data_[i]; }
  /// Returns the first element's address, for loops.
  constexpr T* begin() const noexcept { return data_; }
  /// Returns the address behind the last element, for loops.
  constexpr T* end() const noexcept { return data_ + size_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

/// Returns the dtype that elements of a C++ type have: bool, float, double, and integers of 8 to 64 bits.
template <class T>
constexpr DLDataType dtype_of() noexcept {
  using Element = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<Element> && sizeof(Element) <= 8, "name the dtype by a DLDataType");
  const auto code = std::is_same_v<Element, bool>       ? kDLBool
                    : std::is_floating_point_v<Element> ? kDLFloat
                    : std::is_signed_v<Element>         ? kDLInt
                                                        : kDLUInt;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * sizeof(Element)), 1};
}

/// A contiguous tensor in memory that someone else owns, with a shape of its own: a value to copy and pass around.
class Tensor {
 public:
  /// The most dimensions that a tensor may have.
  static constexpr size_t kMaxRank = 64;

  /// Has no memory: an output that a run fills in, with memory of the session.
  Tensor() noexcept = default;
  /// Views elements of type T from `data` on; those of an input are only read.
  template <class T>
  Tensor(T* data, Span<const int64_t> shape) noexcept : Tensor(data, dtype_of<T>(), shape) {}
  /// The same for a shape that is written out, such as {8, 16}.
  template <class T>
  Tensor(T* data, std::initializer_list<int64_t> shape) noexcept
      : Tensor(data, dtype_of<T>(), Span<const int64_t>(shape.begin(), shape.size())) {}
  /// Views elements of any dtype, packed where they are smaller than a byte.
  Tensor(const void* data, DLDataType dtype, Span<const int64_t> shape) noexcept
      : data_(detail::address_for_dlpack(data)), dtype_(dtype), rank_(static_cast<int32_t>(shape.size())) {
    // The runtime refuses more dimensions than these.
    std::memcpy(shape_, shape.data() ? shape.data() : shape_,
                sizeof(int64_t) * (rank() < kMaxRank ? rank() : kMaxRank));
  }
  /// Views a DLPack tensor, which has to be contiguous.
  explicit Tensor(const DLTensor& tensor) noexcept
      : Tensor(static_cast<const char*>(tensor.data) + tensor.byte_offset, tensor.dtype,
               Span<const int64_t>(tensor.shape, static_cast<size_t>(tensor.ndim))) {}

  /// Returns the address of the first element.
  void* data() const noexcept { return data_; }
  /// Returns the dtype of the elements.
  DLDataType dtype() const noexcept { return dtype_; }
  /// Returns the number of dimensions.
  size_t rank() const noexcept { return static_cast<size_t>(rank_); }
  /// Returns the sizes, valid as long as this object.
  Span<const int64_t> shape() const noexcept { return {shape_, rank()}; }
  /// Returns the number of elements.
  size_t count() const noexcept {
    size_t product = 1;
    for (const int64_t size : shape()) product *= static_cast<size_t>(size);
    return product;
  }
  /// Returns the number of bytes that the elements take.
  size_t bytes() const noexcept { return (count() * dtype_.bits * dtype_.lanes + 7) / 8; }
  /// Returns the elements in row-major order; throws (E0903) when they are of another type than T.
  template <class T>
  Span<T> elements() const {
    const DLDataType type = dtype_of<T>();
    if (type.code != dtype_.code || type.bits != dtype_.bits || dtype_.lanes != 1)
      throw Error("E0903", "elements of a tensor are asked for in another dtype than it has",
                  "dtype() says which one it has");
    return {static_cast<T*>(data_), count()};
  }
  /// Returns the tensor for the C functions, which read its shape, in this object.
  DLTensor view() const noexcept {
    return {data_, {kDLCPU, 0}, rank_, dtype_, detail::address_for_dlpack(shape_), nullptr, 0};
  }

 private:
  void* data_ = nullptr;
  DLDataType dtype_ = {};
  int32_t rank_ = 0;
  int64_t shape_[kMaxRank] = {};
};

/// A tensor with memory of its own, which may outlive session and model.
class OwnedTensor {
 public:
  /// Takes over what a C function has returned.
  explicit OwnedTensor(DLManagedTensor* tensor) noexcept : tensor_(tensor) {}
  /// Returns the tensor, valid as long as this object.
  Tensor tensor() const noexcept { return Tensor(tensor_->dl_tensor); }
  /// Gives up the tensor to a caller who calls its `deleter`.
  DLManagedTensor* release() noexcept { return tensor_.release(); }

 private:
  std::unique_ptr<DLManagedTensor, detail::Free> tensor_;
};

/// What is known of an input, an output or a state; valid as long as the model.
struct Value : sunmao_value_info {
  /// Returns the dimensions: a size, or a symbol with its range.
  Span<const sunmao_dim> shape() const noexcept { return {dims, static_cast<size_t>(ndim)}; }
};

/// The signature of a function of a model; valid as long as the model.
class Signature {
 public:
  /// Is that of the function with this index.
  Signature(const sunmao_model* model, size_t function) noexcept : model_(model), function_(function) {}
  /// Returns the index of the function.
  size_t function() const noexcept { return function_; }
  /// Returns the name of the function.
  const char* name() const noexcept { return sunmao_function_name(model_, function_); }
  /// Returns the number of inputs.
  size_t input_count() const noexcept { return sunmao_input_count(model_, function_); }
  /// Returns the number of outputs.
  size_t output_count() const noexcept { return sunmao_output_count(model_, function_); }
  /// Describes an input; throws (E0901) when there is none of this number.
  Value input(size_t i) const { return value(sunmao_input_info, i, "the function has no such input"); }
  /// Describes an output; throws (E0901) when there is none of this number.
  Value output(size_t i) const { return value(sunmao_output_info, i, "the function has no such output"); }
  /// Returns what is known of the sizes that an input holds which is a shape or a number; empty for other inputs.
  Span<const sunmao_dim> input_sizes(size_t i) const noexcept {
    const sunmao_dim* sizes = nullptr;
    const size_t count = sunmao_input_sizes(model_, function_, i, &sizes);
    return {sizes, count};
  }
  /// Says what memory a run needs whose inputs have these sizes, one after another.
  sunmao_memory_info memory(Span<const int64_t> sizes) const {
    sunmao_memory_info info = {};
    detail::check(sunmao_function_memory, model_, function_, sizes.data(), sizes.size(), &info);
    return info;
  }

 private:
  using Describe = int (*)(const sunmao_model*, size_t, size_t, sunmao_value_info*);
  Value value(Describe describe, size_t i, const char* problem) const {
    Value out = {};
    if (describe(model_, function_, i, &out) != 0) throw Error("E0901", problem);
    return out;
  }

  const sunmao_model* model_;
  size_t function_;
};

/// How a model is loaded; texts are read during the load alone.
struct LoadOptions {
  uint32_t threads = 0;                // the most threads of a run; 0: as many as the process allows
  bool verify_weights = false;         // compare the digest of the weights
  const char* isa = nullptr;           // the code image to use; null: the best for this processor
  const char* weights_path = nullptr;  // a safetensors file in place of the artifact's weights; null: none
  bool without_code = false;           // only to look at it
  const char* cache_folder = nullptr;  // where prepared weights are kept for later loads; null: nowhere
};

/// A loaded artifact, which any number of threads may use at once.
class Model {
 public:
  /// Loads a file, which is mapped.
  static Model load(const char* path, const LoadOptions& options = {}) {
    const sunmao_load_options given = c_options(options);
    sunmao_model* model = nullptr;
    detail::check(sunmao_load, path, &given, &model);
    return Model(model);
  }
  /// Loads a file, which is mapped.
  static Model load(const std::string& path, const LoadOptions& options = {}) { return load(path.c_str(), options); }
  /// Loads an artifact from memory, which has to stay as it is as long as the model and its sessions.
  static Model load_memory(const void* data, size_t size, const LoadOptions& options = {}) {
    const sunmao_load_options given = c_options(options);
    sunmao_model* model = nullptr;
    detail::check(sunmao_load_memory, data, size, &given, &model);
    return Model(model);
  }
  /// Takes over a model that a C function has loaded.
  explicit Model(sunmao_model* model) noexcept : model_(model) {}

  /// Returns the model for the C functions.
  sunmao_model* handle() const noexcept { return model_.get(); }
  /// Returns the name of the code image in use, such as "x86-64-v4".
  const char* isa() const noexcept { return sunmao_model_isa(handle()); }
  /// Returns the most threads that a run uses now.
  uint32_t threads() const noexcept { return sunmao_model_threads(handle()); }
  /// Returns the text of manifest.json.
  const char* manifest() const noexcept { return sunmao_model_manifest(handle()); }
  /// Returns the program as readable text.
  std::string disassemble() const {
    char* text = nullptr;
    detail::check(sunmao_model_disassemble, handle(), &text);
    const std::unique_ptr<char, detail::Free> owner(text);
    return text;
  }
  /// Writes the prepared weights to a file that can be the `weights_path` of a later load.
  void write_weights(const char* path) const { detail::check(sunmao_model_write_weights, handle(), path); }

  /// Returns the number of functions that can be run.
  size_t function_count() const noexcept { return sunmao_function_count(handle()); }
  /// Returns the signature of the function with this index; throws (E0901) when there is none.
  Signature signature_at(size_t function) const {
    if (function >= function_count()) throw Error("E0901", "the model has no function of this number");
    return Signature(handle(), function);
  }
  /// Returns the signature of a function; without a name that of the only one or, of several, `main`; throws (E0901).
  Signature signature(const char* function = nullptr) const {
    if (!function && function_count() == 1) return Signature(handle(), 0);
    const int64_t found = sunmao_find_function(handle(), function ? function : "main");
    if (found < 0) throw Error("E0901", "the model has no function of this name");
    return Signature(handle(), static_cast<size_t>(found));
  }

  /// Returns the number of states, which each session keeps between runs.
  size_t state_count() const noexcept { return sunmao_state_count(handle()); }
  /// Describes a state; throws (E0901) when there is none of this number.
  Value state(size_t i) const {
    Value out = {};
    if (sunmao_state_info(handle(), i, &out) != 0) throw Error("E0901", "the model has no state of this number");
    return out;
  }
  /// Returns the number of a state, or nothing.
  std::optional<size_t> find_state(const char* name) const noexcept {
    const int64_t found = sunmao_find_state(handle(), name);
    return found < 0 ? std::nullopt : std::optional<size_t>(static_cast<size_t>(found));
  }

 private:
  static sunmao_load_options c_options(const LoadOptions& o) noexcept {
    sunmao_load_options out = SUNMAO_LOAD_OPTIONS_INIT;
    out.threads = o.threads;
    out.verify_weights = o.verify_weights;
    out.isa = o.isa;
    out.weights_path = o.weights_path;
    out.without_code = o.without_code;
    out.cache_folder = o.cache_folder;
    return out;
  }

  std::unique_ptr<sunmao_model, detail::Free> model_;
};

/// What one caller that runs a model has of its own; it keeps the model loaded. Runs do not allocate here after the
/// first one with as many inputs and outputs.
class Session {
 public:
  /// Makes a session of a model, with its states at their first values.
  explicit Session(const Model& model) {
    sunmao_session* session = nullptr;
    detail::check(sunmao_session_create, model.handle(), &session);
    session_.reset(session);
  }
  /// Makes another session of the same model that goes on where this one is.
  Session copy() const {
    sunmao_session* session = nullptr;
    detail::check(sunmao_session_copy, handle(), &session);
    return Session(session);
  }
  /// Takes over a session that a C function has made.
  explicit Session(sunmao_session* session) noexcept : session_(session) {}

  /// Returns the session for the C functions.
  sunmao_session* handle() const noexcept { return session_.get(); }

  /// Runs a function (null: the only one or `main`) and writes its outputs to memory of the caller; an output without
  /// memory becomes a view of the session's, which is valid until its next run.
  void run(Span<const Tensor> inputs, Span<Tensor> outputs, const char* function = nullptr) {
    begin(inputs, outputs);
    detail::check(sunmao_run, handle(), function, inputs_.data(), inputs_.size(), outputs_.data(), outputs_.size());
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!outputs[i].data()) outputs[i] = Tensor(outputs_[i]);
  }
  /// The same for inputs that are written out, such as {x, mask}.
  void run(std::initializer_list<Tensor> inputs, Span<Tensor> outputs, const char* function = nullptr) {
    run(Span<const Tensor>(inputs.begin(), inputs.size()), outputs, function);
  }
  /// The same for a function with one output.
  void run(Span<const Tensor> inputs, Tensor& output, const char* function = nullptr) {
    run(inputs, Span<Tensor>(&output, 1), function);
  }
  /// The same for a function with one output, and inputs that are written out.
  void run(std::initializer_list<Tensor> inputs, Tensor& output, const char* function = nullptr) {
    run(Span<const Tensor>(inputs.begin(), inputs.size()), Span<Tensor>(&output, 1), function);
  }
  /// Runs a function and returns its outputs with memory of their own.
  std::vector<OwnedTensor> run_owned(Span<const Tensor> inputs, size_t output_count, const char* function = nullptr) {
    begin(inputs, {});
    std::vector<DLManagedTensor*> made(output_count);
    std::vector<OwnedTensor> outputs;
    outputs.reserve(output_count);
    detail::check(sunmao_run_managed, handle(), function, inputs_.data(), inputs_.size(), made.data(), made.size());
    for (DLManagedTensor* output : made) outputs.emplace_back(output);
    return outputs;
  }

  /// Gives all states their first values.
  void reset() { detail::check(sunmao_session_reset, handle()); }
  /// Writes the states to a safetensors file.
  void save(const char* path) { detail::check(sunmao_session_save, handle(), path); }
  /// Reads the states from such a file.
  void load(const char* path) { detail::check(sunmao_session_load, handle(), path); }
  /// Returns a copy of the value of a state, by its number in the model.
  OwnedTensor state(size_t i) {
    DLManagedTensor* value = nullptr;
    detail::check(sunmao_session_get_state, handle(), i, &value);
    return OwnedTensor(value);
  }
  /// Gives a state a copy of this value.
  void set_state(size_t i, const Tensor& value) {
    const DLTensor view = value.view();
    detail::check(sunmao_session_set_state, handle(), i, &view);
  }
  /// Lets runs end with E0922 where `should_stop(data)`, asked now and then, is not 0; null: runs ask no longer.
  void set_stop(int (*should_stop)(void* data), void* data = nullptr) {
    detail::check(sunmao_session_set_stop, handle(), should_stop, data);
  }

  /// Starts to record runs, with `max_events` of runs and kernel calls one by one, and drops what was recorded before.
  void profile_start(uint64_t max_events = 0) {
    sunmao_profile_options options = SUNMAO_PROFILE_OPTIONS_INIT;
    options.max_events = max_events;
    detail::check(sunmao_profile_start, handle(), &options);
  }
  /// Stops recording; what was recorded can be read until the next start.
  void profile_stop() { detail::check(sunmao_profile_stop, handle()); }
  /// Returns what the profile holds; throws (E0901) when none was started.
  sunmao_profile_info profile() const {
    sunmao_profile_info info = {};
    if (sunmao_profile_get_info(handle(), &info) != 0) throw Error("E0901", "the session has no profile");
    return info;
  }
  /// Returns a record of the profile, valid until the next run; throws (E0901) when there is none of this number.
  sunmao_profile_record profile_record(size_t i) const {
    sunmao_profile_record record = {};
    if (sunmao_profile_get_record(handle(), i, &record) != 0) throw Error("E0901", "the profile has no such record");
    return record;
  }
  /// Returns one run or kernel call of the profile; throws (E0901) when there is none of this number.
  sunmao_profile_event profile_event(size_t i) const {
    sunmao_profile_event event = {};
    if (sunmao_profile_get_event(handle(), i, &event) != 0) throw Error("E0901", "the profile has no such event");
    return event;
  }

 private:
  void begin(Span<const Tensor> inputs, Span<const Tensor> outputs) {
    inputs_.clear();
    for (const Tensor& input : inputs) inputs_.push_back(input.view());
    outputs_.clear();
    for (const Tensor& output : outputs) outputs_.push_back(output.view());
  }

  std::unique_ptr<sunmao_session, detail::Free> session_;
  std::vector<DLTensor> inputs_, outputs_;  // the arguments of a run, kept for their memory
};

/// Returns the version of the library, such as "0.1.0".
inline const char* version() noexcept { return sunmao_version(); }
/// Sets the most threads of one run in the whole process; 0 restores the default.
inline void set_threads(uint32_t count) noexcept { sunmao_set_threads(count); }
/// Returns that number.
inline uint32_t threads() noexcept { return sunmao_get_threads(); }

}  // namespace sunmao
#endif  // SUNMAO_SUNMAO_HPP_
