#include "passes/layout/layout_cost.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr int64_t kLanes = 8;
constexpr int64_t kShuffled = 2;  // elements of a vector may lie so far apart: it takes two loads and a shuffle
// Fitted to measurements, in steps.
constexpr int64_t kPixel = 15;         // what a pixel of a convolution takes beside its steps, channels last
constexpr double kUnfilledLane = 0.6;  // a multiply-add outside of vectors
constexpr double kNarrowGroup = 3;     // a step of a group with fewer channels than two vectors have lanes
constexpr double kManyTaps = 2;        // a step of a depthwise convolution whose taps fill no registers
constexpr int64_t kTapsInRegisters = 25;
constexpr double kScattered = 0.4;         // a tap of a transposed convolution that reads one element for each result
constexpr double kSearched = 4;            // one that may read none
constexpr double kPlaneVector = 2;         // a vector of a line of a depthwise convolution, channels first
constexpr double kStridedVector = 10;      // one whose neighbours lie two apart
constexpr double kPlaneLine = 3;           // beside the vectors of a line
constexpr double kPlaneSingle = 4;         // an element of a line that fills no vector, or whose neighbours lie apart
constexpr double kPoolElement = 4;         // an element of a window, channels first
constexpr double kPoolInside = 1.5;        // one of a window that lies inside, next to others or two apart
constexpr double kPoolVector = 2.5;        // a vector of them, channels last
constexpr double kPoolSingle = 3;          // one that fills no vector
constexpr double kResizedElement = 20;     // channels first
constexpr double kRepeatedElement = 1.5;   // one of a pixel that is repeated, channels first
constexpr double kResizedVector = 14;      // channels last
constexpr double kResizedSingle = 8;       // one that fills no vector
constexpr double kNear = 1, kFar = 3;      // an element of a transpose within the cache, and outside of it
constexpr int64_t kCache = 2 << 20;        // bytes
constexpr int64_t kTransposeCall = 1'000;  // a call of a kernel
constexpr int64_t kMost = int64_t{1} << 40;

int64_t product(const std::vector<int64_t>& factors) {
  double out = 1;
  for (int64_t f : factors) out *= static_cast<double>(f);
  return static_cast<int64_t>(std::min(out, static_cast<double>(kMost)));
}

int64_t rounded(double steps) { return static_cast<int64_t>(std::min(steps, static_cast<double>(kMost))); }

double vectors(int64_t elements) {
  const int64_t count = (elements + kLanes - 1) / kLanes;
  return static_cast<double>(count);
}

// Full vectors, and each element of the rest by itself.
double in_vectors_and_singles(int64_t elements, double vector, double single) {
  const int64_t full = elements / kLanes, rest = elements % kLanes;
  return static_cast<double>(full) * vector + static_cast<double>(rest) * single;
}

// A tensor by the letters of its layout: N and C, of a weight O and I; the others are spatial.
struct Image {
  int64_t n = 1, c = 1;
  std::vector<int64_t> spatial;
  int64_t pixels() const { return n * product(spatial); }
  int64_t width() const { return spatial.empty() ? 1 : spatial.back(); }
  int64_t lines() const { return pixels() / std::max<int64_t>(width(), 1); }
};

std::optional<Image> image_of(const Call& call, const char* attr, const Type& type, AssumedSizes& sizes) {
  const auto* layout = call.attrs.find<std::string>(attr);
  const auto* tensor = find<TensorType>(type);
  if (!layout || !tensor || tensor->rank != static_cast<int>(layout->size())) return std::nullopt;  // or has blocks
  const std::vector<int64_t> all = sizes.of(*tensor);
  Image out;
  for (size_t i = 0; i < all.size(); ++i) {
    const char letter = (*layout)[i];
    if (letter == 'N' || letter == 'O')
      out.n = all[i];
    else if (letter == 'C' || letter == 'I')
      out.c = all[i];
    else
      out.spatial.push_back(all[i]);
  }
  return out;
}

int64_t last_of(const Call& call, const char* attr, int64_t otherwise) {
  const AttrValue* given = call.attrs.find(attr);
  const auto list = given ? given->as_ints() : std::nullopt;
  if (list && !list->empty()) return list->back();
  const auto* one = call.attrs.find<int64_t>(attr);
  return one ? *one : otherwise;
}

bool has_padding(const Call& call) {
  const AttrValue* given = call.attrs.find("padding");
  const auto list = given ? given->as_ints() : std::nullopt;
  return list && std::ranges::any_of(*list, [](int64_t p) { return p != 0; });
}

bool ends_outside(const Call& call) {
  const bool* rounds_up = call.attrs.find<bool>("ceil_mode");
  return rounds_up && *rounds_up;
}

bool is_transposed(const Call& call) { return call.attrs.has("output_padding"); }

