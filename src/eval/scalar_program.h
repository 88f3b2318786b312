// Scalars compiled to closures over a frame of numbers, so that the interpreter does not traverse expressions per
// element.
#pragma once
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

using NumberFn = std::function<Number(Frame&)>;

/// Assigns slots and compiles scalars to closures, for one function.
class ScalarCompiler {
 public:
  size_t slot(const SymVar& var);
  size_t slot(const Buffer& buffer);
  NumberFn compile(const Scalar& s);
  /// Returns a closure that computes the place of buffer[indices]; it fails (E0506) when an index is out of bounds.
  std::function<ElementPlace(Frame&)> place(const Ref<Buffer>& buffer, const std::vector<Scalar>& indices);
  size_t symbol_count() const { return symbols_.size(); }
  size_t buffer_count() const { return buffers_.size(); }

 private:
  NumberFn compile_binary(const Binary& n);
  NumberFn compile_call(const ScalarCall& n);
  NumberFn compile_index_check(const ScalarCall& n);
  /// Compiles a dot product of bytes that are loaded side by side; null for other calls.
  NumberFn compile_byte_dot(const ScalarCall& n);
  static NumberFn compile_intrinsic(const Intrinsic& known, const ScalarCall& n, std::vector<NumberFn>& args);
  std::unordered_map<const SymVar*, size_t> symbols_;
  std::unordered_map<const Buffer*, size_t> buffers_;
};

}  // namespace sunmao
