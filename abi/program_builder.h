// ProgramBuilder: encodes a `program.bin` from tables, instructions, string and dim pools. It does not check its input.
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "abi/bytecode.h"

namespace sunmao::abi {

class ProgramBuilder {
 public:
  /// A parameter or result. `dims` holds sizes and values returned by `symbol`.
  struct Value {
    std::string name;
    ElementType type;
    std::vector<int64_t> dims;
    uint32_t weight = kNone;
  };

  /// Adds a text to the string pool; equal texts share their bytes.
  StringRef text(std::string_view text) { return {intern(text), static_cast<uint32_t>(text.size())}; }
  /// Returns the dim pool's encoding of a symbol.
  int64_t symbol(std::string_view name) { return -(int64_t{intern(name)} + 1); }

  uint32_t add_weight(std::string_view name, ElementType type, const std::vector<int64_t>& shape) {
    weights_.push_back({text(name), type, static_cast<uint32_t>(shape.size()), add_dims(shape)});
    return static_cast<uint32_t>(weights_.size() - 1);
  }
  /// Adds a state, to which values are bound by kState plus the number returned. `weight`: its first value.
  uint32_t add_state(std::string_view name, ElementType type, const std::vector<int64_t>& shape,
                     uint32_t weight = kNone) {
    states_.push_back({text(name), type, static_cast<uint32_t>(shape.size()), add_dims(shape), weight});
    return static_cast<uint32_t>(states_.size() - 1);
  }
  /// Adds a kernel; `written` are the buffers that it writes.
  uint32_t add_kernel(std::string_view name, uint32_t buffer_count, uint32_t dim_count,
                      const std::vector<uint32_t>& written = {}) {
    kernels_.push_back({text(name), buffer_count, dim_count});
    const size_t first = written_.size();
    written_.resize(first + written_words(kernels_.back()));
    for (const uint32_t buffer : written) written_[first + buffer / 32] |= uint32_t{1} << buffer % 32;
    return static_cast<uint32_t>(kernels_.size() - 1);
  }

  /// Starts a function, to which the following instructions belong. Inner functions are the last ones, and may be
  /// called by their number before they are added.
  void begin_function(std::string_view name, const std::vector<Value>& params, const std::vector<Value>& results) {
    FunctionRecord f = {};
    f.name = text(name);
    f.first_param = static_cast<uint32_t>(values_.size());
    f.param_count = static_cast<uint32_t>(params.size());
    for (const Value& value : params) add_value(value);
    f.first_result = static_cast<uint32_t>(values_.size());
    f.result_count = static_cast<uint32_t>(results.size());
    for (const Value& value : results) add_value(value);
    f.first_word = static_cast<uint32_t>(words_.size());
    functions_.push_back(f);
  }
  void begin_inner_function(std::string_view name, const std::vector<Value>& params,
                            const std::vector<Value>& results) {
    begin_function(name, params, results);
    ++inner_functions_;
  }
  /// Adds a function of the host.
  void add_host_function(std::string_view form, const std::vector<Value>& params, const std::vector<Value>& results) {
    begin_inner_function(form, params, results);
  }
  uint32_t function_count() const { return static_cast<uint32_t>(functions_.size()); }
  uint32_t new_dim() { return functions_.back().dim_registers++; }
  uint32_t new_tensor() { return functions_.back().tensor_registers++; }
  uint32_t new_slot() { return functions_.back().storage_slots++; }

  /// Appends an instruction to the current function and returns the index of its first word, the unit of jumps.
  uint32_t emit(Opcode opcode, const std::vector<uint32_t>& operands = {}) {
    const uint32_t at = here();
    words_.push_back(static_cast<uint32_t>(opcode) | static_cast<uint32_t>(operands.size() + 1) << 16);
    words_.insert(words_.end(), operands.begin(), operands.end());
    functions_.back().word_count = here();
    return at;
  }
  /// Returns the index of the first word of the next instruction in the current function.
  uint32_t here() const { return static_cast<uint32_t>(words_.size()) - functions_.back().first_word; }
  /// Sets the target of the jump at `at` to the next instruction.
  void land(uint32_t at) {
    const uint32_t first = functions_.back().first_word;
    words_[first + at + (words_[first + at] >> 16) - 1] = here();
  }

