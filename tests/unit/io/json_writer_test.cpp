#include "io/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sunmao::io {
namespace {

JsonWriter& write_sample(JsonWriter& json) {
  json.begin_object().key("shape").begin_array().value(2).value(int64_t{-3}).end_array();
  json.key("name").value("a\"b\n\u00e9").key("empty").begin_object().end_object().key("none").null();
  return json.key("list").begin_array().end_array().key("yes").value(true).end_object();
}

// Expected text from json.dumps(v, ensure_ascii=False, separators=(",", ":")) and json.dumps(v, ensure_ascii=False,
// indent=2).
TEST(JsonWriter, CompactAndPrettyAreAsPythonWritesThem) {
  JsonWriter compact;
  EXPECT_EQ(write_sample(compact).text(),
            "{\"shape\":[2,-3],\"name\":\"a\\\"b\\n\u00e9\",\"empty\":{},\"none\":null,\"list\":[],\"yes\":true}");
  JsonWriter pretty({.indent = 2});
  EXPECT_EQ(write_sample(pretty).text(),
            "{\n  \"shape\": [\n    2,\n    -3\n  ],\n  \"name\": \"a\\\"b\\n\u00e9\",\n  \"empty\": {},\n"
            "  \"none\": null,\n  \"list\": [],\n  \"yes\": true\n}");
}

TEST(JsonWriter, DoublesReadBackAsTheyWere) {
  for (const double x :
       {0.0, -0.0, 1.0, 0.1, 1e300, -5e-324, 1e22, 123456789.125, std::numeric_limits<double>::max()}) {
    JsonWriter json;
    const std::string text = json.value(x).take();
    const Result<JsonDocument> read = JsonDocument::parse(text);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(read->root().kind(), JsonKind::Double) << text;
    EXPECT_EQ(*read->root().as_double(), x) << text;
    EXPECT_EQ(std::signbit(*read->root().as_double()), std::signbit(x)) << text;
  }
  JsonWriter json;
  json.begin_array().value(INFINITY).value(-INFINITY).value(double{NAN}).end_array();
  EXPECT_EQ(json.text(), R"(["Infinity","-Infinity","NaN"])");
}

TEST(JsonWriter, IntegersOfEverySize) {
  JsonWriter json;
  json.begin_array().value(std::numeric_limits<int64_t>::min()).value(std::numeric_limits<uint64_t>::max());
  json.value(uint32_t{7}).value(size_t{8}).value(static_cast<short>(-9)).end_array();
  EXPECT_EQ(json.text(), "[-9223372036854775808,18446744073709551615,7,8,-9]");
}

TEST(JsonWriter, TreeIsWrittenAsItWasRead) {
  const std::string text =
      R"({"a":[1,2.5,"x\u0001\\",null,true,{"b":[]}],"z":-9223372036854775808,"big":1e+300,"k":{"l":{}}})";
  const Result<JsonDocument> read = JsonDocument::parse(text);
  ASSERT_TRUE(read.ok());
  JsonWriter json;
  EXPECT_EQ(json.value(read->root()).text(), text);
}

TEST(JsonWriter, TextThatIsNoUtf8IsReplaced) {
  JsonWriter json;
  EXPECT_EQ(json.value("a\xff\xe2\x82z").text(), "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
}

}  // namespace
}  // namespace sunmao::io
