#include "cli/npy.h"

#include <algorithm>
#include <charconv>
#include <regex>

#include "compiler/tensor_file.h"
#include "io/concat.h"
#include "io/zip.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kFixedSize = 8;  // bytes of magic and version

[[noreturn]] void bad(const std::string& path, const std::string& why) {
  fail("E0011", {}, fmt::format("{} cannot be read: {}", io::quoted(path), why),
       "save it with numpy.save(path, numpy.ascontiguousarray(x))");
}

// Returns the header's text and the offset of the data.
std::pair<std::string, size_t> header_of(const std::string& path, std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < kFixedSize + 4) bad(path, "it does not begin as a .npy file does");
  const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(file[i])}; };
  const bool is_first = byte(6) == 1;  // the header's size has 16 bits in version 1, 32 bits in later versions
  const size_t size = byte(8) | byte(9) << 8 | (is_first ? 0 : byte(10) << 16 | byte(11) << 24);
  const size_t begin = kFixedSize + (is_first ? 2 : 4);
  if (size > file.size() - begin) bad(path, "it ends inside its header");
  constexpr size_t kLongest = 4096;  // bytes; far more than any shape needs
  if (size > kLongest) bad(path, fmt::format("its header has {} bytes", size));
  return {std::string(file.substr(begin, size)), begin + size};
}

std::string match_one(const std::string& path, const std::string& header, const char* key, const char* value) {
  std::smatch match;
  const std::regex pattern(fmt::format("'{}'\\s*:\\s*{}", key, value));
  if (!std::regex_search(header, match, pattern))
    bad(path, fmt::format("its header has no `{}` that a tensor can have", key));
  return match[1];
}

DType dtype_of(const std::string& path, const std::string& text) {
  const int bytes = text[2] - '0';
  if (text[0] == '>') bad(path, "its numbers are big-endian");
  if (text[1] == 'b' && bytes == 1) return DType::bool_();
  if (text[1] == 'f' && (bytes == 2 || bytes == 4 || bytes == 8)) return DType::float_(bytes * 8);
  const bool is_integer = text[1] == 'i' || text[1] == 'u';
  if (is_integer && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8))
    return text[1] == 'i' ? DType::int_(bytes * 8) : DType::uint(bytes * 8);
  bad(path, fmt::format("dtype `{}` is none of a tensor", text));
}

std::vector<int64_t> shape_of(const std::string& path, const std::string& text) {
  std::vector<int64_t> shape;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t& size = shape.emplace_back();
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0) bad(path, fmt::format("its shape is ({})", text));
    at = stop;
  }
  return shape;
}

HostTensor tensor_of(const std::string& path, const io::Bytes& file) {
  const auto [header, begin] = header_of(path, file.text());
  const DType dtype = dtype_of(path, match_one(path, header, "descr", "'([<>|=][a-z][0-9])'"));
  if (match_one(path, header, "fortran_order", "(True|False)") == "True") bad(path, "it is in Fortran order");
  const std::vector<int64_t> shape = shape_of(path, match_one(path, header, "shape", "\\(([0-9, ]*)\\)"));
  const std::optional<int64_t> size = shape_bytes(shape, dtype);
  if (!size) bad(path, "its shape is beyond all memory");
  const size_t there = file.size() - begin;
  if (static_cast<uint64_t>(*size) != there) bad(path, fmt::format("the data has {} bytes, expected {}", there, *size));
  return HostTensor::copy_of(dtype, shape, file.span().subspan(begin));
}

io::ZipReader open_npz(const std::string& path) {
  io::Result<io::ZipReader> zip = io::ZipReader::open(map_or_fail(path));
  if (!zip.ok()) bad(path, zip.status().message());
  return *std::move(zip);
}

std::string array_name(const io::ZipEntry& entry) {
  return entry.name.ends_with(kNpy) ? entry.name.substr(0, entry.name.size() - kNpy.size()) : entry.name;
}

/// Returns NumPy's name of a dtype, such as "<f4"; empty where it has none.
std::string npy_dtype(DType dtype) {
  const int bytes = dtype.bits / 8;
  if (dtype.is_bool()) return "|b1";
  const bool has_size =
      dtype.lanes == 1 && (dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64);
  for (const auto& [type, letter] :
       {std::pair{DType::float_(dtype.bits), 'f'}, {DType::int_(dtype.bits), 'i'}, {DType::uint(dtype.bits), 'u'}})
    if (has_size && dtype == type && !(letter == 'f' && bytes == 1))
      return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', letter, bytes);
  return {};
}

/// Returns what stands before the data of an array in a file.
std::string npy_header(const std::string& path, const Array& array) {
  const std::string dtype = npy_dtype(array.dtype());
  if (dtype.empty())
    fail("E0002", {}, fmt::format("--output: {} cannot hold {}", io::quoted(path), array.dtype().str()),
         "NumPy has no such numbers: write a file that ends in .safetensors");
  const std::string_view comma = array.shape().size() == 1 ? "," : "";
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype,
                                 fmt::join(array.shape(), ", "), comma);
  constexpr size_t kAlignment = 64, kSizeBytes = 2;
  const size_t before = kFixedSize + kSizeBytes, whole = before + text.size() + 1;
  text.append((kAlignment - whole % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return out + text;
}

io::Chunks npy_chunks(const std::string& path, const Array& array) {
  return {io::Bytes::from(npy_header(path, array)), io::Bytes(array.bytes(), array.owner())};
}

}  // namespace

HostTensor read_npy(const std::string& path) { return tensor_of(path, map_or_fail(path)); }

std::vector<std::string> npz_names(const std::string& path) {
  const io::ZipReader zip = open_npz(path);
  std::vector<std::string> out;
  for (const io::ZipEntry& entry : zip.entries()) out.push_back(array_name(entry));
  return out;
}

HostTensor read_npz(const std::string& path, const std::string& name) {
  const io::ZipReader zip = open_npz(path);
  const auto found = std::ranges::find(zip.entries(), name, array_name);
  if (found == zip.entries().end())
    fail("E0012", {}, fmt::format("{} has no array `{}`", io::quoted(path), name),
         fmt::format("it has {}", fmt::join(npz_names(path), ", ")));
  if (found->method != 0)
    fail("E0011", {}, fmt::format("{} cannot be read: its arrays are compressed", io::quoted(path)),
         "save it with numpy.savez, not with numpy.savez_compressed");
  const io::Result<io::Bytes> data = zip.read(*found);
  if (!data.ok()) bad(path, data.status().message());
  return tensor_of(path, *data);
}

void write_npy(const std::string& path, const Array& array) { write_or_fail(path, npy_chunks(path, array)); }

void write_npz(const std::string& path, const Weights& arrays) {
  io::ZipWriter zip;
  for (const auto& [name, array] : arrays)
    if (const io::Status added = zip.add(name + std::string(kNpy), npy_chunks(path, array)); !added.ok())
      fail("E0002", {}, fmt::format("--output: {}", added.message()));
  write_or_fail(path, std::move(zip).finish());
}

}  // namespace sunmao::cli
