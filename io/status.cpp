#include "io/status.h"

#include <algorithm>

#include "io/concat.h"
#include "io/utf8.h"

namespace sunmao::io {

namespace {
const std::string kEmpty;

/// True for one character (a UTF-8 sequence) that is printed as itself. Others are invalid bytes, control characters,
/// the no-break space, the soft hyphen, line separators, and format characters such as the zero-width space and
/// direction marks. Combining marks are printed.
bool is_visible(std::string_view c) {
  if (c.size() == 1) return c[0] >= 0x20 && c[0] < 0x7f;
  const auto in = [c](std::string_view low, std::string_view high) { return c >= low && c <= high; };
  return !in("\xc2\x80", "\xc2\xa0") && c != "\xc2\xad" && c != "\xd8\x9c" && !in("\xe2\x80\x8b", "\xe2\x80\x8f") &&
         !in("\xe2\x80\xa8", "\xe2\x80\xae") && !in("\xe2\x81\xa0", "\xe2\x81\xaf") && c != "\xef\xbb\xbf" &&
         !in("\xf3\xa0\x80\x80", "\xf3\xa0\x87\xaf");
}

}  // namespace

Status Status::error(const char* code, std::string message, std::string help) {
  Status status;
  status.error_ = std::make_shared<const Error>(Error{code, std::move(message), std::move(help)});
  return status;
}

const std::string& Status::message() const { return error_ ? error_->message : kEmpty; }

const std::string& Status::help() const { return error_ ? error_->help : kEmpty; }

Status Status::with_prefix(const std::string& prefix) const {
  return ok() ? *this : error(error_->code, prefix + error_->message, error_->help);
}

std::string Status::to_string() const {
  if (ok()) return "ok";
  std::string text = concat(error_->code, ": ", error_->message);
  if (!error_->help.empty()) text += concat("; ", error_->help);
  return text;
}

std::string Quoted::operator()(std::string_view text) const {
  constexpr size_t kLongest = 120;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "`";
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const size_t length = std::max<size_t>(utf8_length(rest), 1);
    if (at + length > kLongest) {
      out += "...";
      break;
    }
    at += length;
    if (is_visible(rest.substr(0, length))) {
      out += rest.substr(0, length);
      continue;
    }
    for (const char c : rest.substr(0, length)) {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out += '`';
}

}  // namespace sunmao::io
