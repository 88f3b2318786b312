// Scalars compiled to closures over a frame of numbers, so that the interpreter does not traverse expressions per
// element.
#pragma once
#include <concepts>
#include <functional>
#include <optional>
#include <unordered_map>

#include "eval/element.h"
#include "loop/buffer.h"

namespace sunmao {

struct Intrinsic;

/// The location, shape and strides of a buffer while a function is interpreted.
struct BoundBuffer {
  std::byte* memory = nullptr;
  int64_t memory_bits = 0;              // bounds the views of the memory
  std::vector<int64_t> shape, strides;  // strides in elements
  int64_t offset = 0;                   // of the first element, in elements from `memory`
};

/// An element: the memory that holds it, and its index there.
struct ElementPlace {
  std::byte* memory;
  int64_t index;
};

/// The state of one run of a function: symbols and buffers by slot index.
struct Frame {
  std::vector<Number> symbols;
  std::vector<BoundBuffer> buffers;
  std::optional<Number> returned = {};  // set by the statement that returns
  const std::function<bool()>* is_cancelled = nullptr;
  uint64_t turns = 0;  // iterations of all loops
};

/// Computes a number in a frame. Most operands and indices are constants and symbols, which take no call.
class NumberFn {
 public:
  NumberFn() = default;
  template <std::invocable<Frame&> Fn>
    requires(!std::same_as<Fn, NumberFn>)
  NumberFn(Fn fn) : kind_(Kind::Computed), computed_(std::move(fn)) {}
  static NumberFn constant(Number value) { return {Kind::Constant, value}; }
  static NumberFn symbol(size_t slot) { return {Kind::Symbol, int_number(static_cast<int64_t>(slot))}; }

  Number operator()(Frame& f) const {
    if (kind_ == Kind::Symbol) return f.symbols[static_cast<size_t>(value_.i)];
    return kind_ == Kind::Constant ? value_ : computed_(f);
  }
  explicit operator bool() const { return kind_ != Kind::None; }

 private:
  enum class Kind { None, Constant, Symbol, Computed };
  NumberFn(Kind kind, Number value) : kind_(kind), value_(value) {}
  Kind kind_ = Kind::None;
  Number value_ = {};  // the constant, or the slot of the symbol
  std::function<Number(Frame&)> computed_;
};

/// Computes the place of an element of a buffer; fails (E0506) when an index is out of bounds.
class PlaceFn {
 public:
  PlaceFn(size_t slot, std::vector<NumberFn> indices, std::string name)
      : slot_(slot), indices_(std::move(indices)), name_(std::move(name)) {}
  ElementPlace operator()(Frame& f) const {
    const BoundBuffer& b = f.buffers[slot_];
    int64_t index = b.offset;
    for (size_t d = 0; d < indices_.size(); ++d) {
      const int64_t at = indices_[d](f).i;
      if (at < 0 || at >= b.shape[d]) fail_bounds(at, d, b.shape[d]);
      index += at * b.strides[d];
    }
    return {b.memory, index};
  }

 private:
  [[noreturn]] void fail_bounds(int64_t at, size_t dim, int64_t size) const;
  size_t slot_;
  std::vector<NumberFn> indices_;
  std::string name_;  // of the buffer
};

/// Applies an arithmetic operation to numbers of `dtype`, other than uint64's quotients and extremes, and rounds to it.
Number apply(BinaryOp op, DType dtype, Number a, Number b);

/// Assigns slots and compiles scalars to closures, for one function.
class ScalarCompiler {
 public:
  size_t slot(const SymVar& var);
  size_t slot(const Buffer& buffer);
  NumberFn compile(const Scalar& s);
  /// Returns the place of buffer[indices].
  PlaceFn place(const Ref<Buffer>& buffer, const std::vector<Scalar>& indices);
  size_t symbol_count() const { return symbols_.size(); }
  size_t buffer_count() const { return buffers_.size(); }

 private:
  NumberFn compile_binary(const Binary& n);
  NumberFn compile_call(const ScalarCall& n);
  NumberFn compile_index_check(const ScalarCall& n);
  /// Compiles a dot product of bytes or int16 that are loaded side by side; null for other calls.
  NumberFn compile_integer_dot(const ScalarCall& n);
  NumberFn compile_pair_dot(const ScalarCall& n);
  static NumberFn compile_intrinsic(const Intrinsic& known, const ScalarCall& n, std::vector<NumberFn>& args);
  std::unordered_map<const SymVar*, size_t> symbols_;
  std::unordered_map<const Buffer*, size_t> buffers_;
};

}  // namespace sunmao
