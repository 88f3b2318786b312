// KernelBuilder: builds loop-level functions for op lowerings: parameters from types, loop nests with blocks from
// lambdas.
#pragma once
#include <functional>

#include "loop/prim_func.h"

namespace sunmao {

using Indices = std::vector<Scalar>;

/// An annotation of a block that stores a parameter of the kernel in another layout.
inline constexpr const char* kRelayoutMark = "meta_schedule.layout_rewrite_preproc";

class KernelBuilder {
 public:
  /// `name` is used in error messages.
  explicit KernelBuilder(std::string name) : name_(std::move(name)) {}

  /// Add a parameter with the type's shape and dtype; fail (E0314) unless both are known. `alloc` adds a buffer that is
  /// local to the function instead.
  Ref<Buffer> input(const std::string& name, const Type& type);
  Ref<Buffer> output(const std::string& name, const Type& type);
  Ref<Buffer> alloc(const std::string& name, DType dtype, std::vector<Scalar> shape);

  /// Emits out[i…] = value(i…) for all elements of `out`.
  void compute(const Ref<Buffer>& out, const std::string& block, const std::function<Scalar(const Indices&)>& value);
  /// Emits out[i…] = value(i…, r…) combined over all r…, starting from `init`.
  struct Reduction {
    Scalar init;
    std::function<Scalar(const Scalar& accumulator, const Scalar& value)> combine;
  };
  void reduce(const Ref<Buffer>& out, const std::string& block, const std::vector<Scalar>& extents,
              const Reduction& reduction,
              const std::function<Scalar(const Indices& spatial, const Indices& reduced)>& value);
  /// A reduction over a domain other than the output's shape: `target` maps spatial indices to output indices; points
  /// at which `predicate` is false are skipped.
  struct ReductionBlock {
    std::string name;
    std::vector<Scalar> spatial, reduced;
    Ref<Buffer> out;
    std::function<Indices(const Indices& spatial)> target;
    std::function<Scalar(const Indices& loops)> predicate = {};  // unset or null: no predicate
    Reduction reduction;
    std::function<Scalar(const Indices& spatial, const Indices& reduced)> value;
    Attrs annotations = {};
  };
  void reduce_block(const ReductionBlock& block);
  /// Emits out[i…] = value(i…, r…, out[i…]) for all r… in order; `out` must be initialised.
  void accumulate(
      const Ref<Buffer>& out, const std::string& block, const std::vector<Scalar>& extents,
      const std::function<Scalar(const Indices& spatial, const Indices& reduced, const Scalar& old)>& value);
  /// Emits a scan along `axis`: out[i…] = first(i…) at index 0, then next(i…, previous element along the axis).
  void scan(const Ref<Buffer>& out, const std::string& block, size_t axis,
            const std::function<Scalar(const Indices&)>& first,
            const std::function<Scalar(const Indices&, const Scalar& previous)>& next);
  /// Emits to[target(i…)] = from[i…] for all elements of `from`; targets must be distinct.
  void scatter(const Ref<Buffer>& from, const Ref<Buffer>& to, const std::string& block,
               const std::function<Indices(const Indices&)>& target, Attrs annotations = {});
  /// Emits to[place(i…)] = from[i…], marked as a change of layout.
  void relayout(const Ref<Buffer>& from, const Ref<Buffer>& to, const std::function<Indices(const Indices&)>& place) {
    scatter(from, to, "layout", place, Attrs().with(kRelayoutMark, true));
  }
  /// Statements that are executed for each point of `spatial`. `locals` are buffers private to a point; `reads` and
  /// `writes` are the other buffers that the body accesses.
  struct Steps {
    std::string name;
    std::vector<Scalar> spatial;
    std::vector<Ref<Buffer>> reads, writes, locals;
    std::function<Stmt(const Indices& at)> body;
  };
  void steps(const Steps& steps);
  /// Sets an attribute of the function, such as a hint for schedules.
  void attr(const std::string& name, AttrValue value);

  /// Returns the function, with the attribute `tirx.noalias`. A symbol in the shape of a parameter, or in a value of
  /// `compute`, a reduction, `accumulate` or `scan`, becomes a scalar parameter at the end unless it is a whole
  /// dimension of a parameter.
  Ref<PrimFunc> finish() &&;

 private:
  Ref<Buffer> param(const std::string& name, const Type& type);
  void note_symbols(const Scalar& value, const Indices& own);
  std::string name_;
  std::vector<PrimParam> params_;
  std::vector<Ref<Buffer>> allocs_;
  std::vector<Stmt> stmts_;
  std::vector<Ref<SymVar>> symbols_;  // used in values, other than block iterators
  Attrs attrs_;
};

/// Wraps `body` in a root block, which scripts omit, with the allocations `allocs`.
Stmt root_block(Stmt body, std::vector<Ref<Buffer>> allocs = {});
Scalar load(const Ref<Buffer>& buffer, std::vector<Scalar> indices);
/// Returns a constant of `dtype`.
Scalar constant(DType dtype, double value);
/// Returns the hint that the memory of an element will be read soon.
Stmt prefetch(const Ref<Buffer>& buffer, std::vector<Scalar> indices);
/// The element that a statement names as a hint to read soon; null for other statements.
const BufferLoad* find_prefetch(const Stmt& s);
/// Returns a unary intrinsic call: exp, sqrt, tanh, …
Scalar intrinsic(const std::string& name, Scalar x);

}  // namespace sunmao
