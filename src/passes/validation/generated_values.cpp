#include "passes/validation/generated_values.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "eval/element.h"
#include "ir/dims.h"
#include "support/diagnostic.h"
#include "support/hash.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// How one attempt draws values. Symbols have the size `size` or, if `sizes_differ`, different sizes from `size` on;
// integers lie in [least, limit), floats in [low, low + 2).
struct Kind {
  bool sizes_differ;
  int64_t size, least, limit;
  double low;
};
// Attempts from general to special: first any values, then integers that are valid indices of small tables, counts
// other than zero, and positive floats for roots and logarithms.
constexpr Kind kKinds[kGeneratedAttempts] = {{true, 2, 0, 8, -1},    {false, 4, 0, 4, -1},   {true, 2, 0, 2, -1},
                                             {false, 4, 0, 2, -1},   {true, 2, 0, 1, -1},    {false, 8, 0, 1, -1},
                                             {true, 2, 1, 2, -1},    {false, 4, 1, 4, 0.25}, {true, 2, 0, 2, 0.25},
                                             {false, 2, 0, 1, 0.25}, {false, 1, 0, 1, 0.25}, {false, 16, 1, 2, 0.25}};

class Maker {
 public:
  Maker(const GeneratedOptions& options) : options_(options), kind_(kKinds[options.attempt % kGeneratedAttempts]) {}

  // Reads the sizes of symbols from the shapes of given weights.
  void measure(const Type& type, const Array& data) {
    const auto* tensor = find<TensorType>(type);
    const auto* dims = tensor ? tensor->dims() : nullptr;
    for (size_t i = 0; dims && i < std::min(dims->size(), data.shape().size()); ++i)
      if (const auto* s = find<SymVar>((*dims)[i])) sizes_.emplace(s->name, data.shape()[i]);
  }

  Value value(const std::string& name, const Type& type, bool is_weight) {
    engine_.seed(Hasher().add(options_.seed).add(static_cast<uint64_t>(options_.attempt)).add(name).value());
    return of_type(name, type, is_weight);
  }

 private:
  Value of_type(const std::string& name, const Type& type, bool is_weight) {
    if (const auto* tensor = find<TensorType>(type)) return tensor_value(name, *tensor, is_weight);
    if (const auto* tuple = find<TupleType>(type)) {
      ValueTuple fields;
      for (const Type& field : tuple->fields) fields.push_back(of_type(name, field, is_weight));
      return fields;
    }
    if (const auto* shape = find<ShapeType>(type)) {
      if (!shape->values && shape->rank == kUnknownRank) cannot(name, type);
      return shape->values ? sizes_of(*shape->values) : ShapeValue(static_cast<size_t>(shape->rank), kind_.size);
    }
    if (const auto* prim = find<PrimType>(type)) {
      if (prim->value) return size_of(prim->value);
      if (prim->dtype.is_float()) return 0.5;
      return prim->dtype.is_bool() ? int64_t{1} : kind_.size;
    }
    cannot(name, type);
  }

  [[noreturn]] static void cannot(const std::string& name, const Type& type) {
    fail("E0542", {}, fmt::format("no value can be made up for `{}`, which is {}", name, describe(type)));
  }

  // Returns the size of a symbol. Sizes are stored by name, since a function and its weight transforms use symbols of
  // the same names.
  int64_t size_of_symbol(const SymVar& s) {
    auto known = sizes_.find(s.name);
    if (known != sizes_.end()) return known->second;
    const int64_t wanted = kind_.sizes_differ ? kind_.size + static_cast<int64_t>(sizes_.size()) : kind_.size;
    auto range = options_.ranges.find(s.name);
    const Interval in = range == options_.ranges.end() ? Interval{0, Interval::kMax} : range->second;
    return sizes_.emplace(s.name, std::clamp(wanted, in.lo, std::max(in.lo, in.hi))).first->second;
  }

  int64_t size_of(const Scalar& dim) {
    Substitution sizes;
    for (const Ref<SymVar>& s : free_symbols(dim)) sizes.emplace(s, IntImm::make(s->dtype, size_of_symbol(*s)));
    Analyzer analyzer;
    const Scalar known = analyzer.simplify(substitute(dim, sizes));
    const int64_t* size = find_int(known);
    return size ? *size : kind_.size;
  }
  ShapeValue sizes_of(const std::vector<Scalar>& dims) {
    ShapeValue out;
    for (const Scalar& d : dims) out.push_back(size_of(d));
    return out;
  }

  Value tensor_value(const std::string& name, const TensorType& type, bool is_weight) {
    if (type.rank == kUnknownRank) cannot(name, Type(&type));
    const ShapeValue shape =
        type.dims() ? sizes_of(*type.dims()) : ShapeValue(static_cast<size_t>(type.rank), kind_.size);
    const DType dtype = type.dtype.is_void() ? DType::float_(32) : type.dtype;
    if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) cannot(name, Type(&type));
    ArrayBuilder out(dtype, shape);
    const int64_t count = out.count();
    // Scales generated weights down by the number of elements per row, so that sums over a row do not grow with its
    // length.
    const double scale = is_weight && shape.size() > 1 && count > 0
                             ? std::sqrt(3.0 * static_cast<double>(shape[0]) / static_cast<double>(count))
                             : 1;
    for (int64_t i = 0; i < count; ++i) store_element(dtype, out.data(), i, number(dtype, std::min(scale, 1.0)));
    return std::move(out).finish();
  }

  Number number(DType dtype, double scale) {
    Number n{};
    if (dtype.is_float()) {
      constexpr double kUnit = 0x1p-53;
      n.f = (kind_.low + 2 * static_cast<double>(engine_() >> 11) * kUnit) * scale;
      return round_to(dtype, n);
    }
    const auto span = static_cast<uint64_t>(dtype.is_bool() ? 2 : kind_.limit - kind_.least);
    n.i = (dtype.is_bool() ? 0 : kind_.least) + static_cast<int64_t>(engine_() % span);
    return n;
  }

  const GeneratedOptions& options_;
  const Kind kind_;
  std::map<std::string, int64_t> sizes_;
  std::mt19937_64 engine_;
};

}  // namespace

CallerValues generated_values(const Caller::Signature& signature, const GeneratedOptions& options) {
  Maker maker(options);
  auto known = [&](size_t i) -> const Array* {
    auto found = i < signature.inputs ? options.known.end() : options.known.find(signature.names[i]);
    return found == options.known.end() ? nullptr : &found->second;
  };
  for (size_t i = 0; i < signature.types.size(); ++i)
    if (const Array* data = known(i)) maker.measure(signature.types[i], *data);
  CallerValues out;
  for (size_t i = 0; i < signature.types.size(); ++i) {
    const bool is_weight = i >= signature.inputs;
    ValueTuple& list = is_weight ? out.weights : out.inputs;
    const Array* data = known(i);
    list.push_back(data ? Value(*data) : maker.value(signature.names[i], signature.types[i], is_weight));
  }
  return out;
}

std::map<std::string, Interval> stated_ranges(const Function& f) {
  std::map<std::string, Interval> out;
  auto read = [&](const char* attr, int64_t Interval::* end) {
    const AttrMap* bounds = f.attr<AttrMap>(attr);
    if (!bounds) return;
    for (const auto& [name, bound] : *bounds)
      if (const int64_t* n = bound.find<int64_t>())
        out.try_emplace(name, Interval{0, Interval::kMax}).first->second.*end = *n;
  };
  read("tir_var_lower_bound", &Interval::lo);
  read("tir_var_upper_bound", &Interval::hi);
  return out;
}

}  // namespace sunmao
