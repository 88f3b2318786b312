// Lowerings of region-of-interest pooling and of box decoding.
#include "ops/statements.h"
#include "ops/vision_lowering.h"

namespace sunmao {
namespace {

// Returns the dtype in which regions are computed: float64 for float64 images, else float32.
DType real_for(DType image) { return image == DType::float_(64) ? image : DType::float_(32); }
Scalar clamped(const Scalar& x, const Scalar& low, const Scalar& high) { return min(max(x, low), high); }

// A region of interest: its row of `rois`, and element access to its image.
struct Region {
  const Call& call;
  Ref<Buffer> x, rois;
  bool channels_last;
  Scalar row;

  DType real_dtype() const { return real_for(x->dtype); }
  Scalar real(double v) const { return constant(real_dtype(), v); }
  Scalar to_real(const Scalar& v) const { return cast_to(real_dtype(), v); }
  Scalar number(int64_t i) const { return to_real(load(rois, {row, int_imm(i)})); }
  Scalar image() const { return checked(call, as_index(load(rois, {row, int_imm(0)})), x->shape[0]); }
  const Scalar& height() const { return x->shape[channels_last ? 1 : 2]; }
  const Scalar& width() const { return x->shape[channels_last ? 2 : 3]; }
  Scalar element(const Scalar& channel, const Scalar& y, const Scalar& x_place) const {
    return to_real(
        load(x, channels_last ? Indices{image(), y, x_place, channel} : Indices{image(), channel, y, x_place}));
  }
};

// The coordinates of a result element, independent of the layout.
struct Place {
  Scalar region, channel, y, x;
};
Place place_of(const Indices& at, bool channels_last) {
  return channels_last ? Place{at[0], at[3], at[1], at[2]} : Place{at[0], at[1], at[2], at[3]};
}

// Returns the bilinear interpolation at (y, x); 0 when it is more than a pixel outside of the image, or the image is
// empty.
Scalar interpolated(const Region& r, const Scalar& channel, const Scalar& y, const Scalar& x) {
  Scalar height = r.to_real(r.height()), width = r.to_real(r.width()), one = r.real(1);
  Scalar inside =
      both(both(at_least(y, r.real(-1)), at_least(x, r.real(-1))), both(at_most(y, height), at_most(x, width)));
  for (const Scalar& size : {r.height(), r.width()})
    if (!find_int(size) || *find_int(size) == 0) inside = both(inside, less(int_imm(0), size));
  auto split = [&](const Scalar& v, const Scalar& size) {
    Scalar held = clamped(v, r.real(0), r.to_real(size) - one), low = floor_of(held), first = as_index(low);
    return std::tuple{first, min(first + int_imm(1), size - int_imm(1)), held - low};
  };
  auto [top, bottom, dy] = split(y, r.height());
  auto [left, right, dx] = split(x, r.width());
  Scalar value = r.element(channel, top, left) * (one - dy) * (one - dx) +
                 r.element(channel, top, right) * (one - dy) * dx + r.element(channel, bottom, left) * dy * (one - dx) +
                 r.element(channel, bottom, right) * dy * dx;
  return choose(inside, value, r.real(0));
}

// The start of a region along an axis, the size of its bins, and the number of samples in each bin.
struct Bins {
  Scalar start, size, samples;
};
Bins bins_of(const InferInput& in, const Region& r, int64_t low, const Scalar& count) {
  const Scalar scale = r.real(in.float_attr("spatial_scale")), start = r.number(low) * scale;
  Scalar length = r.number(low + 2) * scale - start;
  if (!in.bool_attr("aligned")) length = max(length, r.real(1));
  Scalar size = divide(length, r.to_real(count));
  int64_t given = in.int_attr("sample_ratio");
  return {start, size, given > 0 ? int_imm(given) : max(as_index(intrinsic("ceil", size)), int_imm(0))};
}

// Rounds to the nearest integer, halves away from zero.
Scalar nearest(const Region& r, const Scalar& x) {
  return as_index(Select::make(less(x, r.real(0)), intrinsic("ceil", x - r.real(0.5)), floor_of(x + r.real(0.5))));
}

}  // namespace

Ref<BaseFunc> lower_roi_align(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("roi_align");
  Ref<Buffer> x = k.input("A", call.args[0]->type), rois = k.input("B", call.args[1]->type),
              y = k.output("T_roi_align", call.type);
  const bool last = in.string_attr("layout") == "NHWC", mean = in.string_attr("mode") != "max";
  const DType real = real_for(x->dtype);
  Cell total("total", real);
  k.steps({.name = "roi_align",
           .spatial = y->shape,
           .reads = {x, rois},
           .writes = {y},
           .locals = {total.buffer()},
           .body = [&](const Indices& at) {
             const Place p = place_of(at, last);
             const Region r{call, x, rois, last, p.region};
             const Bins rows = bins_of(in, r, 2, y->shape[last ? 1 : 2]),
                        columns = bins_of(in, r, 1, y->shape[last ? 2 : 3]);
             auto sample = [&](const Bins& b, const Scalar& bin, const Scalar& i) {
               return b.start + r.to_real(bin) * b.size +
                      divide((r.to_real(i) + r.real(0.5)) * b.size, r.to_real(b.samples));
             };
             Scalar count = max(r.to_real(rows.samples * columns.samples), r.real(1));
             Scalar start = mean ? r.real(0) : lowest_of(real);
             Stmt add = repeat("row", rows.samples, [&](const Scalar& i) {
               return repeat("column", columns.samples, [&](const Scalar& j) {
                 Scalar value = interpolated(r, p.channel, sample(rows, p.y, i), sample(columns, p.x, j));
                 return total.set(mean ? total.get() + value : max(total.get(), value));
               });
             });
             Scalar any = less(int_imm(0), rows.samples * columns.samples);
             Scalar result = mean ? divide(total.get(), count) : choose(any, total.get(), r.real(0));
             return in_order({total.set(start), add, store(y, at, result)});
           }});
  return std::move(k).finish();
}

Ref<BaseFunc> lower_roi_pool(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("roi_pool");
  Ref<Buffer> x = k.input("A", call.args[0]->type), rois = k.input("B", call.args[1]->type),
              y = k.output("T_roi_pool", call.type);
  const DType real = real_for(x->dtype);
  Cell top("top", real);
  auto bounds = [&](const Region& r, int64_t low, const Scalar& bin, const Scalar& count, const Scalar& size) {
    auto edge = [&](int64_t i) { return nearest(r, r.number(i) * r.real(in.float_attr("spatial_scale"))); };
    Scalar begin = edge(low), length = max(edge(low + 2) - begin + int_imm(1), int_imm(1));
    Scalar step = divide(r.to_real(length), r.to_real(count));
    Scalar first = as_index(floor_of(r.to_real(bin) * step)) + begin,
           end = as_index(intrinsic("ceil", r.to_real(bin + int_imm(1)) * step)) + begin;
    return std::pair{clamped(first, int_imm(0), size), clamped(end, int_imm(0), size)};
  };
  k.steps({.name = "roi_pool",
           .spatial = y->shape,
           .reads = {x, rois},
           .writes = {y},
           .locals = {top.buffer()},
           .body = [&](const Indices& at) {
             const Region r{call, x, rois, false, at[0]};
             auto [row, row_end] = bounds(r, 2, at[2], y->shape[2], x->shape[2]);
             auto [column, column_end] = bounds(r, 1, at[3], y->shape[3], x->shape[3]);
             Scalar height = max(row_end - row, int_imm(0)), width = max(column_end - column, int_imm(0));
             Stmt look = repeat("row", height, [&, top_row = row, left = column](const Scalar& i) {
               return repeat("column", width, [&](const Scalar& j) {
                 return top.set(max(top.get(), r.element(at[1], top_row + i, left + j)));
               });
             });
             Scalar any = less(int_imm(0), height * width);
             return in_order({top.set(lowest_of(real)), look, store(y, at, choose(any, top.get(), constant(real, 0)))});
           }});
  return std::move(k).finish();
}

// Decodes boxes: offsets (x, y, width, height) shift an anchor's centre and scale its sides. Scores are the softmax
// over the classes; scores below a threshold, and unless wanted those of the background, become 0.
Ref<BaseFunc> lower_multibox(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("multibox_transform_loc");
  Ref<Buffer> scores = k.input("cls_pred", call.args[0]->type), offsets = k.input("loc_pred", call.args[1]->type),
              anchors = k.input("anchor", call.args[2]->type);
  const std::vector<Type>& fields = find<TupleType>(call.type)->fields;
  Ref<Buffer> boxes = k.output("boxes", fields[0]), kept = k.output("scores", fields[1]);
  const DType dtype = scores->dtype;
  const AttrList& variances = *in.attr("variances").find<AttrList>();
  auto literal = [&](double v) { return constant(dtype, v); };
  k.compute(boxes, "boxes", [&](const Indices& at) {
    auto side = [&](int64_t axis) {
      auto scale = [&](int64_t i) {
        const AttrValue& v = variances.at(static_cast<size_t>(i));
        return literal(v.find<double>() ? *v.find<double>() : static_cast<double>(*v.find<int64_t>()));
      };
      auto offset = [&](int64_t i) { return load(offsets, {at[0], at[1] * int_imm(4) + int_imm(i)}); };
      Scalar low = load(anchors, {int_imm(0), at[1], int_imm(axis)}),
             high = load(anchors, {int_imm(0), at[1], int_imm(axis + 2)}), length = high - low;
      Scalar middle = offset(axis) * scale(axis) * length + (low + high) * literal(0.5);
      Scalar half = literal(0.5) * intrinsic("exp", offset(axis + 2) * scale(axis + 2)) * length;
      Scalar value = Select::make(less(at[2], int_imm(2)), middle - half, middle + half);
      return in.bool_attr("clip") ? clamped(value, literal(0), literal(1)) : value;
    };
    return Select::make(equals(floor_mod(at[2], int_imm(2)), int_imm(0)), side(1), side(0));
  });
  std::vector<Scalar> columns{scores->shape[0], scores->shape[2]}, classes{scores->shape[1]};
  Ref<Buffer> top = k.alloc("top", dtype, columns), sum = k.alloc("sum", dtype, columns);
  auto raised = [&](const Scalar& batch, const Scalar& c, const Scalar& n) {
    return intrinsic("exp", load(scores, {batch, c, n}) - load(top, {batch, n}));
  };
  k.reduce(top, "top", classes, largest(dtype),
           [&](const Indices& at, const Indices& r) { return load(scores, {at[0], r[0], at[1]}); });
  k.reduce(sum, "sum", classes, summed(dtype),
           [&](const Indices& at, const Indices& r) { return raised(at[0], r[0], at[1]); });
  k.compute(kept, "kept", [&](const Indices& at) {
    Scalar value = divide(raised(at[0], at[1], at[2]), load(sum, {at[0], at[2]}));
    value = Select::make(at_least(value, literal(in.float_attr("threshold"))), value, literal(0));
    if (in.bool_attr("keep_background")) return value;
    return Select::make(equals(at[1], int_imm(0)), literal(0), value);
  });
  return std::move(k).finish();
}

}  // namespace sunmao
