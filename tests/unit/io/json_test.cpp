#include "io/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "damage.h"

namespace sunmao::io {
namespace {

using namespace std::string_literals;

std::string json_error(const std::string& text) { return JsonDocument::parse(text).code(); }

double double_of(const std::string& text) {
  const Result<JsonDocument> json = JsonDocument::parse(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status().to_string();
  return json.ok() ? json->root().as_double().value_or(-12345) : -12345;
}

std::string string_of(const std::string& text) {
  const Result<JsonDocument> json = JsonDocument::parse(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status().to_string();
  return json.ok() ? std::string(json->root().as_string().value_or("?")) : "";
}

TEST(Json, KindsAndLookups) {
  const Result<JsonDocument> json = JsonDocument::parse(
      R"( {"a": [1, -2.5, true, false, null, "x"], "b": {"c": {"d": 9223372036854775807}}, "e": [], "f": {}} )");
  ASSERT_TRUE(json.ok()) << json.status().to_string();
  const JsonValue root = json->root();
  EXPECT_EQ(root.size(), 4u);
  EXPECT_EQ(root["a"].size(), 6u);
  EXPECT_EQ(root["a"][size_t{0}].as_int(), 1);
  EXPECT_EQ(root["a"][size_t{1}].as_double(), -2.5);
  EXPECT_EQ(root["a"][size_t{1}].as_int(), std::nullopt);
  EXPECT_EQ(root["a"][size_t{2}].as_bool(), true);
  EXPECT_EQ(root["a"][size_t{3}].as_bool(), false);
  EXPECT_TRUE(root["a"][size_t{4}].is_null());
  EXPECT_EQ(root["a"][size_t{5}].as_string(), "x");
  EXPECT_FALSE(root["a"][size_t{6}].exists());
  EXPECT_EQ(root["b"]["c"]["d"].as_int(), std::numeric_limits<int64_t>::max());
  EXPECT_FALSE(root["b"]["x"]["d"].exists()) << "a chain through what is not there";
  EXPECT_EQ(root["b"]["c"]["d"].as_double(), 9223372036854775808.0);
  EXPECT_TRUE(root["e"].is_array());
  EXPECT_EQ(root["f"].size(), 0u);
}

TEST(Json, MembersKeepTheirOrder) {
  const Result<JsonDocument> json = JsonDocument::parse(R"({"z": 1, "a": 2, "m": 3})");
  std::string keys;
  int64_t sum = 0;
  for (const JsonMember member : json->root().members()) {
    keys += member.key;
    sum += *member.value.as_int();
  }
  EXPECT_EQ(keys, "zam");
  EXPECT_EQ(sum, 6);
  for (const JsonValue value : json->root().elements()) FAIL() << "an object has no elements " << value.size();
}

TEST(Json, ManyMembersAreFoundByKey) {
  std::string text = "{";
  for (int i = 0; i < 5000; ++i)
    text += (i > 0 ? ",\"k" : "\"k") + std::to_string(i * 7919 % 5000) + "\":" + std::to_string(i);
  const Result<JsonDocument> json = JsonDocument::parse(text + "}");
  ASSERT_TRUE(json.ok());
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(json->root()["k" + std::to_string(i * 7919 % 5000)].as_int(), i);
  EXPECT_FALSE(json->root()["k5000"].exists());
  EXPECT_FALSE(json->root()[""].exists());
}

TEST(Json, NumbersAgreeWithPython) {
  EXPECT_EQ(double_of("-9223372036854775808"), -9223372036854775808.0);
  EXPECT_EQ(JsonDocument::parse("-9223372036854775808")->root().as_int(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(JsonDocument::parse("9223372036854775808")->root().as_int(), std::nullopt) << "beyond int64";
  EXPECT_EQ(double_of("18446744073709551616"), 18446744073709551616.0);
  EXPECT_EQ(double_of("2.2250738585072011e-308"), 0x0.fffffffffffffp-1022);
  EXPECT_EQ(double_of("0.1"), 0.1);
  EXPECT_EQ(double_of("1E+2"), 100.0);
  EXPECT_EQ(double_of("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(double_of("-1e-400")));
  EXPECT_EQ(double_of("0.0000e999999999999999999999"), 0.0);
  EXPECT_EQ(double_of("0." + std::string(400, '0') + "1e+401"), 1.0);
}

TEST(Json, StringsAndEscapes) {
  EXPECT_EQ(string_of(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(string_of(R"("\u00e9\u20ac\ud83d\ude00\u0000.")"), "\u00e9\u20ac\U0001f600\0."s);
  EXPECT_EQ(string_of("\"gr\u00fc\u00dfe, \u69ab\u536f \U0001f600\""), "gr\u00fc\u00dfe, \u69ab\u536f \U0001f600");
  EXPECT_EQ(string_of("\"\\n\u69ab and a long plain tail \x7f\""), "\n\u69ab and a long plain tail \x7f");
}

TEST(Json, E0820SyntaxErrors) {
  for (const char* text : {"",         " ",
                           "{",        "[",
                           "[1,",      "[1,]",
                           "[1 2]",    "{\"a\"}",
                           "{\"a\":}", "{\"a\":1,}",
                           "{a:1}",    "{1:2}",
                           "[1]]",     "1 2",
                           "nul",      "NaN",
                           "Infinity", "-Infinity",
                           "-",        "01",
                           "-01",      "1.",
                           ".5",       "1e",
                           "1e+",      "+1",
                           "0x10",     "'a'",
                           "[1}",      "{\"a\":1]",
                           "\"abc",    "\"abc\\",
                           "tru",      "\xef\xbb\xbf{}",
                           "//x\n1"}) {
    EXPECT_EQ(json_error(text), "E0820") << text;
  }
  EXPECT_EQ(json_error("1\0"s), "E0820");
}

TEST(Json, ErrorsSayLineAndColumn) {
  const Result<JsonDocument> json = JsonDocument::parse("{\n  \"a\": 1,\n  \"b\": x\n}");
  ASSERT_FALSE(json.ok());
  EXPECT_NE(json.status().message().find("3:8"), std::string::npos) << json.status().message();
}

TEST(Json, E0821BadStrings) {
  for (const char* text :
       {"\"a\nb\"", "\"\x01\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\n\"",
        "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xe2\x82\"", "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"", "\"\xf0\x80\x80\x80\"", "\"\\n\xff\"", "\"\\n\n\"", "\"\xe0\x80\x80\""}) {
    EXPECT_EQ(json_error(text), "E0821") << text;
  }
}

TEST(Json, E0822Depth) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(json_error(nested(kMaxJsonDepth)), "");
  EXPECT_EQ(json_error(nested(kMaxJsonDepth + 1)), "E0822");
  EXPECT_EQ(json_error(std::string(1000000, '[')), "E0822");
  JsonOptions options{.skip = [](std::string_view, std::string_view) { return true; }};
  EXPECT_STREQ(JsonDocument::parse("{\"a\":" + std::string(1000000, '[') + "}", options).code(), "E0822");
}

TEST(Json, E0823DuplicateKeys) {
  EXPECT_EQ(json_error(R"({"a":1,"b":2,"a":3})"), "E0823");
  EXPECT_EQ(json_error(R"({"a":1,"\u0061":3})"), "E0823");
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_EQ(json_error(text + "\"k57\":1}"), "E0823");
}

TEST(Json, E0824NumberBeyondDouble) {
  EXPECT_EQ(json_error("1e400"), "E0824");
  EXPECT_EQ(json_error("-0.001e999999999999999999999999"), "E0824");
}

TEST(Json, E0825TextTooLong) {
  const std::byte* nowhere = nullptr;  // never read: the length alone is rejected
  EXPECT_STREQ(JsonDocument::parse(Bytes::borrowed({nowhere, size_t{1} << 32})).code(), "E0825");
}

TEST(Json, SkippedMembersLeaveNoTrace) {
  JsonOptions options{.skip = [](std::string_view parent, std::string_view key) {
    return parent == "metadata" && key != "stack_trace";
  }};
  const Result<JsonDocument> json = JsonDocument::parse(
      R"({"nodes": [{"metadata": {"from_node": [{"x": "]}\"" }, [], 1e5], "stack_trace": "s", "torch_fn": "t"},
          "target": "add"}], "metadata": {"custom":null}})",
      options);
  ASSERT_TRUE(json.ok()) << json.status().to_string();
  const JsonValue node = json->root()["nodes"][size_t{0}];
  EXPECT_EQ(node["metadata"].size(), 1u);
  EXPECT_EQ(node["metadata"]["stack_trace"].as_string(), "s");
  EXPECT_EQ(node["target"].as_string(), "add");
  EXPECT_EQ(json->root()["metadata"].size(), 0u);
}