  // bind_dim, constant_dim and compute_dim emit one instruction and return the dim register with its result.
  uint32_t bind_dim(uint32_t param, uint32_t axis) {
    const uint32_t d = new_dim();
    emit(Opcode::BindDim, {d, param, axis});
    return d;
  }
  uint32_t constant_dim(int64_t value) {
    const uint32_t d = new_dim();
    emit(Opcode::ConstDim, {d, low(value), high(value)});
    return d;
  }
  uint32_t compute_dim(Opcode opcode, const std::vector<uint32_t>& dims) {
    std::vector<uint32_t> operands = {new_dim()};
    const uint32_t d = operands[0];
    operands.insert(operands.end(), dims.begin(), dims.end());
    emit(opcode, operands);
    return d;
  }
  void guard_range(uint32_t dim, int64_t least, int64_t most, std::string_view symbol_name) {
    const StringRef name = text(symbol_name);
    emit(Opcode::GuardRange, {dim, low(least), high(least), low(most), high(most), name.offset, name.size});
  }
  /// Emits an equality check. `text_of_check` states the equality; the runtime appends both values to it.
  void check_equal(uint32_t value, uint32_t expected, std::string_view text_of_check) {
    const StringRef words = text(text_of_check);
    emit(Opcode::CheckTrue, {compute_dim(Opcode::EqualDim, {value, expected}), words.offset, words.size});
  }
  uint32_t storage(uint32_t bytes_dim) {
    const uint32_t s = new_slot();
    emit(Opcode::Storage, {s, bytes_dim});
    return s;
  }
  /// Emits Slot, Result or View: returns a tensor register for `of` (a slot, result or tensor) with this type and
  /// shape.
  uint32_t tensor(Opcode opcode, uint32_t of, ElementType type, const std::vector<uint32_t>& dims) {
    std::vector<uint32_t> operands = {new_tensor(), of, pack(type), static_cast<uint32_t>(dims.size())};
    const uint32_t t = operands[0];
    operands.insert(operands.end(), dims.begin(), dims.end());
    emit(opcode, operands);
    return t;
  }
  /// Emits Part: returns a register for what lies in `tensor` from byte `begin` on.
  uint32_t part(uint32_t tensor, uint32_t begin, ElementType type, const std::vector<uint32_t>& dims) {
    std::vector<uint32_t> operands = {new_tensor(), tensor, begin, pack(type), static_cast<uint32_t>(dims.size())};
    const uint32_t t = operands[0];
    operands.insert(operands.end(), dims.begin(), dims.end());
    emit(Opcode::Part, operands);
    return t;
  }
  /// Emits Block.
  uint32_t block(ElementType type, const std::vector<uint32_t>& dims) {
    std::vector<uint32_t> operands = {new_tensor(), pack(type), static_cast<uint32_t>(dims.size())};
    const uint32_t t = operands[0];
    operands.insert(operands.end(), dims.begin(), dims.end());
    emit(Opcode::Block, operands);
    return t;
  }
  /// Emits Values.
  uint32_t values(const std::vector<uint32_t>& dims) {
    std::vector<uint32_t> operands = {new_tensor(), static_cast<uint32_t>(dims.size())};
    const uint32_t t = operands[0];
    operands.insert(operands.end(), dims.begin(), dims.end());
    emit(Opcode::Values, operands);
    return t;
  }
  void check_values(uint32_t tensor, const std::vector<uint32_t>& dims) {
    std::vector<uint32_t> operands = {tensor, static_cast<uint32_t>(dims.size())};
    operands.insert(operands.end(), dims.begin(), dims.end());
    emit(Opcode::CheckValues, operands);
  }
  /// Emits Own: returns a register for the contents of `tensor`, in a block that none of `others` is in.
  uint32_t own(uint32_t tensor, const std::vector<uint32_t>& others) {
    std::vector<uint32_t> operands = {new_tensor(), tensor, static_cast<uint32_t>(others.size())};
    const uint32_t t = operands[0];
    operands.insert(operands.end(), others.begin(), others.end());
    emit(Opcode::Own, operands);
    return t;
  }
  void give(uint32_t tensor, const std::vector<uint32_t>& others) {
    std::vector<uint32_t> operands = {tensor, static_cast<uint32_t>(others.size())};
    operands.insert(operands.end(), others.begin(), others.end());
    emit(Opcode::Give, operands);
  }
  /// Emits Param or Constant.
  uint32_t tensor(Opcode opcode, uint32_t of) {
    const uint32_t t = new_tensor();
    emit(opcode, {t, of});
    return t;
  }
  void call(uint32_t kernel, const std::vector<uint32_t>& tensors, const std::vector<uint32_t>& dims) {
    std::vector<uint32_t> operands = {kernel, static_cast<uint32_t>(tensors.size()),
                                      static_cast<uint32_t>(dims.size())};
    operands.insert(operands.end(), tensors.begin(), tensors.end());
    operands.insert(operands.end(), dims.begin(), dims.end());
    emit(Opcode::Call, operands);
  }

