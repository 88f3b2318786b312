// The nesting of arguments and results, from the structures that PyTorch writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/torch/pytree.h"
#include "io/json_writer.h"

namespace sunmao::torch {
namespace {

const std::string kLeaf = R"({"type":null,"context":null,"children_spec":[]})";

std::string node(const std::string& type, const std::string& context, const std::string& children) {
  io::JsonWriter quoted;
  quoted.value(context);
  return fmt::format(R"({{"type":"{}","context":{},"children_spec":[{}]}})", type, quoted.text(), children);
}

std::string tuple(const std::string& children) { return node("builtins.tuple", "null", children); }

/// Returns the nesting of a program with one positional argument `x` and the named ones of `named`.
std::optional<std::string> nesting(const std::string& positional, const std::string& named, const std::string& results,
                                   const std::vector<Leaf>& inputs, const std::vector<Leaf>& outputs) {
  io::JsonWriter in, out;
  in.value(fmt::format("[1, {}]", tuple(tuple(positional) + "," + named)));
  out.value(fmt::format("[1, {}]", results));
  const io::Result<io::JsonDocument> module = io::JsonDocument::parse(fmt::format(
      R"({{"module_call_graph":[{{"signature":{{"in_spec":{},"out_spec":{},"forward_arg_names":["x","k"]}}}}],)"
      R"("treespec_namedtuple_fields":{{"m.Pair":{{"field_names":["first","second"]}}}}}})",
      in.text(), out.text()));
  return nesting_text(module->root(), inputs, outputs);
}

const std::string kNoNames = node("builtins.dict", "[]", "");

TEST(TorchNesting, TensorsOneByOneHaveNone) {
  EXPECT_EQ(nesting(kLeaf, kNoNames, kLeaf, {{0}}, {{0}}), std::nullopt);
  EXPECT_EQ(nesting(kLeaf, kNoNames, tuple(kLeaf + "," + kLeaf), {{0}}, {{0}, {1}}), std::nullopt);
  EXPECT_EQ(nesting(kLeaf, node("builtins.dict", R"(["k"])", kLeaf), kLeaf, {{0}, {1}}, {{0}}), std::nullopt);
}

TEST(TorchNesting, KeysComeFromContexts) {
  const std::string named =
      node("builtins.dict", R"(["k"])", node("builtins.dict", R"(["b", 3])", kLeaf + "," + kLeaf));
  EXPECT_EQ(nesting(kLeaf, named, tuple(kLeaf), {{0}, {1}, {2}}, {{0}}),
            R"({"positional":[["x",0]],"named":[["k",["dict",["b",1],[3,2]]]],"results":["tuple",0]})");
  const std::string pair = node("collections.namedtuple", "m.Pair", kLeaf + "," + kLeaf);
  EXPECT_EQ(
      nesting(kLeaf, kNoNames, pair, {{0}}, {{0}, {std::nullopt}}),
      R"({"positional":[["x",0]],"named":[],"results":["namedtuple","m.Pair",["first",0],["second",["constant",null]]]})");
  const std::string most = node("torch.return_types.max", R"(["values", "indices"])", kLeaf + "," + kLeaf);
  EXPECT_EQ(
      nesting(kLeaf, kNoNames, most, {{0}}, {{0}, {1}}),
      R"({"positional":[["x",0]],"named":[],"results":["namedtuple","torch.return_types.max",["values",0],["indices",1]]})");
}

TEST(TorchNesting, ClassesHaveNameContextAndWhatStandsForThem) {
  // A dataclass has its fields, and those that were None.
  const std::string held = node("m.Held", R"([["a"], []])", kLeaf);
  EXPECT_EQ(
      nesting(held, kNoNames, node("m.Other", "7", kLeaf), {{0}}, {{0}}),
      R"({"positional":[["x",["class","m.Held","[[\"a\"], []]",["dict",["a",0]]]]],"named":[],"results":["class","m.Other","7",["tuple",0]]})");
  const std::string counted = node("collections.defaultdict", R"({"factory": "int", "keys": ["b"]})", kLeaf);
  EXPECT_EQ(
      nesting(kLeaf, kNoNames, counted, {{0}}, {{0}}),
      R"({"positional":[["x",0]],"named":[],"results":["class","collections.defaultdict","{\"factory\": \"int\", \"keys\": [\"b\"]}",["dict",["b",0]]]})");
}

TEST(TorchNesting, NumbersAmongResultsAreStated) {
  EXPECT_EQ(nesting(kLeaf, kNoNames, tuple(kLeaf + "," + kLeaf), {{0}}, {{0}, {.tensor = 1, .is_number = true}}),
            R"({"positional":[["x",0]],"named":[],"results":["tuple",0,["number",1]]})");
}

TEST(TorchNesting, DamagedStructuresHaveNone) {
  std::string deep = kLeaf;
  for (int i = 0; i < 70; ++i) deep = tuple(deep);
  const std::string unknown = node("collections.namedtuple", "m.Unknown", kLeaf);
  const std::string keyless = node("builtins.dict", "null", kLeaf), broken = node("builtins.list", "{", kLeaf);
  for (const std::string& structure : {deep, unknown, keyless, broken, tuple(kLeaf + "," + kLeaf), tuple("")})
    EXPECT_EQ(nesting(structure, kNoNames, kLeaf, {{0}}, {{0}}), std::nullopt) << structure;
  EXPECT_EQ(nesting(tuple(kLeaf), node("builtins.dict", R"(["a", "b"])", kLeaf), kLeaf, {{0}, {1}}, {{0}}),
            std::nullopt);
  EXPECT_EQ(nesting_text({}, {{0}}, {{0}}), std::nullopt);
}

}  // namespace
}  // namespace sunmao::torch
