#include "view/compress.h"

#include <zlib.h>

#include <vector>

#include "support/diagnostic.h"

namespace sunmao::view {
namespace {

std::string base64(const std::vector<Bytef>& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? bytes[i + k] : 0U);
    for (size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

std::string compressed(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::vector<Bytef> out(size);
  const std::vector<Bytef> in(text.begin(), text.end());
  const int status = compress2(out.data(), &size, in.data(), in.size(), Z_BEST_COMPRESSION);
  SUNMAO_CHECK(status == Z_OK, "zlib answers {}", status);
  out.resize(size);
  return base64(out);
}

}  // namespace sunmao::view
