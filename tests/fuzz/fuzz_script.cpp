// Fuzzes the parser: any text gives a module or a UserError; a module is structurally equal after printing and parsing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ir/equal.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace {

[[noreturn]] void give_up(const char* what, const std::string& detail, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n%s\n", what, detail.c_str(), text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunmao;
  std::string text(data, data + size);
  Module module;
  try {
    module = parse_module(Source::make("fuzz", text), builtin_ops());
  } catch (const UserError& error) {
    for (const Diagnostic& d : error.diagnostics())
      if (d.code.empty() || d.message.empty() || !d.span)
        give_up("an error without code, message or place", error.what(), text);
    return 0;
  } catch (const std::exception& error) {
    give_up("not a user error", error.what(), text);
  }
  PrintResult printed = print_with_constants(module);
  try {
    Module again = parse_module(Source::make("printed", printed.text), builtin_ops(), {.constants = printed.constants});
    for (const FunctionEntry& e : module.functions()) {
      // A mutated script may contain free symbols; these are compared by name, hence map_free.
      Ref<BaseFunc> other = again.find(e.var->name);
      if (!other || !structural_equal(Expr(e.func), Expr(other), {.map_free = true}))
        give_up("printing changes a function", e.var->name, text + "\n---\n" + printed.text);
    }
    if (print(again) != printed.text) give_up("printing is not stable", print(again), printed.text);
  } catch (const std::exception& error) {
    give_up("what is printed cannot be read", error.what(), printed.text);
  }
  return 0;
}
