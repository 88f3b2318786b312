#include "runtime/c_errors.h"

#include <algorithm>
#include <string_view>

#include "io/concat.h"

namespace sunmao::runtime {
namespace {

using io::Status;

constexpr int kFailed = 1;

void copy_text(std::string_view text, char* out, size_t size) {
  size_t length = std::min(text.size(), size - 1);
  // Truncation must not split a UTF-8 sequence.
  if (length < text.size())
    while (length > 0 && (text[length] & 0xc0) == 0x80) --length;
  std::copy_n(text.data(), length, out);
  out[length] = '\0';
}

void write_texts(sunmao_error& error, std::string_view code, std::string_view message, std::string_view help) {
  copy_text(code, error.code, sizeof(error.code));
  copy_text(message, error.message, sizeof(error.message));
  copy_text(help, error.help, sizeof(error.help));
}

}  // namespace

int report(const Status& status, sunmao_error* error) {
  if (error) write_texts(*error, status.code(), status.message(), status.help());
  return status.ok() ? 0 : kFailed;
}

int report_no_memory(sunmao_error* error) {
  if (error)
    write_texts(*error, "E0910", "the system gives no more memory",
                "nothing is lost: free memory and call again, or use smaller dimensions or a machine with more memory");
  return kFailed;
}

Status null_argument(const char* function, const char* argument) {
  return Status::error("E0900", io::concat("`", function, "`: `", argument, "` is NULL"));
}

}  // namespace sunmao::runtime