// The loops of a convolution: for each pixel and group, `outputs` sums of `steps` products.
struct Sums {
  Image result;
  int64_t groups, outputs, inputs, taps, stride;
  bool is_padded;
  bool is_line() const { return result.spatial.size() == 1; }
  double steps() const { return static_cast<double>(inputs) * static_cast<double>(taps); }
  double all_outputs() const { return static_cast<double>(groups) * static_cast<double>(outputs); }
  bool is_depthwise() const { return groups > 1 && inputs == 1; }
};

double steps_of_pixel(const Sums& s) {
  if (s.is_depthwise()) {
    const double step = s.taps > kTapsInRegisters ? kManyTaps : 1;
    return in_vectors_and_singles(s.groups * s.outputs, 1, 1) * (s.steps() * step + (s.is_line() ? kPixel : 0));
  }
  const auto groups = static_cast<double>(s.groups);
  if (s.groups > 1 && s.outputs < 2 * kLanes)
    return groups * s.steps() * (s.outputs > 2 ? kNarrowGroup : kNarrowGroup / 2);
  if (s.outputs >= kLanes) return groups * vectors(s.outputs) * s.steps() + kPixel;
  // Fewer sums than lanes: the vectors are of channels that are read, if these fill one.
  const auto outputs = static_cast<double>(s.outputs), taps = static_cast<double>(s.taps);
  if (s.inputs >= kLanes) return groups * outputs * (1.5 * vectors(s.inputs) * taps + kLanes);
  return groups * outputs * s.steps() * kUnfilledLane + kPixel;
}

double channels_last_cost(const Sums& s) { return static_cast<double>(s.result.pixels()) * steps_of_pixel(s); }

// The steps of a multiply-add for each pixel of a line.
double line_of_group(const Sums& s) {
  const int64_t width = s.result.width();
  if (!s.is_depthwise()) return in_vectors_and_singles(width, 2, 1);
  if (width < kLanes || s.stride > kShuffled) return static_cast<double>(width) * kPlaneSingle;
  return vectors(width) * (s.stride > 1 ? kStridedVector : kPlaneVector) + kPlaneLine;
}

// Vectors are of neighbouring pixels of a line; where windows are single pixels, of all pixels of an image.
double channels_first_cost(const Sums& s) {
  const bool is_pointwise = s.taps == 1 && s.stride == 1 && !s.is_padded;
  const int64_t width = is_pointwise ? product(s.result.spatial) : s.result.width();
  const auto lines = static_cast<double>(is_pointwise ? s.result.n : s.result.lines());
  if (s.groups > 1) {
    return lines * line_of_group(s) * s.all_outputs() * s.steps();
  }
  // A vector that is read serves as many sums as there are outputs. With a stride it is read lane by lane.
  const double reads = s.outputs >= 4 ? 1.1 : s.inputs < kLanes ? 1.3 : s.outputs > 1 ? 2 : 3;
  const double lanes = s.stride > 1 ? static_cast<double>(kLanes) / static_cast<double>(s.outputs) : 0;
  return lines * vectors(width) * s.all_outputs() * s.steps() * (reads + lanes);
}

LayoutCosts costs_of_convolution(const Call& call, AssumedSizes& sizes) {
  const auto data = image_of(call, "data_layout", call.args[0]->type, sizes);
  const auto weight = image_of(call, "kernel_layout", call.args[1]->type, sizes);
  const auto result = image_of(call, "out_layout", call.type, sizes);
  if (!data || !weight || !result) return {};
  Sums s{.result = *result,
         .groups = std::max<int64_t>(last_of(call, "groups", 1), 1),
         .outputs = 1,
         .inputs = 1,
         .taps = product(weight->spatial),
         .stride = last_of(call, "strides", 1),
         .is_padded = has_padding(call)};
  s.outputs = std::max<int64_t>(result->c / s.groups, 1);
  s.inputs = std::max<int64_t>(data->c / s.groups, 1);
  const auto* element = find<TensorType>(call.args[0]->type);
  if (is_transposed(call)) {
    // It becomes a convolution of as many pixels as it reads, with a channel for each phase of its strides.
    const int64_t phases = std::max<int64_t>(result->pixels() / std::max<int64_t>(data->pixels(), 1), 1);
    const double tap = s.taps > phases ? kSearched : kScattered;
    const double all = static_cast<double>(result->pixels()) * s.all_outputs() * s.steps() * tap;
    s.result = *data;
    s.outputs *= phases;
    s.taps = std::max<int64_t>(s.taps / phases, 1);
    return {.first = rounded(all), .last = rounded(channels_last_cost(s))};
  }
  // Instructions for bytes take four channels that lie side by side.
  const double narrow = element->dtype.bits == 8 ? 4 : 1;
  return {.first = rounded(channels_first_cost(s)), .last = rounded(channels_last_cost(s) / narrow)};
}

