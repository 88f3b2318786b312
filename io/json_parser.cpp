#include <algorithm>
#include <limits>
#include <numeric>

#include "io/concat.h"
#include "io/json.h"
#include "io/json_scanner.h"
#include "io/json_storage.h"

namespace sunmao::io {

namespace json_detail {
namespace {

/// Builds the tree without recursion: finished values stay on a stack until their container closes, which then moves
/// them to contiguous memory.
class Parser {
 public:
  Parser(Storage& storage, const JsonOptions& options)
      : storage_(storage), options_(options), scanner_(storage.text.text()) {}

  bool document();
  const Status& status() const { return scanner_.status(); }

 private:
  struct Container {
    size_t first;            // index of its first value on the stack
    std::string_view place;  // its key in the enclosing container
    bool is_object;
  };
  enum class Next { Value, Rest };

  bool value();
  bool rest();
  bool open(bool is_object);
  bool key();
  bool close();
  bool sort_keys(const Node* members, uint32_t count, Node& last);
  bool duplicate(std::string_view key) { return scanner_.fail("E0823", concat("key ", quoted(key), " occurs twice")); }

  Storage& storage_;
  const JsonOptions& options_;
  Scanner scanner_;
  std::vector<Node> values_;
  std::vector<Container> containers_;
  Next next_ = Next::Value;
};

bool Parser::document() {
  do {
    if (!(next_ == Next::Value ? value() : rest())) return false;
  } while (next_ == Next::Value || !containers_.empty());
  if (scanner_.peek(); !scanner_.at_end()) return scanner_.fail("E0820", "more text after the value");
  Node* root = storage_.allocate<Node>(1);
  *root = values_.back();
  storage_.root = root;
  return true;
}

bool Parser::value() {
  const char c = scanner_.peek();
  if (c == '{' || c == '[') return open(c == '{');
  Node node;
  bool is_good = false;
  if (c == '"') {
    is_good = scanner_.string(storage_, node);
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    is_good = scanner_.number(node);
  } else {
    is_good = scanner_.word(node);
  }
  if (!is_good) return false;
  values_.push_back(node);
  next_ = Next::Rest;
  return true;
}

bool Parser::open(bool is_object) {
  if (containers_.size() == kMaxJsonDepth) return scanner_.fail("E0822", "nested more than 512 deep");
  std::string_view place;
  if (!containers_.empty()) {
    const Container& outer = containers_.back();
    place = outer.is_object ? std::string_view(values_.back().text, values_.back().size) : outer.place;
  }
  containers_.push_back({values_.size(), place, is_object});
  scanner_.advance();
  if (scanner_.peek() == (is_object ? '}' : ']')) return close();
  next_ = Next::Value;
  return is_object ? key() : true;
}

/// Parses a comma and, in an object, the next key; or the end of the container.
bool Parser::rest() {
  const Container& container = containers_.back();
  const char c = scanner_.peek();
  if (c == (container.is_object ? '}' : ']')) return close();
  if (c != ',') return scanner_.fail("E0820", container.is_object ? "expected `,` or `}`" : "expected `,` or `]`");
  scanner_.advance();
  next_ = Next::Value;
  return container.is_object ? key() : true;
}

bool Parser::key() {
  Node node;
  if (!scanner_.string(storage_, node)) return false;
  if (scanner_.peek() != ':') return scanner_.fail("E0820", "expected `:` after a key");
  scanner_.advance();
  if (options_.skip && options_.skip(containers_.back().place, {node.text, node.size})) {
    next_ = Next::Rest;
    return scanner_.skip_value();
  }
  values_.push_back(node);
  return true;
}

bool Parser::close() {
  scanner_.advance();
  const Container container = containers_.back();
  containers_.pop_back();
  const size_t count = values_.size() - container.first;
  const bool is_sorted = container.is_object && count / 2 > kSearchedOneByOne;
  Node* children = storage_.allocate<Node>(count + (is_sorted ? 1 : 0));
  std::copy(values_.end() - static_cast<ptrdiff_t>(count), values_.end(), children);
  values_.resize(container.first);

  Node node;
  node.children = children;
  node.size = static_cast<uint32_t>(container.is_object ? count / 2 : count);
  node.kind = container.is_object ? JsonKind::Object : JsonKind::Array;
  if (is_sorted && !sort_keys(children, node.size, children[count])) return false;
  for (uint32_t i = 0; container.is_object && !is_sorted && i < node.size; ++i) {
    for (uint32_t j = 0; j < i; ++j) {
      if (key_at(children, i) == key_at(children, j)) return duplicate(key_at(children, i));
    }
  }
  values_.push_back(node);
  next_ = Next::Rest;
  return true;
}

bool Parser::sort_keys(const Node* members, uint32_t count, Node& last) {
  uint32_t* order = storage_.allocate<uint32_t>(count);
  std::iota(order, order + count, 0u);
  std::sort(order, order + count,
            [&](uint32_t a, uint32_t b) { return compare_keys(key_at(members, a), key_at(members, b)) < 0; });
  last.order = order;
  last.size = count;
  last.kind = JsonKind::Missing;
  for (uint32_t i = 1; i < count; ++i) {
    if (key_at(members, order[i]) == key_at(members, order[i - 1])) return duplicate(key_at(members, order[i]));
  }
  return true;
}

}  // namespace
}  // namespace json_detail

Result<JsonDocument> JsonDocument::parse(Bytes text, const JsonOptions& options) {
  if (text.size() > std::numeric_limits<uint32_t>::max()) {
    return Status::error("E0825", concat("JSON text of ", text.size(), " bytes; 4 GiB is the most that is read"));
  }
  auto storage = std::make_shared<json_detail::Storage>();
  storage->text = std::move(text);
  json_detail::Parser parser(*storage, options);
  if (!parser.document()) return parser.status();
  return JsonDocument(std::move(storage));
}

}  // namespace sunmao::io
