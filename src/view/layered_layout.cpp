#include <algorithm>
#include <numeric>

#include "view/layout.h"

namespace sunmao::view {
namespace {

constexpr double kBetweenBoxes = 18, kBetweenLayers = 34, kBorder = 8;  // pixels
constexpr int kSweeps = 6;

/// A box, or a bend of an edge that crosses a layer.
struct Place {
  Size size;
  size_t layer = 0;
  double x = 0;
  std::vector<size_t> above = {}, below = {};
};

class Layering {
 public:
  explicit Layering(const Drawing& d) : drawing_(d) {
    for (const Size& size : d.boxes) places_.push_back({.size = size});
  }

  Layout run() {
    find_layers();
    add_bends();
    order();
    return write();
  }

 private:
  size_t first_output() const { return drawing_.members + drawing_.inputs; }

  /// Edges whose source follows its target in the order of the members are drawn from below.
  bool is_back(const FoldEdge& e) const { return is_back_[static_cast<size_t>(&e - drawing_.edges.data())]; }

  void find_layers() {
    find_back_edges();
    std::vector<std::vector<size_t>> next(places_.size());
    std::vector<size_t> open(places_.size(), 0);
    for (const FoldEdge& e : drawing_.edges) {
      const auto [from, to] = is_back(e) ? std::pair(e.to, e.from) : std::pair(e.from, e.to);
      next[from].push_back(to);
      ++open[to];
    }
    std::vector<size_t> ready;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (i < drawing_.members && drawing_.inputs > 0) places_[i].layer = 1;  // below the ports
      if (open[i] == 0) ready.push_back(i);
    }
    size_t last = 0;
    while (!ready.empty()) {
      const size_t i = ready.back();
      ready.pop_back();
      last = std::max(last, places_[i].layer);
      for (size_t n : next[i]) {
        places_[n].layer = std::max(places_[n].layer, places_[i].layer + 1);
        if (--open[n] == 0) ready.push_back(n);
      }
    }
    for (size_t i = first_output(); i < places_.size(); ++i) places_[i].layer = last;
  }

  /// A depth-first search: an edge to a box that is being visited closes a cycle.
  void find_back_edges() {
    is_back_.assign(drawing_.edges.size(), false);
    std::vector<std::vector<size_t>> leaving(places_.size());
    for (size_t e = 0; e < drawing_.edges.size(); ++e) leaving[drawing_.edges[e].from].push_back(e);
    std::vector<uint8_t> state(places_.size(), 0);  // 1: being visited, 2: done
    std::vector<std::pair<size_t, size_t>> stack;   // a box and how many of its edges were followed
    for (size_t root = 0; root < places_.size(); ++root) {
      if (state[root] != 0) continue;
      state[root] = 1;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        auto& [box, followed] = stack.back();
        if (followed == leaving[box].size()) {
          state[box] = 2;
          stack.pop_back();
          continue;
        }
        const size_t edge = leaving[box][followed++], to = drawing_.edges[edge].to;
        if (state[to] == 1) is_back_[edge] = true;
        if (state[to] != 0) continue;
        state[to] = 1;
        stack.emplace_back(to, 0);
      }
    }
  }

  void add_bends() {
    for (const FoldEdge& e : drawing_.edges) {
      const auto [upper, lower] = is_back(e) ? std::pair(e.to, e.from) : std::pair(e.from, e.to);
      std::vector<size_t> chain{upper};
      for (size_t layer = places_[upper].layer + 1; layer < places_[lower].layer; ++layer) {
        chain.push_back(places_.size());
        places_.push_back({.size = {1, 1}, .layer = layer});
      }
      chain.push_back(lower);
      for (size_t i = 0; i + 1 < chain.size(); ++i) {
        places_[chain[i]].below.push_back(chain[i + 1]);
        places_[chain[i + 1]].above.push_back(chain[i]);
      }
      chains_.push_back(std::move(chain));
    }
  }

