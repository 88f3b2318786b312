#include "io/status.h"

#include "io/concat.h"

namespace sunmao::io {

namespace {
const std::string kEmpty;
}

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
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  if (text.size() > kLongest) out += "...";
  return out += '`';
}

}  // namespace sunmao::io
