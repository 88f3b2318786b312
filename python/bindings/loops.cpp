// Bindings of the loop level: buffers, and kernels built from stages; a stage computes a buffer from a scalar
// expression.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "ir/size_demands.h"
#include "loop/builder.h"
#include "loop/join_kernels.h"
#include "loop/walk.h"
#include "ops/lowering.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "sym/walk.h"

namespace sunmao::python {
namespace {

// A stage: out[axes] = value, or with reduced axes the combination of the values over them, starting from `init`.
struct KernelStage {
  Ref<Buffer> out;
  std::vector<Ref<SymVar>> axes;
  Scalar value;
  std::vector<Ref<SymVar>> reduced;
  std::vector<Scalar> extents;
  std::optional<Scalar> init;
  std::optional<Ref<SymVar>> left, right;  // the operands of `combined`
  std::optional<Scalar> combined;
};

class KernelStageWriter {
 public:
  explicit KernelStageWriter(const std::string& name) : builder_(name) {}

  void input(const Ref<Buffer>& b) { made_[b] = builder_.input(b->name, TensorType::make(b->shape, b->dtype)); }
  void output(const Ref<Buffer>& b) { made_[b] = builder_.output(b->name, TensorType::make(b->shape, b->dtype)); }
  void write(const KernelStage& s) {
    if (!made_.contains(s.out)) made_[s.out] = builder_.alloc(s.out->name, s.out->dtype, s.out->shape);
    Ref<Buffer> out = made_[s.out];
    if (!s.init) {
      builder_.compute(out, s.out->name, [&](const Indices& at) { return at_point(s, at, {}); });
      return;
    }
    KernelBuilder::Reduction reduction{*s.init, [&](const Scalar& a, const Scalar& b) {
                                         Substitution operands{{*s.left, a}, {*s.right, b}};
                                         return substitute(*s.combined, operands);
                                       }};
    builder_.reduce(out, s.out->name, s.extents, reduction,
                    [&](const Indices& at, const Indices& r) { return at_point(s, at, r); });
  }
  Ref<PrimFunc> finish() && { return std::move(builder_).finish(); }

