// ScalarReader for indices, slices and regions of buffers.
#include "script/scalar_reader.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"
#include "sym/equal.h"
#include "sym/fold.h"
#include "sym/lanes.h"

namespace sunmao::script {
namespace {
constexpr int64_t kMaxRampLanes = 1024;
}

Ref<Buffer> ScalarReader::buffer(const PyExpr& e) {
  if (const Ref<Buffer>* b = find_buffer(e)) return *b;
  if (e.kind == PyKind::Name && !scope_.find(e.text)) unknown_name(e);
  error("E0110", e, fmt::format("`{}` is no buffer", unparse(e)));
}

Scalar ScalarReader::distance(const Scalar& start, const Scalar& stop, const Place& place) {
  if (const int64_t* zero = find_int(start); zero && *zero == 0) return stop;
  if (const auto* sum = find<Binary>(stop); sum && sum->op == BinaryOp::Add && structural_equal(sum->a, start))
    return sum->b;
  const int64_t *a = find_int(start), *b = find_int(stop);
  if (a && b && start->dtype == stop->dtype) {
    if (std::optional<int64_t> difference = evaluate(BinaryOp::Sub, *b, *a))
      return integer_of(stop->dtype, *difference, stop->span);
  }
  Scalar difference = Binary::make(BinaryOp::Sub, stop, start, ctx_.span(place));
  return Analyzer().simplify(difference);
}

std::vector<Scalar> ScalarReader::indices(const PyExpr& index, const Buffer& buffer) {
  std::vector<Scalar> out;
  for (const PyExpr* e : index.kind == PyKind::Tuple ? elements(index) : std::vector<const PyExpr*>{&index}) {
    if (e->kind != PyKind::Slice) {
      bool is_several = e->kind == PyKind::Name && scope_.find_as<std::vector<Scalar>>(e->text);
      if (is_several || e->kind == PyKind::Starred || e->is_sequence()) {
        for (Scalar& s : e->kind == PyKind::Starred ? unpacked(*e) : scalars(*e)) out.push_back(std::move(s));
        continue;
      }
      out.push_back(scalar(*e));
    } else {
      Scalar start = e->items[0] ? scalar(*e->items[0]) : IntImm::make(defaults_.integer, 0);
      if (!e->items[1]) error("E0110", *e, "a slice in an index needs an end", "its length is the number of lanes");
      Scalar stop = scalar(*e->items[1]);
      unify(start, stop);
      if (find<IntImm>(start) && find<IntImm>(stop)) start = integer_of(stop->dtype, *find_int(start), span(*e));
      if (!start->dtype.is_integral() || start->dtype != stop->dtype)
        error("E0110", *e, "start and end of a slice are integers of one type");
      int64_t step = e->items[2] ? integer(*e->items[2], "the step of a slice") : 1;
      const Scalar length = distance(start, stop, e->place);
      const std::optional<Lanes> count = find_lanes(length);
      if (!count || step < 1 || (step > 1 && count->is_scalable) || count->count / step > kMaxRampLanes)
        error("E0110", *e, fmt::format("a slice in an index has a constant length of 1 to {}", kMaxRampLanes),
              "use a loop for others");
      const auto lanes = static_cast<int>((count->count + step - 1) / step);
      if (lanes == 1 && !count->is_scalable)  // one element
        out.push_back(start);
      else
        out.push_back(Ramp::make(start, IntImm::make(start->dtype, step), {lanes, count->is_scalable}, span(*e)));
    }
    if (!out.back()->dtype.is_integral())
      error("E0110", *e,
            fmt::format("an index is an integer, `{}` is of type {}", unparse(*e), out.back()->dtype.str()));
  }
  if (out.size() != buffer.shape.size())
    error("E0116", index,
          fmt::format("`{}` has {} dimensions, indexed with {}", buffer.name, buffer.shape.size(), out.size()));
  return out;
}

Range ScalarReader::range(const PyExpr& e, const Buffer& buffer, size_t dim) {
  if (e.kind != PyKind::Slice) {
    Scalar at = scalar(e);
    if (!at->dtype.is_integral() || at->dtype.lanes != 1)
      error("E0110", e, fmt::format("an index is an integer, `{}` is of type {}", unparse(e), at->dtype.str()));
    return {at, IntImm::make(at->dtype, 1)};
  }
  if (e.items[2]) error("E0110", e, "a region has no step");
  Scalar stop = e.items[1] ? scalar(*e.items[1]) : buffer.shape[dim];
  Scalar start = e.items[0] ? scalar(*e.items[0])
                            : IntImm::make(stop->dtype.is_integral() ? stop->dtype.element() : defaults_.integer, 0);
  unify(start, stop);
  if (find<IntImm>(start) && find<IntImm>(stop)) start = integer_of(stop->dtype, *find_int(start), span(e));
  if (!start->dtype.is_integral() || start->dtype != stop->dtype || start->dtype.lanes != 1)
    error("E0110", e, "start and end of a region are integers of one type");
  return {start, distance(start, stop, e.place)};
}

BufferRegion ScalarReader::region(const PyExpr& e) {
  BufferRegion out;
  if (e.kind != PyKind::Subscript) {  // the whole buffer
    out.buffer = buffer(e);
    for (const Scalar& extent : out.buffer->shape) out.region.push_back({IntImm::make(extent->dtype, 0), extent});
    return out;
  }
  out.buffer = buffer(*e.items[0]);
  const PyExpr& index = *e.items[1];
  std::vector<const PyExpr*> parts = index.kind == PyKind::Tuple ? elements(index) : std::vector<const PyExpr*>{&index};
  if (parts.size() != out.buffer->shape.size())
    error("E0116", index,
          fmt::format("`{}` has {} dimensions, the region has {}", out.buffer->name, out.buffer->shape.size(),
                      parts.size()));
  for (size_t i = 0; i < parts.size(); ++i) out.region.push_back(range(*parts[i], *out.buffer, i));
  return out;
}

}  // namespace sunmao::script
