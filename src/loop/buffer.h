// Buffers of the loop level, and loads from them.
#pragma once
#include <string>
#include <vector>

#include "sym/equal.h"
#include "sym/scalar.h"

namespace sunmao {

/// Memory with a shape, identified by its node. Without strides it is dense and row-major.
struct Buffer final : Node {
  const std::string name;
  const DType dtype;
  const std::vector<Scalar> shape;
  const std::vector<Scalar> strides;           // empty: dense, row-major
  const Scalar elem_offset;                    // in elements; null: 0
  const std::string scope;                     // "global", "local" (registers after unrolling), "shared" …
  const int64_t align;                         // alignment of the first element in bytes; default 64
  const int64_t offset_factor;                 // the offset is a multiple of it; 0: unknown
  const std::vector<int64_t> axis_separators;  // indices of dimensions that start a new physical dimension
  const Ref<SymVar> data;                      // the data pointer used in scripts; may be null
  const Span span;

  struct Options {
    std::vector<Scalar> strides = {};
    Scalar elem_offset = {};
    std::string scope = "global";
    int64_t align = 64;
    int64_t offset_factor = 0;
    std::vector<int64_t> axis_separators = {};
    Ref<SymVar> data = {};
    Span span = {};
  };
  static Ref<Buffer> make(std::string name, DType dtype, std::vector<Scalar> shape, Options options);
  static Ref<Buffer> make(std::string name, DType dtype, std::vector<Scalar> shape);
  int rank() const { return static_cast<int>(shape.size()); }
  bool is_dense() const { return strides.empty(); }

 private:
  Buffer(std::string n, DType t, std::vector<Scalar> s, Options o)
      : name(std::move(n)), dtype(t), shape(std::move(s)), strides(std::move(o.strides)),
        elem_offset(std::move(o.elem_offset)), scope(std::move(o.scope)), align(o.align),
        offset_factor(o.offset_factor), axis_separators(std::move(o.axis_separators)), data(std::move(o.data)),
        span(std::move(o.span)) {}
};

/// The value of buffer[indices]. The last index may be a vector (a ramp), whose lanes multiply those of the buffer's
/// dtype in the result; only lanes for which the mask `predicate` is true are read (null: all).
struct BufferLoad final : ExternScalar {
  const Ref<Buffer> buffer;
  const std::vector<Scalar> indices;
  const Scalar predicate;
  static Scalar make(Ref<Buffer> buffer, std::vector<Scalar> indices, Span span = {});
  static Scalar make_masked(Ref<Buffer> buffer, std::vector<Scalar> indices, Scalar predicate, Span span = {});
  static bool matches(const ScalarNode& n);
  /// Returns a load from `new_buffer` at `new_indices`, with the same mask.
  Scalar with_place(Ref<Buffer> new_buffer, std::vector<Scalar> new_indices) const;

  std::span<const Scalar> operands() const override { return predicate ? masked_ : indices; }
  Scalar with_operands(std::vector<Scalar> operands) const override;
  bool same_head(const ExternScalar& other, Equality& equality) const override;
  void hash_head(StructuralHasher& hasher) const override;
  const char* head_kind() const override;

 private:
  BufferLoad(Ref<Buffer> b, std::vector<Scalar> i, Scalar p, std::vector<Scalar> masked, DType t, Span s)
      : ExternScalar(t, std::move(s), depth_over(i, p)), buffer(std::move(b)), indices(std::move(i)),
        predicate(std::move(p)), masked_(std::move(masked)) {}
  const std::vector<Scalar> masked_;  // indices followed by the mask; empty without a mask
};

/// Fails (E0316) unless `indices` has one index per dimension, each of an integer or bool dtype.
void check_indices(const Buffer& buffer, const std::vector<Scalar>& indices, const Span& span);
/// Fails (E0316) unless the mask is a vector of booleans (or of 1-bit integers) with as many lanes as the last index.
void check_mask(const Buffer& buffer, const std::vector<Scalar>& indices, const Scalar& predicate, const Span& span);

struct Range {
  Scalar min, extent;
};

/// A rectangular region of a buffer, for the access regions of blocks.
struct BufferRegion {
  Ref<Buffer> buffer;
  std::vector<Range> region;
};

}  // namespace sunmao
