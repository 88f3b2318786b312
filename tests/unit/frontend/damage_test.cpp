// Test models truncated at every length and with bytes changed give an error with a code, or a model, but never crash.
#include <gtest/gtest.h>

#include <set>

#include "frontend/frontend.h"
#include "io/mapped_file.h"
#include "ops/ops.h"
#include "support/diagnostic.h"
#include "tests/unit/effort.h"
#include "tests/unit/io/damage.h"

namespace sunmao {
namespace {

std::string file(const char* name) {
  io::Result<io::Bytes> bytes = io::map_file(std::string("tests/models/") + name);
  EXPECT_TRUE(bytes.ok()) << bytes.status().to_string();
  return std::string(bytes->text());
}

/// Returns the code of the error; "" when there is none.
std::string code_of(const std::string& text, bool is_onnx) {
  // An exactly sized copy, so that a sanitizer detects a read beyond the end.
  const io::Bytes bytes = io::Bytes::copy_of(io::as_bytes(text));
  try {
    is_onnx ? read_onnx(bytes, "t", "", builtin_ops()) : read_torch(bytes, "t", builtin_ops());
  } catch (const UserError& e) {
    for (const Diagnostic& d : e.diagnostics()) EXPECT_TRUE(d.code.size() == 5 && d.code[0] == 'E') << d.code;
    return e.diagnostics()[0].code;
  }
  return "";
}

TEST(Damage, OnnxCutAnywhere) {
  const std::string whole = file("mlp.onnx");
  int cut_after_all = 0;
  io::test::for_every_cut(whole, [&](const std::string& text) { cut_after_all += code_of(text, true).empty(); });
  EXPECT_EQ(cut_after_all, 0) << "the opset is the last field: nothing shorter is a model";
}

TEST(Damage, TorchCutAnywhere) {
  std::set<std::string> codes;
  io::test::for_every_cut(
      file("mlp.pt2"), [&](const std::string& text) { codes.insert(code_of(text, false)); }, is_in_part() ? 5 : 1);
  EXPECT_FALSE(codes.contains("")) << "the directory is at the end: nothing shorter is an archive";
}

TEST(Damage, OnnxWithBytesChanged) {
  int errors = 0;
  io::test::for_flipped_bytes(file("mlp.onnx"), is_in_part() ? 400 : 4000,
                              [&](const std::string& text) { errors += !code_of(text, true).empty(); });
  EXPECT_GT(errors, 0);
}

TEST(Damage, TorchWithBytesChanged) {
  int errors = 0;
  io::test::for_flipped_bytes(file("mlp.pt2"), is_in_part() ? 800 : 4000,
                              [&](const std::string& text) { errors += !code_of(text, false).empty(); });
  EXPECT_GT(errors, 0);
}

}  // namespace
}  // namespace sunmao
