#include "view/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/json_writer.h"
#include "view/compress.h"
#include "view/folds.h"
#include "view/layout.h"
#include "view/page_template.h"
#include "view/sizes.h"

namespace sunmao::view {
namespace {

// Pixels, for the fonts of page.css.
constexpr double kTitleCharacter = 6.7, kSubCharacter = 6.2, kSides = 18, kNarrowest = 64, kWidest = 230;
constexpr double kHeight = 36, kHeightOfOneLine = 26, kPort = 8;

size_t characters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

Size box_of(std::string_view title, std::string_view sub) {
  const double wanted = std::max(kTitleCharacter * static_cast<double>(characters(title)),
                                 kSubCharacter * static_cast<double>(characters(sub)));
  return {std::clamp(wanted + kSides, kNarrowest, kWidest), sub.empty() ? kHeightOfOneLine : kHeight};
}

Drawing drawing_of(const GraphFunction& function, const std::vector<Fold>& folds, const Fold& fold) {
  Drawing d{.boxes = {},
            .members = fold.members.size(),
            .inputs = fold.inputs.size(),
            .outputs = fold.outputs.size(),
            .edges = fold.edges};
  for (const Member& m : fold.members) {
    if (m.is_group) {
      d.boxes.push_back(box_of(folds[m.number].name, "000 ops · 00.0 MB"));
      continue;
    }
    const GraphNode& n = function.nodes[m.number];
    d.boxes.push_back(box_of(title_of(n), n.shape));
  }
  d.boxes.resize(d.members + d.inputs + d.outputs, Size{kPort, kPort});
  return d;
}

double rounded(double x) { return std::round(10 * x) / 10; }

const char* word_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Input: return "input";
    case NodeKind::Op: return "op";
    case NodeKind::Kernel: return "kernel";
    case NodeKind::Call: return "call";
    case NodeKind::Branch: return "branch";
    case NodeKind::Output: return "output";
  }
  return "";
}

class PageWriter {
 public:
  explicit PageWriter(const PageContent& content) : content_(content) {}

  std::string data() {
    fold();
    w_.begin_object().key("title").value(content_.title).key("layout").value(by_graphviz_ ? "Graphviz" : "layers");
    w_.key("sides").begin_array();
    for (size_t side = 0; side < content_.sides.size(); ++side) write_side(side);
    return w_.end_array().end_object().take();
  }

 private:
  /// Lays out all groups of all functions of both sides at once.
  void fold() {
    for (const Graph& side : content_.sides)
      for (const GraphFunction& f : side.functions) {
        folds_.push_back(folds_of(f));
        for (const Fold& fold : folds_.back()) drawings_.push_back(drawing_of(f, folds_.back(), fold));
      }
    size_t count = 0;
    layouts_ = lay_out(drawings_, &count, {.on_notice = content_.on_notice});
    by_graphviz_ = count > 0;
  }

  void write_numbers(const char* key, const std::vector<size_t>& numbers) {
    w_.key(key).begin_array();
    for (size_t n : numbers) w_.value(n);
    w_.end_array();
  }

  /// Omits a key whose text is empty.
  void write_text(const char* key, const std::string& text) {
    if (!text.empty()) w_.key(key).value(text);
  }

  void write_side(size_t number) {
    const Graph& side = content_.sides[number];
    w_.begin_object().key("title").value(side.title).key("stage").value(side.stage).key("functions").begin_array();
    for (const GraphFunction& f : side.functions) write_function(f, number);
    w_.end_array().key("weights").begin_array();
    for (const GraphWeight& weight : side.weights) write_weight(weight);
    w_.end_array().key("texts").begin_array();
    for (const GraphText& t : side.texts)
      w_.begin_object().key("title").value(t.title).key("text").value(t.text).end_object();
    w_.end_array().key("parts").begin_array();
    for (const SizePart& p : side.parts)
      w_.begin_array().value(name_of(p.kind)).value(p.name).value(p.path).value(p.bytes).end_array();
    w_.end_array().end_object();
  }

  void write_function(const GraphFunction& f, size_t side) {
    w_.begin_object().key("name").value(f.name).key("nodes").begin_array();
    for (const GraphNode& n : f.nodes) write_node(n);
    w_.end_array().key("folds").begin_array();
    const std::vector<Fold>& folds = folds_[next_function_++];
    for (const Fold& fold : folds) {
      write_fold(fold, drawings_[next_fold_], layouts_[next_fold_]);
      ++next_fold_;
    }
    w_.end_array();
    if (const auto match = content_.matches.find(f.name); match != content_.matches.end())
      write_matches(side == 0 ? match->second.a : match->second.b, side);
    w_.end_object();
  }