  /// Returns the bytes of `program.bin`.
  std::vector<uint8_t> finish() const {
    ProgramHeader h = {};
    std::vector<uint8_t> out(sizeof(h));
    h.magic = kBytecodeMagic;
    h.version = kBytecodeVersion;
    h.inner_function_count = inner_functions_;
    // The dim pool comes first, since it needs alignment to 8 bytes.
    out.resize((out.size() + 7) / 8 * 8);
    append(out, dims_, h.dim_offset, h.dim_count);
    append(out, functions_, h.function_offset, h.function_count);
    append(out, values_, h.value_offset, h.value_count);
    append(out, weights_, h.weight_offset, h.weight_count);
    append(out, states_, h.state_offset, h.state_count);
    append(out, kernels_, h.kernel_offset, h.kernel_count);
    append(out, written_, h.written_offset, h.written_count);
    append(out, words_, h.word_offset, h.word_count);
    append(out, strings_, h.string_offset, h.string_size);
    h.file_size = static_cast<uint32_t>(out.size());
    std::memcpy(out.data(), &h, sizeof(h));
    return out;
  }

  static uint32_t low(int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value)); }
  static uint32_t high(int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32); }
  static uint32_t pack(ElementType type) {
    return uint32_t{type.code} | uint32_t{type.bits} << 8 | uint32_t{type.lanes} << 16;
  }

 private:
  /// Pool entries are NUL-terminated, as symbols must be.
  uint32_t intern(std::string_view text) {
    const auto [known, is_new] = text_offsets_.try_emplace(std::string(text), static_cast<uint32_t>(strings_.size()));
    if (is_new) {
      strings_.insert(strings_.end(), text.begin(), text.end());
      strings_.push_back('\0');
    }
    return known->second;
  }
  uint32_t add_dims(const std::vector<int64_t>& dims) {
    const auto first = static_cast<uint32_t>(dims_.size());
    dims_.insert(dims_.end(), dims.begin(), dims.end());
    return first;
  }
  void add_value(const Value& value) {
    values_.push_back(
        {text(value.name), value.type, static_cast<uint32_t>(value.dims.size()), add_dims(value.dims), value.weight});
  }
  template <class T>
  static void append(std::vector<uint8_t>& out, const std::vector<T>& items, uint32_t& offset, uint32_t& count) {
    offset = static_cast<uint32_t>(out.size());
    count = static_cast<uint32_t>(items.size());
    out.resize(out.size() + items.size() * sizeof(T));
    if (!items.empty()) std::memcpy(out.data() + offset, items.data(), items.size() * sizeof(T));
  }

  std::vector<FunctionRecord> functions_;
  uint32_t inner_functions_ = 0;
  std::vector<ValueRecord> values_;
  std::vector<WeightRecord> weights_;
  std::vector<StateRecord> states_;
  std::vector<KernelRecord> kernels_;
  std::vector<uint32_t> written_;
  std::vector<int64_t> dims_;
  std::vector<uint32_t> words_;
  std::vector<char> strings_;
  std::map<std::string, uint32_t> text_offsets_;
};

}  // namespace sunmao::abi
