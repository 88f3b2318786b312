// Fuzzes the JSON reader: any text is rejected with an error, or parsed to a tree that is equal after writing and
// reading it.
#include "io/json_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunmao::io;
  const Bytes text = Bytes::borrowed(std::as_bytes(std::span(data, size)));
  const JsonOptions options{.skip = [](std::string_view, std::string_view key) { return key == "metadata"; }};
  static_cast<void>(JsonDocument::parse(text, options));
  const Result<JsonDocument> first = JsonDocument::parse(text);
  if (!first.ok()) return 0;
  JsonWriter once, twice({.indent = 1}), thrice;
  once.value(first->root());
  const Result<JsonDocument> second = JsonDocument::parse(once.text());
  if (!second.ok()) __builtin_trap();
  twice.value(second->root());
  const Result<JsonDocument> third = JsonDocument::parse(twice.text());
  if (!third.ok() || thrice.value(third->root()).text() != once.text()) __builtin_trap();
  return 0;
}
