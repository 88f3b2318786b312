#include "frontend/torch/tensors.h"

#include <bit>
#include <cstring>

#include "frontend/torch/derived_sizes.h"
#include "frontend/torch/scalar_text.h"
#include "io/concat.h"
#include "support/diagnostic.h"

namespace sunmao::torch {
namespace {

constexpr int64_t kStrided = 7;                     // Layout.Strided
constexpr int64_t kSmallGather = int64_t{1} << 20;  // bytes; an expanded weight of up to this size is always accepted
// The largest ratio of an expanded weight's size to that of its storage, for weights larger than kSmallGather.
constexpr int64_t kMaxExpansion = 64;

/// as_strided(storage, sizes, strides, offset), in elements.
struct View {
  DType dtype;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  int64_t count = 1;
  int64_t last = 0;  // the largest index into the storage
};

[[noreturn]] void malformed(const Span& span, const char* what) {
  fail("E0704", span, fmt::format("the graph's JSON lacks {}, or it is of another kind", what),
       "the file is damaged, or a newer PyTorch wrote it");
}

[[noreturn]] void does_not_fit(const Span& span, const std::string& why) {
  fail("E0705", span, "the weight's description is wrong: " + why, "the file is damaged; save it again");
}

std::vector<int64_t> static_sizes(io::JsonValue list, const Span& span) {
  if (!list.is_array()) malformed(span, "sizes and strides");
  if (list.size() > kMaxRank) does_not_fit(span, fmt::format("it has {} dimensions", list.size()));
  std::vector<int64_t> out;
  for (io::JsonValue size : list.elements()) {
    std::optional<int64_t> value = size["as_int"].as_int();
    if (!value) does_not_fit(span, "a size is no integer");
    if (*value < 0) does_not_fit(span, fmt::format("a size or stride is {}", *value));
    out.push_back(*value);
  }
  return out;
}

/// Returns the view of the parts of complex numbers, where `v` is that of the numbers.
View of_parts(View v, DType part, const Span& span) {
  v.dtype = part;
  bool overflow = v.sizes.size() != v.strides.size() || __builtin_mul_overflow(v.offset, int64_t{2}, &v.offset);
  for (int64_t& stride : v.strides) overflow |= __builtin_mul_overflow(stride, int64_t{2}, &stride);
  if (overflow) does_not_fit(span, "sizes, strides and offset do not belong together");
  v.sizes.push_back(2);
  v.strides.push_back(1);
  return v;
}

View parse_view(io::JsonValue meta, const Span& span) {
  const int64_t scalar_type = meta["dtype"].as_int().value_or(0);
  View v{.dtype = dtype_of_scalar_type(scalar_type),
         .sizes = static_sizes(meta["sizes"], span),
         .strides = static_sizes(meta["strides"], span)};
  v.offset = meta["storage_offset"]["as_int"].as_int().value_or(0);
  if (const DType part = part_of_scalar_type(scalar_type); !part.is_void()) v = of_parts(std::move(v), part, span);
  if (v.dtype.is_void())
    fail("E0711", span, fmt::format("weights of ScalarType {} are not supported", meta["dtype"].as_int().value_or(0)));
  if (meta["layout"].as_int().value_or(kStrided) != kStrided)
    fail("E0711", span, "a sparse weight is not supported", "store it dense: weight.to_dense()");
  if (v.sizes.size() != v.strides.size() || v.offset < 0)
    does_not_fit(span, "sizes, strides and offset do not belong together");
  bool overflow = false;
  v.last = v.offset;
  for (size_t i = 0; i < v.sizes.size(); ++i) overflow |= __builtin_mul_overflow(v.count, v.sizes[i], &v.count);
  for (size_t i = 0; i < v.sizes.size() && v.count > 0; ++i) {
    int64_t step;
    overflow |=
        __builtin_mul_overflow(v.sizes[i] - 1, v.strides[i], &step) || __builtin_add_overflow(v.last, step, &v.last);
  }
  if (overflow) does_not_fit(span, "its sizes are too large");
  for (size_t i = 0; i < v.sizes.size(); ++i)
    if (v.sizes[i] == 1) v.strides[i] = 0;  // the stride of a dimension of size 1 is irrelevant
  return v;
}

bool is_in_order(const View& v) {
  int64_t expected = 1;
  for (size_t i = v.sizes.size(); i-- > 0;) {
    if (v.sizes[i] != 1 && v.strides[i] != expected) return false;
    expected *= v.sizes[i];
  }
  return true;
}

Array copied_in_order(const View& v, const std::byte* storage) {
  ArrayBuilder builder(v.dtype, v.sizes);
  const auto bytes = static_cast<size_t>(v.dtype.bytes());
  std::byte* out = builder.data();
  std::vector<int64_t> at(v.sizes.size(), 0);
  int64_t from = v.offset;
  for (int64_t i = 0; i < v.count; ++i) {
    std::memcpy(out + static_cast<size_t>(i) * bytes, storage + static_cast<size_t>(from) * bytes, bytes);
    for (size_t axis = at.size(); axis-- > 0;) {
      from += v.strides[axis];
      if (++at[axis] < v.sizes[axis]) break;
      from -= v.strides[axis] * v.sizes[axis];
      at[axis] = 0;
    }
  }
  return std::move(builder).finish();
}

Array array_of(const View& v, const io::Bytes& storage, const Span& span) {
  const int64_t bytes = v.dtype.bytes();
  const int64_t held = static_cast<int64_t>(storage.size()) / bytes;
  if (v.count > 0 && v.last >= held)
    does_not_fit(span, fmt::format("its last element is number {} of a storage of {}", v.last, held));
  if (v.count == 0) return Array::wrap(v.dtype, v.sizes, nullptr, nullptr);
  const void* address = storage.data();
  const bool is_aligned = std::bit_cast<uintptr_t>(address) % static_cast<uintptr_t>(bytes) == 0;
  if (is_in_order(v) && is_aligned)
    return Array::wrap(v.dtype, v.sizes, storage.data() + v.offset * bytes, storage.owner());
  if (v.count > kSmallGather / bytes && v.count / kMaxExpansion > held)
    does_not_fit(span, fmt::format("it repeats a storage of {} elements to {}", held, v.count));
  return copied_in_order(v, storage.data());
}

}  // namespace

DType dtype_of_scalar_type(int64_t scalar_type) {
  switch (scalar_type) {
    case 1: return DType::uint(8);
    case 2: return DType::int_(8);
    case 3: return DType::int_(16);
    case 4: return DType::int_(32);
    case 5: return DType::int_(64);
    case 6: return DType::float_(16);
    case 7: return DType::float_(32);
    case 8: return DType::float_(64);
    case 12: return DType::bool_();
    case 13: return *DType::parse("bfloat16");
    case 28: return DType::uint(16);
    case 29: return DType{TypeCode::Float8E4M3FN, 8, 1};
    case 30: return DType{TypeCode::Float8E5M2, 8, 1};
    case 31: return DType{TypeCode::Float8E4M3FNUZ, 8, 1};
    case 32: return DType{TypeCode::Float8E5M2FNUZ, 8, 1};
    case 33: return DType{TypeCode::Float8E8M0FNU, 8, 1};
    case 34: return DType::uint(32);
    case 35: return DType::uint(64);
    default: return DType::void_();
  }
}

DType part_of_scalar_type(int64_t scalar_type) {
  switch (scalar_type) {
    case 9: return DType::float_(16);
    case 10: return DType::float_(32);
    case 11: return DType::float_(64);
    default: return DType::void_();
  }
}

Scalar parse_size(io::JsonValue size, ModelBuilder& builder, const Span& span) {
  if (std::optional<int64_t> value = size["as_int"].as_int()) return int_imm(*value);
  std::optional<std::string_view> text = size["as_expr"]["expr_str"].as_string();
  if (!text) malformed(span, "a size");
  if (builder.defines(derived_name(*text))) return builder.size_of(derived_name(*text));
  return parse_scalar(*text, builder, span);
}

Type parse_tensor_type(io::JsonValue meta, ModelBuilder& builder, const Span& span) {
  io::JsonValue sizes = meta["sizes"];
  std::optional<int64_t> scalar_type = meta["dtype"].as_int();
  if (!sizes.is_array() || !scalar_type) malformed(span, "a tensor's sizes and dtype");
  const DType dtype = dtype_of_scalar_type(*scalar_type), part = part_of_scalar_type(*scalar_type);
  if (dtype.is_void() && part.is_void())
    fail("E0711", span, fmt::format("tensors of ScalarType {} are not supported", *scalar_type));
  if (sizes.size() > kMaxRank) fail("E0704", span, fmt::format("a tensor of {} dimensions", sizes.size()));
  std::vector<Scalar> dims;
  for (io::JsonValue size : sizes.elements()) {
    dims.push_back(parse_size(size, builder, span));
    if (find_int(dims.back()) && *find_int(dims.back()) < 0) fail("E0704", span, "a dimension is negative");
  }
  if (part.is_void()) return TensorType::make(std::move(dims), dtype);
  const Type parts = TensorType::make(std::move(dims), part);
  return TupleType::make({parts, parts});
}

Array load_weight(const Archive& archive, const std::string& folder, io::JsonValue payload, const Span& span) {
  std::optional<std::string_view> path = payload["path_name"].as_string();
  if (!path)
    fail("E0705", span, "the archive holds no data for this weight",
         "save it with torch.export.save, which stores weights along");
  if (payload["use_pickle"].as_bool().value_or(false))
    fail("E0706", span, "the weight is a pickled Python object, which needs Python to read",
         "for torchao's quantised tensors: call torchao.utils.unwrap_tensor_subclass(model) before the export");
  const View view = parse_view(payload["tensor_meta"], span);
  return array_of(view, archive.data(folder, *path, span), span);
}

}  // namespace sunmao::torch
