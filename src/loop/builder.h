// KernelBuilder: how op lowerings write loop IR: parameters from types, loop nests with blocks from lambdas.
#pragma once
#include <functional>

#include "loop/prim_func.h"

namespace sunmao {

using Indices = std::vector<Scalar>;

class KernelBuilder {
 public:
  /// `name` becomes the hint for the function's name in a module.
  explicit KernelBuilder(std::string name) : name_(std::move(name)) {}

  /// A parameter of the type's shape and dtype; the type must have a known shape (E0314 otherwise).
  Ref<Buffer> input(const std::string& name, const Type& type);
  Ref<Buffer> output(const std::string& name, const Type& type);
  Ref<Buffer> alloc(const std::string& name, DType dtype, std::vector<Scalar> shape);

  /// out[i…] = value(i…) over the whole of `out`.
  void compute(const Ref<Buffer>& out, const std::string& block, const std::function<Scalar(const Indices&)>& value);
  /// out[i…] = combine over r… of value(i…, r…), starting from `init`.
  struct Reduction {
    Scalar init;
    std::function<Scalar(const Scalar& accumulator, const Scalar& value)> combine;
  };
  void reduce(const Ref<Buffer>& out, const std::string& block, const std::vector<Scalar>& extents,
              const Reduction& reduction,
              const std::function<Scalar(const Indices& spatial, const Indices& reduced)>& value);
  /// The general form: a domain that is not the output's shape, mapped into it by `target`, where `predicate` holds.
  struct ReductionBlock {
    std::string name;
    std::vector<Scalar> spatial, reduced;
    Ref<Buffer> out;
    std::function<Indices(const Indices& spatial)> target;
    std::function<Scalar(const Indices& loops)> predicate = {};  // not set, or null from it: everywhere
    Reduction reduction;
    std::function<Scalar(const Indices& spatial, const Indices& reduced)> value;
    Attrs annotations = {};
  };
  void reduce_block(const ReductionBlock& block);
  /// For all r…, in their order: out[i…] = value(i…, r…, out[i…]). What `out` holds before is the start.
  void accumulate(
      const Ref<Buffer>& out, const std::string& block, const std::vector<Scalar>& extents,
      const std::function<Scalar(const Indices& spatial, const Indices& reduced, const Scalar& old)>& value);
  /// In order along `axis`: out[i…] = first(i…) at the start, then next(i…, the value before it along the axis).
  void scan(const Ref<Buffer>& out, const std::string& block, size_t axis,
            const std::function<Scalar(const Indices&)>& first,
            const std::function<Scalar(const Indices&, const Scalar& previous)>& next);
  /// to[target(i…)] = from[i…] over the whole of `from`; no two elements share a target.
  void scatter(const Ref<Buffer>& from, const Ref<Buffer>& to, const std::string& block,
               const std::function<Indices(const Indices&)>& target);
  /// At each point of `spatial`, statements in their order. `locals` are memory of one point alone; what the body reads
  /// and writes beside them is said by `reads` and `writes`.
  struct Steps {
    std::string name;
    std::vector<Scalar> spatial;
    std::vector<Ref<Buffer>> reads, writes, locals;
    std::function<Stmt(const Indices& at)> body;
  };
  void steps(const Steps& steps);
  /// Attributes of the function, such as what it is to schedulers.
  void attr(const std::string& name, AttrValue value);

  /// Symbols that no parameter's shape names alone become scalar parameters at the end.
  Ref<PrimFunc> finish() &&;

 private:
  Ref<Buffer> param(const std::string& name, const Type& type);
  void note_symbols(const Scalar& value, const Indices& own);
  std::string name_;
  std::vector<PrimParam> params_;
  std::vector<Ref<Buffer>> allocs_;
  std::vector<Stmt> stmts_;
  std::vector<Ref<SymVar>> symbols_;  // that values use, beside the iterators of their blocks
  Attrs attrs_;
};

/// Wraps `body` in the root block that scripts leave out, which owns `allocs`.
Stmt root_block(Stmt body, std::vector<Ref<Buffer>> allocs = {});
Scalar load(const Ref<Buffer>& buffer, std::vector<Scalar> indices);
/// A literal of `dtype`.
Scalar constant(DType dtype, double value);
/// An intrinsic on operands of one dtype: exp, sqrt, tanh …
Scalar intrinsic(const std::string& name, Scalar x);

}  // namespace sunmao
