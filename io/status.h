// Status and Result: how io/ and runtime/ report failures. No exceptions, no allocation when all is well.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace sunmao::io {

/// Success, or an error with a stable code ("E0803"), what is wrong, and what to do about it.
class [[nodiscard]] Status {
 public:
  Status() = default;  // success

  /// `code` is a string literal: it is kept by address.
  static Status error(const char* code, std::string message, std::string help = {});

  bool ok() const { return error_ == nullptr; }
  const char* code() const { return error_ ? error_->code : ""; }
  const std::string& message() const;
  const std::string& help() const;

  /// The same error told from further out: `prefix` and the message. Success stays success.
  Status with_prefix(const std::string& prefix) const;
  /// "E0803: message; help", for logs and tests.
  std::string to_string() const;

 private:
  struct Error {
    const char* code;
    std::string message;
    std::string help;
  };
  std::shared_ptr<const Error> error_;
};

/// A value, or the Status that says why there is none. Reading the value of a failed Result ends the process
/// (a bug of the caller, never of the input): ask ok() first.
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
  /// Moves the value out.
  T take() { return std::move(value()); }

 private:
  static void demand(bool holds) {
    if (!holds) __builtin_trap();
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace sunmao::io

/// Returns the error of `expression` (a Status) from the enclosing function, if it is one.
#define SUNMAO_TRY(expression)                                                                           \
  do {                                                                                                   \
    if (::sunmao::io::Status sunmao_status_ = (expression); !sunmao_status_.ok()) return sunmao_status_; \
  } while (false)