LayoutCosts costs_of_pool(const Call& call, AssumedSizes& sizes) {
  const auto data = image_of(call, "layout", call.args[0]->type, sizes);
  const auto result = image_of(call, "out_layout", call.type, sizes);
  if (!data || !result || result->pixels() == result->n) return {};  // a mean of whole images
  const AttrValue* window = call.attrs.find("pool_size");
  const auto list = window ? window->as_ints() : std::nullopt;
  const int64_t taps = list ? product(*list) : std::max<int64_t>(data->pixels() / result->pixels(), 1);
  const double windows = static_cast<double>(result->pixels()) * static_cast<double>(taps);
  const bool is_inside = !has_padding(call) && !ends_outside(call) && last_of(call, "strides", 1) <= kShuffled;
  const double element = is_inside && result->width() >= kLanes ? kPoolInside : kPoolElement;
  return {.first = rounded(windows * static_cast<double>(result->c) * element),
          .last = rounded(windows * in_vectors_and_singles(result->c, kPoolVector, kPoolSingle))};
}

LayoutCosts costs_of_resize(const Call& call, AssumedSizes& sizes) {
  const auto result = image_of(call, "layout", call.type, sizes);
  const auto data = image_of(call, "layout", call.args[0]->type, sizes);
  if (!result || !data) return {};
  const auto* method = call.attrs.find<std::string>("method");
  bool is_repeated = method && *method == "nearest_neighbor";
  for (size_t i = 0; i < data->spatial.size(); ++i)
    is_repeated = is_repeated && result->spatial[i] % std::max<int64_t>(data->spatial[i], 1) == 0;
  const auto pixels = static_cast<double>(result->pixels());
  const double element = is_repeated ? kRepeatedElement : kResizedElement;
  return {.first = rounded(pixels * static_cast<double>(result->c) * element),
          .last = rounded(pixels * in_vectors_and_singles(result->c, kResizedVector, kResizedSingle))};
}

}  // namespace

std::vector<int64_t> AssumedSizes::of(const TensorType& type) {
  std::vector<int64_t> out(static_cast<size_t>(std::max(type.rank, 0)), kAssumedSize);
  const std::vector<Scalar>* dims = type.dims();
  if (!dims) has_assumed_ = true;
  for (size_t i = 0; dims && i < dims->size(); ++i) out[i] = i == 0 && !find_int((*dims)[i]) ? 1 : of((*dims)[i]);
  return out;
}

int64_t AssumedSizes::of(const Scalar& size) {
  if (const int64_t* n = find_int(size)) return *n;
  has_assumed_ = true;
  Substitution assumed;
  for (const Ref<SymVar>& symbol : free_symbols(size)) {
    const std::vector<Scalar> most = bounds_.largest(std::vector<Scalar>{Scalar(symbol)});
    const int64_t* bound = find_int(most.front());
    assumed.emplace(symbol, int_imm(bound ? std::min(*bound, kAssumedSize) : kAssumedSize));
  }
  const Scalar value = analyzer_.simplify(substitute(size, assumed));
  const int64_t* n = find_int(value);
  return n ? std::max<int64_t>(*n, 1) : kAssumedSize;
}

LayoutCosts layout_costs(const Call& call, AssumedSizes& sizes) {
  if (call.attrs.has("kernel_layout")) return costs_of_convolution(call, sizes);
  if (call.attrs.has("out_layout")) return costs_of_pool(call, sizes);
  if (call.attrs.has("layout")) return costs_of_resize(call, sizes);
  return {};
}

int64_t transpose_cost(const TensorType& type, const AxisOrder& from, const AxisOrder& to, AssumedSizes& sizes) {
  if (from == to || from.original_rank() != type.rank || to.original_rank() != type.rank) return 0;
  const std::vector<int64_t> all = sizes.of(type);
  // A dimension of one element may lie anywhere.
  const auto moving = [&](const AxisOrder& order) {
    std::vector<int> axes;
    for (const AxisOrder::Part& part : order.parts())
      if (all[static_cast<size_t>(part.axis)] != 1) axes.push_back(part.axis);
    return axes;
  };
  if (moving(from) == moving(to)) return 0;
  const int64_t elements = product(all);
  const double bytes = static_cast<double>(elements) * std::max<double>(type.dtype.bits, 8) / 8;
  return rounded(static_cast<double>(elements) * (bytes > kCache ? kFar : kNear)) + kTransposeCall;
}

bool copies_its_input(const Call& call) {
  return call.attrs.has("kernel_layout") && !is_transposed(call) && has_padding(call) &&
         last_of(call, "groups", 1) == 1;
}

}  // namespace sunmao