  void write_node(const GraphNode& n) {
    w_.begin_object().key("k").value(word_of(n.kind)).key("n").value(n.name).key("o").value(n.op);
    w_.key("t").value(n.type).key("s").value(n.shape);
    write_text("m", module_of(n));
    write_text("p", n.place);
    write_text("l", n.line);
    write_numbers("i", n.inputs);
    write_numbers("w", n.weights);
    if (!n.fields.empty()) {
      w_.key("a").begin_array();
      for (const GraphField& field : n.fields) w_.begin_array().value(field.name).value(field.text).end_array();
      w_.end_array();
    }
    if (n.text) w_.key("x").value(*n.text);
    if (n.bytes) w_.key("b").value(*n.bytes);
    if (n.seconds) w_.key("c").value(*n.seconds);
    w_.end_object();
  }

  void write_fold(const Fold& fold, const Drawing& drawing, const Layout& layout) {
    w_.begin_object().key("n").value(fold.name);
    if (!fold.path.empty()) w_.key("t").value(fold.path);
    w_.key("p").value(fold.parent).key("m").begin_array();
    for (const Member& m : fold.members)
      m.is_group ? w_.value(-static_cast<int64_t>(m.number) - 1) : w_.value(m.number);
    w_.end_array();
    write_numbers("i", fold.inputs);
    write_numbers("o", fold.outputs);
    w_.key("e").begin_array();
    for (const FoldEdge& e : fold.edges) w_.begin_array().value(e.from).value(e.to).end_array();
    w_.end_array().key("b").begin_array();
    for (size_t i = 0; i < drawing.members; ++i)
      w_.value(rounded(drawing.boxes[i].width)).value(rounded(drawing.boxes[i].height));
    w_.end_array().key("c").begin_array();
    for (const Point& p : layout.centers) w_.value(rounded(p.x)).value(rounded(p.y));
    w_.end_array().key("k").begin_array();
    for (const std::vector<Point>& curve : layout.curves) {
      w_.begin_array();
      for (const Point& p : curve) w_.value(rounded(p.x)).value(rounded(p.y));
      w_.end_array();
    }
    w_.end_array().key("w").value(rounded(layout.size.width)).key("h").value(rounded(layout.size.height)).end_object();
  }

  void write_weight(const GraphWeight& weight) {
    w_.begin_object().key("n").value(weight.name).key("t").value(weight.type).key("b").value(weight.bytes);
    if (weight.data) {
      const Histogram h = histogram_of(weight.data);
      w_.key("h").begin_object().key("least").value(h.least).key("greatest").value(h.greatest);
      w_.key("mean").value(h.mean).key("deviation").value(h.deviation).key("numbers").value(h.numbers);
      w_.key("sampled").value(h.numbers < static_cast<uint64_t>(weight.data.count()));
      w_.key("zeros").value(h.zeros).key("not_finite").value(h.not_finite).key("bins").begin_array();
      for (uint64_t count : h.bins) w_.value(count);
      w_.end_array().end_object();
    }
    w_.end_object();
  }

  void write_matches(const std::vector<NodeMatch>& matches, size_t side) {
    w_.key("pairs").begin_array();
    for (const NodeMatch& m : matches) {
      const char* alone = side == 0 ? "only-a" : "only-b";
      w_.begin_object().key("mark").value(m.mark == Mark::Same ? "same" : m.mark == Mark::Changed ? "changed" : alone);
      w_.key("node");
      m.other ? w_.value(*m.other) : w_.null();
      if (m.difference) w_.key("difference").value(*m.difference);
      if (!m.changes.empty()) {
        w_.key("changes").begin_array();
        for (const auto& change : m.changes) {
          w_.begin_array();
          for (const std::string& part : change) w_.value(part);
          w_.end_array();
        }
        w_.end_array();
      }
      w_.end_object();
    }
    w_.end_array();
  }

  const PageContent& content_;
  io::JsonWriter w_;
  std::vector<std::vector<Fold>> folds_;
  std::vector<Drawing> drawings_;
  std::vector<Layout> layouts_;
  size_t next_function_ = 0, next_fold_ = 0;
  bool by_graphviz_ = false;
};

std::string html_text(const std::string& text) {
  std::string out;
  for (char c : text) c == '<' ? out += "&lt;" : c == '&' ? out += "&amp;" : out += c;
  return out;
}

}  // namespace

std::string page_of(const PageContent& content) {
  const std::string title = html_text(content.title), data = compressed(PageWriter(content).data());
  std::string out;
  for (std::string_view rest = page_html(); !rest.empty();) {
    const size_t begin = rest.find("{{"), end = rest.find("}}", begin);
    out += rest.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::string_view name = rest.substr(begin + 2, end - begin - 2);
    out += name == "title"   ? std::string_view(title)
           : name == "data"  ? std::string_view(data)
           : name == "style" ? page_style()
                             : page_script();
    rest.remove_prefix(end + 2);
  }
  return out;
}

}  // namespace sunmao::view
