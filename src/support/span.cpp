#include "support/span.h"

namespace sunmao {

Ref<Source> Source::make(std::string name, std::string text) {
  return Ref<Source>(new Source(std::move(name), std::move(text)));
}

std::string Source::line(int number) const {
  size_t begin = 0;
  for (int i = 1; i < number; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  if (number < 1 || begin > text.size()) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

Ref<SpanNode> SpanNode::make(Ref<Source> source, int line, int column, int end_column, std::string label) {
  return Ref<SpanNode>(new SpanNode(std::move(source), line, column, end_column, std::move(label)));
}

}  // namespace sunmao
