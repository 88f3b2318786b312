#include "cli/npy.h"

#include <charconv>
#include <regex>

#include "compiler/tensor_file.h"
#include "io/concat.h"
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

}  // namespace

HostTensor read_npy(const std::string& path) {
  const io::Bytes file = map_or_fail(path);
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

}  // namespace sunmao::cli