TEST(Json, ArraysInheritTheKeyTheyStandUnder) {
  std::string seen;
  JsonOptions options{.skip = [&](std::string_view parent, std::string_view key) {
    seen += std::string(parent) + "/" + std::string(key) + " ";
    return false;
  }};
  ASSERT_TRUE(JsonDocument::parse(R"({"nodes": [[{"op": {"k": 1}}]]})", options).ok());
  EXPECT_EQ(seen, "/nodes nodes/op op/k ");
}

TEST(Json, SkippedValuesMustStillEnd) {
  JsonOptions options{.skip = [](std::string_view, std::string_view) { return true; }};
  const std::string text = R"({"a": {"b": ["x\"", 1, {"c": null}]}, "d": 5, "e": "f"})";
  EXPECT_TRUE(JsonDocument::parse(text, options).ok());
  test::for_every_cut(text,
                      [&](const std::string& cut) { EXPECT_FALSE(JsonDocument::parse(cut, options).ok()) << cut; });
  for (const char* bad : {"{\"a\":}", "{\"a\":,}", "{\"a\":[}", "{\"a\":{]}", "{\"a\":1 2}", "{\"a\"1}"}) {
    EXPECT_STREQ(JsonDocument::parse(std::string_view(bad), options).code(), "E0820") << bad;
  }
}

