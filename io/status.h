// Status and Result: error reporting of io/ and runtime/. Nothing is allocated on success. Only memory that is missing
// is an exception (std::bad_alloc), which ends at the C API.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace sunmao::io {

/// Success, or an error with a stable code ("E0803"), a message that says what is wrong, and help on what to do.
class [[nodiscard]] Status {
 public:
  Status() = default;  // success

  /// `code` must be a string literal: its address is kept.
  static Status error(const char* code, std::string message, std::string help = {});

  bool ok() const { return error_ == nullptr; }
  const char* code() const { return error_ ? error_->code : ""; }
  const std::string& message() const;
  const std::string& help() const;

  /// Returns the error with `prefix` before its message, to add context; success stays success.
  Status with_prefix(const std::string& prefix) const;
  /// Returns "E0803: message; help", for logs and tests.
  std::string to_string() const;

 private:
  struct Error {
    const char* code;
    std::string message;
    std::string help;
  };
  std::shared_ptr<const Error> error_;
};

/// A value, or the Status that explains its absence. Accessing the value of a failed Result traps (a bug of the caller,
/// never caused by input): check ok() first.
template <class T>
class [[nodiscard]] Result {
 public:
  template <class U = T>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status>)
  Result(U&& value) : value_(std::in_place, std::forward<U>(value)) {}           // implicit: `return value;`
  Result(Status status) : status_(std::move(status)) { demand(!status_.ok()); }  // implicit: `return status;`

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  const char* code() const { return status_.code(); }

  const T& value() const { return demand(ok()), *value_; }
  T& value() { return demand(ok()), *value_; }
  const T& operator*() const { return value(); }
  T& operator*() { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  /// Returns the value, moved out.
  T take() { return std::move(value()); }

 private:
  static void demand(bool holds) {
    if (!holds) __builtin_trap();
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace sunmao::io

/// Returns from the enclosing function with the error of `expression` (a Status), if it has one.
#define SUNMAO_TRY(expression)                                                                           \
  do {                                                                                                   \
    if (::sunmao::io::Status sunmao_status_ = (expression); !sunmao_status_.ok()) return sunmao_status_; \
  } while (false)
