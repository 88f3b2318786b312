#include "frontend/onnx/tensors.h"

#include <charconv>
#include <cstring>
#include <limits>

#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "io/concat.h"
#include "io/file_descriptor.h"
#include "io/mapped_file.h"

namespace sunmao::onnx {
namespace {

constexpr const char* kNames[] = {
    "undefined", "float",      "uint8",      "int8",         "uint16",         "int16",      "int32",
    "int64",     "string",     "bool",       "float16",      "double",         "uint32",     "uint64",
    "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
    "uint4",     "int4",       "float4e2m1", "float8e8m0",   "uint2",          "int2"};

int64_t element_count(const Tensor& t, DType dtype, const Span& span) {
  if (t.dims.size() > kMaxRank)
    fail("E0605", span, fmt::format("tensor {} has {} dimensions", io::quoted(t.name), t.dims.size()));
  if (!shape_bytes(t.dims, dtype))
    fail("E0605", span, fmt::format("tensor {} has a dimension that is negative or too large", io::quoted(t.name)));
  return *shape_count(t.dims);
}

[[noreturn]] void wrong_size(const Tensor& t, int64_t expected, size_t got, const char* unit, const Span& span) {
  fail("E0605", span,
       fmt::format("tensor {} holds {} {}, its shape and type ask for {}", io::quoted(t.name), got, unit, expected),
       "the file is damaged, or it was not written whole");
}

bool is_aligned(const std::byte* data, DType dtype) {
  const void* address = data;
  return std::bit_cast<uintptr_t>(address) % static_cast<uintptr_t>(dtype.bytes()) == 0;
}

/// Uses the bytes in place if they are aligned for the dtype.
Array array_of(DType dtype, const Tensor& t, const io::Bytes& bytes) {
  if (is_aligned(bytes.data(), dtype)) return Array::wrap(dtype, t.dims, bytes.data(), bytes.owner());
  return Array::copy(dtype, t.dims, bytes.span());
}

// Returns the field of TensorProto that holds values of the dtype when there is no raw data.
uint32_t typed_field(DType dtype) {
  if (dtype == DType::float_(32)) return 4;
  if (dtype == DType::float_(64)) return 10;
  if (dtype == DType::int_(64)) return 7;
  if (dtype == DType::uint(64) || dtype == DType::uint(32)) return 11;
  return 5;
}

/// Stores the low bytes of each value: integers, the bits of small floats, or a byte of packed elements.
Array narrow(DType dtype, const Tensor& t, const std::vector<int64_t>& values) {
  ArrayBuilder builder(dtype, t.dims);
  const size_t size = static_cast<size_t>(dtype.bytes());
  std::byte* out = builder.data();
  for (size_t i = 0; i < values.size(); ++i) std::memcpy(out + i * size, &values[i], size);  // little endian
  return std::move(builder).finish();
}

/// The number of values in a typed field: of packed elements each value has a byte, of others an element.
int64_t value_count(DType dtype, int64_t elements) { return dtype.is_packed() ? dtype.bytes_of(elements) : elements; }

Array load_typed(DType dtype, const Tensor& t, int64_t count, const Span& span) {
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int64_t> ints;
  const uint32_t number = typed_field(dtype);
  io::ProtobufReader reader(t.message);
  for (io::ProtobufField f; reader.next(f);) {
    if (f.number != number) continue;
    check(number == 4    ? append_floats(f, floats)
          : number == 10 ? append_doubles(f, doubles)
                         : append_varints(f, ints),
          span);
  }
  const size_t got = floats.size() + doubles.size() + ints.size();
  if (const int64_t expected = value_count(dtype, count); std::cmp_not_equal(got, expected))
    wrong_size(t, expected, got, "values", span);
  if (number == 4) return Array::copy(dtype, t.dims, std::as_bytes(std::span(floats)));
  if (number == 10) return Array::copy(dtype, t.dims, std::as_bytes(std::span(doubles)));
  return narrow(dtype, t, ints);
}

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

DType dtype_of_element(int64_t data_type) {
  if (data_type < 0 || data_type > std::numeric_limits<int32_t>::max()) return DType::void_();
  switch (static_cast<ElementType>(data_type)) {
    case ElementType::Float: return DType::float_(32);
    case ElementType::Double: return DType::float_(64);
    case ElementType::Float16: return DType::float_(16);
    case ElementType::BFloat16: return *DType::parse("bfloat16");
    case ElementType::Int8: return DType::int_(8);
    case ElementType::Int16: return DType::int_(16);
    case ElementType::Int32: return DType::int_(32);
    case ElementType::Int64: return DType::int_(64);
    case ElementType::UInt8: return DType::uint(8);
    case ElementType::UInt16: return DType::uint(16);
    case ElementType::UInt32: return DType::uint(32);
    case ElementType::UInt64: return DType::uint(64);
    case ElementType::Bool: return DType::bool_();
    case ElementType::Float8E4M3FN: return DType{TypeCode::Float8E4M3FN, 8, 1};
    case ElementType::Float8E4M3FNUZ: return DType{TypeCode::Float8E4M3FNUZ, 8, 1};
    case ElementType::Float8E5M2: return DType{TypeCode::Float8E5M2, 8, 1};
    case ElementType::Float8E5M2FNUZ: return DType{TypeCode::Float8E5M2FNUZ, 8, 1};
    case ElementType::UInt4: return DType::uint(4);
    case ElementType::Int4: return DType::int_(4);
    case ElementType::Float4E2M1: return DType{TypeCode::Float4E2M1FN, 4, 1};
    case ElementType::UInt2: return DType::uint(2);
    case ElementType::Int2: return DType::int_(2);
    default: return DType::void_();
  }
}

std::string name_of_element(int64_t data_type) {
  if (data_type >= 0 && static_cast<size_t>(data_type) < std::size(kNames)) return kNames[data_type];
  return fmt::format("type {}", data_type);
}

Array TensorLoader::load(const Tensor& t, const Span& span) {
  const DType dtype = dtype_of_element(t.data_type);
  const int64_t count = element_count(t, dtype, span);
  const auto expected = static_cast<size_t>(dtype.bytes_of(count));
  if (t.is_external) return array_of(dtype, t, external_bytes(t, expected, span));
  if (!t.raw) return load_typed(dtype, t, count, span);
  if (t.raw->size() != expected) wrong_size(t, static_cast<int64_t>(expected), t.raw->size(), "bytes", span);
  return array_of(dtype, t, file_.slice(*t.raw));
}

const io::Bytes& TensorLoader::external_file(const std::string& location, const Span& span) {
  auto known = mapped_.find(location);
  if (known != mapped_.end()) return known->second;
  if (folder_.empty())
    fail("E0606", span, fmt::format("external data {} of a model that stands in no folder", io::quoted(location)),
         "read the model from its file, beside which the data stands");
  io::Result<io::FileDescriptor> opened = io::open_beneath(folder_, location);
  check(opened.status(), span);
  io::Result<std::shared_ptr<const io::MappedFile>> mapped = io::MappedFile::map(opened.take(), location);
  check(mapped.status(), span);
  return mapped_.emplace(location, bytes_of(*mapped)).first->second;
}

std::vector<std::string> TensorLoader::files() const {
  std::vector<std::string> out;
  for (const auto& [location, bytes] : mapped_) out.push_back(io::concat(folder_, "/", location));
  return out;
}

io::Bytes TensorLoader::external_bytes(const Tensor& t, size_t expected, const Span& span) {
  std::string location;
  uint64_t offset = 0, length = expected;
  for (const auto& [key, value] : t.external) {
    if (key == "location") location = value;
    if (key != "offset" && key != "length") continue;
    std::optional<uint64_t> number = parse_number(value);
    if (!number)
      fail("E0606", span,
           fmt::format("tensor {}: {} {} of its external data is no number", io::quoted(t.name), key,
                       io::quoted(value)));
    (key == "offset" ? offset : length) = *number;
  }
  if (location.empty())
    fail("E0606", span, fmt::format("tensor {} says that its data is external, but not where", io::quoted(t.name)));
  if (length != expected) wrong_size(t, static_cast<int64_t>(expected), length, "bytes", span);
  const io::Bytes& file = external_file(location, span);
  if (!file.contains(offset, length))
    fail("E0606", span,
         fmt::format("tensor {}: {} bytes at {} lie outside of {}, which has {}", io::quoted(t.name), length, offset,
                     io::quoted(location), file.size()),
         "the data file is cut short, or belongs to another model");
  return file.slice(offset, length);
}

}  // namespace sunmao::onnx