  void order() {
    for (size_t i = 0; i < places_.size(); ++i) {
      layers_.resize(std::max(layers_.size(), places_[i].layer + 1));
      layers_[places_[i].layer].push_back(i);
    }
    for (std::vector<size_t>& layer : layers_) spread(layer);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool is_down = sweep % 2 == 0;
      for (size_t k = 0; k < layers_.size(); ++k) {
        std::vector<size_t>& layer = layers_[is_down ? k : layers_.size() - 1 - k];
        std::vector<std::pair<double, size_t>> wanted;
        for (size_t i : layer) wanted.emplace_back(wanted_x(places_[i], is_down), i);
        std::ranges::stable_sort(wanted, {}, &std::pair<double, size_t>::first);
        for (size_t i = 0; i < layer.size(); ++i) {
          layer[i] = wanted[i].second;
          places_[layer[i]].x = wanted[i].first;
        }
        separate(layer);
      }
    }
  }

  double wanted_x(const Place& place, bool is_down) const {
    const std::vector<size_t>& others = is_down ? place.above : place.below;
    if (others.empty()) return place.x;
    double sum = 0;
    for (size_t o : others) sum += places_[o].x;
    return sum / static_cast<double>(others.size());
  }

  double gap(size_t left, size_t right) const {
    return (places_[left].size.width + places_[right].size.width) / 2 + kBetweenBoxes;
  }

  void spread(const std::vector<size_t>& layer) {
    for (size_t i = 1; i < layer.size(); ++i)
      places_[layer[i]].x = places_[layer[i - 1]].x + gap(layer[i - 1], layer[i]);
  }

  /// Moves the boxes of a layer apart, such that their mean stays where it was.
  void separate(const std::vector<size_t>& layer) {
    double before = 0, after = 0;
    for (size_t i : layer) before += places_[i].x;
    for (size_t i = 1; i < layer.size(); ++i)
      places_[layer[i]].x = std::max(places_[layer[i]].x, places_[layer[i - 1]].x + gap(layer[i - 1], layer[i]));
    for (size_t i : layer) after += places_[i].x;
    for (size_t i : layer) places_[i].x += (before - after) / static_cast<double>(layer.size());
  }

  Layout write() const {
    std::vector<double> middle(layers_.size()), height(layers_.size());
    double y = kBorder, left = 0, right = 0;
    for (size_t k = 0; k < layers_.size(); ++k) {
      for (size_t i : layers_[k]) height[k] = std::max(height[k], places_[i].size.height);
      middle[k] = y + height[k] / 2;
      y += height[k] + (k + 1 < layers_.size() ? kBetweenLayers : kBorder);
    }
    for (const Place& p : places_) {
      left = std::min(left, p.x - p.size.width / 2);
      right = std::max(right, p.x + p.size.width / 2);
    }
    Layout out{.size = {right - left + 2 * kBorder, y}, .centers = {}, .curves = {}};
    const auto at = [&](size_t place) {
      return Point{places_[place].x - left + kBorder, middle[places_[place].layer]};
    };
    for (size_t i = 0; i < drawing_.boxes.size(); ++i) out.centers.push_back(at(i));
    for (size_t e = 0; e < chains_.size(); ++e) {
      std::vector<Point> curve;
      const std::vector<size_t>& chain = chains_[e];
      for (size_t i = 0; i + 1 < chain.size(); ++i) {
        Point from = at(chain[i]), to = at(chain[i + 1]);
        from.y += i == 0 ? places_[chain[i]].size.height / 2 : 0;
        to.y -= i + 2 == chain.size() ? places_[chain[i + 1]].size.height / 2 : 0;
        const double half = (from.y + to.y) / 2;
        if (i == 0) curve.push_back(from);
        curve.insert(curve.end(), {{from.x, half}, {to.x, half}, to});
      }
      if (is_back_[e]) std::ranges::reverse(curve);
      out.curves.push_back(std::move(curve));
    }
    return out;
  }

  const Drawing& drawing_;
  std::vector<Place> places_;
  std::vector<bool> is_back_;
  std::vector<std::vector<size_t>> chains_, layers_;
};

}  // namespace

Layout layered_layout(const Drawing& drawing) { return Layering(drawing).run(); }

std::vector<Layout> lay_out(const std::vector<Drawing>& drawings, size_t* by_graphviz, const LayoutOptions& options) {
  std::vector<Layout> out = graphviz_layouts(drawings, options);
  if (by_graphviz) *by_graphviz = out.size();
  if (!out.empty()) return out;
  for (const Drawing& d : drawings) out.push_back(layered_layout(d));
  return out;
}

}  // namespace sunmao::view