 private:
  Scalar at_point(const KernelStage& s, const Indices& at, const Indices& r) const {
    Substitution point;
    for (size_t i = 0; i < s.axes.size(); ++i) point.emplace(s.axes[i], at[i]);
    for (size_t i = 0; i < s.reduced.size(); ++i) point.emplace(s.reduced[i], r[i]);
    return substitute(s.value, point, made_);
  }
  KernelBuilder builder_;
  BufferMap made_;
};

Ref<PrimFunc> kernel(const std::string& name, const std::vector<Ref<Buffer>>& inputs,
                     const std::vector<Ref<Buffer>>& outputs, const std::vector<KernelStage>& stages) {
  KernelStageWriter writer(name);
  for (const Ref<Buffer>& b : inputs) writer.input(b);
  for (const Ref<Buffer>& b : outputs) writer.output(b);
  for (const KernelStage& s : stages) writer.write(s);
  return std::move(writer).finish();
}

Ref<Buffer> make_buffer(const std::string& name, const std::string& type, const std::vector<Scalar>& shape,
                        const std::vector<Scalar>& strides, const std::optional<Scalar>& offset,
                        const std::string& scope, int64_t align, int64_t factor, const std::vector<int64_t>& separators,
                        const std::optional<Ref<SymVar>>& data, const std::optional<Span>& span) {
  return Buffer::make(name, dtype(type), shape,
                      {.strides = strides,
                       .elem_offset = offset.value_or(Scalar()),
                       .scope = scope,
                       .align = align,
                       .offset_factor = factor,
                       .axis_separators = separators,
                       .data = data.value_or(Ref<SymVar>()),
                       .span = span.value_or(Span())});
}

}  // namespace

void bind_loops(nb::module_& m) {
  nb::class_<Buffer>(m, "Buffer", "Memory with a shape.")
      .def_ro("name", &Buffer::name)
      .def_prop_ro("dtype", [](const Buffer& b) { return b.dtype.str(); })
      .def_ro("shape", &Buffer::shape)
      .def_ro("strides", &Buffer::strides)
      .def_prop_ro(
          "elem_offset", [](const Buffer& b) { return b.elem_offset; },
          nb::sig("def elem_offset(self) -> Scalar | None"))
      .def_ro("align", &Buffer::align)
      .def_ro("offset_factor", &Buffer::offset_factor)
      .def_ro("axis_separators", &Buffer::axis_separators)
      .def_prop_ro(
          "data", [](const Buffer& b) { return b.data; }, nb::sig("def data(self) -> SymVar | None"))
      .def_prop_ro("scope", [](const Buffer& b) { return b.scope; })
      .def_prop_ro(
          "span", [](const Buffer& b) { return b.span; }, nb::sig("def span(self) -> Span | None"))
      .def("__repr__", [](const Ref<Buffer>& b) { return print(b); });
  nb::class_<BufferLoad, ScalarNode>(m, "BufferLoad", "An element of a buffer.")
      .def_prop_ro("buffer", [](const BufferLoad& l) { return l.buffer; })
      .def_ro("indices", &BufferLoad::indices)
      .def_prop_ro(
          "predicate", [](const BufferLoad& l) { return l.predicate; },
          nb::sig("def predicate(self) -> Scalar | None"));
  nb::class_<KernelStage>(m, "KernelStage", "A buffer and what fills it.")
      .def(
          "__init__",
          [](KernelStage* self, const Ref<Buffer>& out, const std::vector<Ref<SymVar>>& axes, const Scalar& value) {
            new (self) KernelStage{.out = out,
                                   .axes = axes,
                                   .value = value,
                                   .reduced = {},
                                   .extents = {},
                                   .init = {},
                                   .left = {},
                                   .right = {},
                                   .combined = {}};
          },
          nb::arg("out"), nb::arg("axes"), nb::arg("value"))
      .def(
          "over",
          [](const KernelStage& self, const std::vector<Ref<SymVar>>& reduced, const std::vector<Scalar>& extents,
             const Scalar& init, const Ref<SymVar>& left, const Ref<SymVar>& right, const Scalar& combined) {
            KernelStage s = self;
            s.reduced = reduced;
            s.extents = extents;
            s.init = init;
            s.left = left;
            s.right = right;
            s.combined = combined;
            return s;
          },
          nb::arg("reduced"), nb::arg("extents"), nb::arg("init"), nb::arg("left"), nb::arg("right"),
          nb::arg("combined"), "The stage as a reduction: `combined` says what `left` and `right` become.");
  m.def("kernel", &kernel, nb::arg("name"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("stages"),
        "A function of the loop level: parameters are the inputs, then the outputs.");
  nb::class_<KernelUse>(m, "KernelUse", "A kernel applied to buffers, one for each of its buffer parameters.")
      .def(
          "__init__",
          [](KernelUse* self, const Ref<PrimFunc>& kernel, const std::vector<Ref<Buffer>>& buffers) {
            new (self) KernelUse{.kernel = kernel, .buffers = buffers};
          },
          nb::arg("kernel"), nb::arg("buffers"));
  m.def("join_kernels", &join_kernels, nb::arg("inputs"), nb::arg("outputs"), nb::arg("kernels"),
        "Joins kernels into one function that runs them in order.");
  m.def(
      "kernel_of", [](const Ref<Call>& call) { return kernel_of(*call); }, nb::arg("call"),
      nb::sig("def kernel_of(call: Call) -> BaseFunc | None"), "Lowers a call by the record of its op.");
  m.def(
      "size_demands",
      [](const Ref<Call>& call) {
        std::vector<std::pair<Scalar, Scalar>> pairs;
        for (const SizeDemand& d : size_demands(*call)) pairs.emplace_back(d.value, d.expected);
        return pairs;
      },
      nb::arg("call"), "Pairs of sizes that must be equal for the call to be right, where nothing says that they are.");
  nb::module_ make = m.attr("make");
  make.def("buffer", &make_buffer, nb::arg("name"), nb::arg("dtype"), nb::arg("shape"),
           nb::arg("strides") = std::vector<Scalar>(), nb::arg("elem_offset") = nb::none(), nb::arg("scope") = "global",
           nb::arg("align") = 64, nb::arg("offset_factor") = 0, nb::arg("axis_separators") = std::vector<int64_t>(),
           nb::arg("data") = nb::none(), nb::arg("span") = nb::none());
  make.def(
      "buffer_load",
      [](const Ref<Buffer>& buffer, const std::vector<Scalar>& indices, const std::optional<Scalar>& mask) {
        return BufferLoad::make_masked(buffer, indices, mask.value_or(Scalar()));
      },
      nb::arg("buffer"), nb::arg("indices"), nb::arg("predicate") = nb::none());
}

}  // namespace sunmao::python