const char kModel[] = R"({"graph": {"nodes": [{"target": "torch.ops.aten.add.Tensor", "inputs": [{"name": "self",
  "arg": {"as_tensor": {"name": "x\u00e9"}}, "kind": 1}], "n": -12.5e3, "ok": true, "none": null}]}})";

TEST(Json, EveryCutIsAnError) {
  test::for_every_cut(kModel, [](const std::string& cut) { EXPECT_FALSE(JsonDocument::parse(cut).ok()) << cut; });
}

TEST(Json, FlippedBytesGiveAnErrorOrATree) {
  int good = 0, bad = 0;
  test::for_flipped_bytes(kModel, 5000, [&](const std::string& text) {
    const Result<JsonDocument> json = JsonDocument::parse(text);
    ++(json.ok() ? good : bad);
    EXPECT_NE(json.ok(), json.status().code()[0] == 'E');
  });
  EXPECT_GT(good, 0);
  EXPECT_GT(bad, 0);
}

TEST(Json, DocumentOutlivesItsHandle) {
  JsonValue value;
  {
    Result<JsonDocument> json = JsonDocument::parse(R"(["a\nb", "plain"])");
    JsonDocument copy = *json;
    json = Status::error("E0000", "gone");
    value = copy.root();
    EXPECT_EQ(value[size_t{0}].as_string(), "a\nb");
    EXPECT_EQ(value[size_t{1}].as_string(), "plain");
  }
}

}  // namespace
}  // namespace sunmao::io
