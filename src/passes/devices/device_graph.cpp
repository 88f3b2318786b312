#include "passes/devices/device_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/devices/device_call_parts.h"
#include "passes/devices/device_types.h"
#include "support/diagnostic.h"
#include "support/place.h"

namespace sunmao {
namespace {

std::string told(const PlaceFact& fact) {
  const std::string where = place_of(fact.span);
  return where.empty() ? fact.text : fmt::format("{} ({})", fact.text, where);
}

}  // namespace

int DeviceGraph::add(std::string name) {
  places_.push_back({.name = std::move(name), .device = nullptr, .edges = {}});
  return static_cast<int>(places_.size()) - 1;
}

int DeviceGraph::keep(const PlaceFact& fact) {
  facts_.push_back(fact);
  return static_cast<int>(facts_.size()) - 1;
}

void DeviceGraph::join(int a, int b, const PlaceFact& fact, int call) {
  if (a == b) return;
  const int kept = keep(fact);
  places_[static_cast<size_t>(a)].edges.push_back({.to = b, .fact = kept, .call = call, .is_inwards = true});
  places_[static_cast<size_t>(b)].edges.push_back({.to = a, .fact = kept, .call = call, .is_inwards = false});
}

void DeviceGraph::fix(int place, Ref<VDevice> device, PlaceFact fact) {
  fixed_.push_back({place, std::move(device), keep(fact)});
}

void DeviceGraph::wish(int place, Ref<VDevice> device, PlaceFact fact) {
  wished_.push_back({place, std::move(device), keep(fact)});
}

void DeviceGraph::start(const Source& source) {
  Place& p = places_[static_cast<size_t>(source.place)];
  if (p.device) {
    if (!same_device(*p.device, *source.device)) contradict_source(source.place, source);
    return;
  }
  p.device = source.device;
  p.fact = source.fact;
  frontier_.push_back(source.place);
}

// Returns the calling context `chain` after a step along `edge`, which enters a call, leaves one, or does neither.
DeviceGraph::Chain DeviceGraph::extended(Chain chain, const Edge& edge) {
  if (chain.parted || edge.call == kWithin) return chain;
  if (edge.call == kShared) return {};
  if (edge.is_inwards) {
    entered_.push_back({.call = edge.call, .around = chain.inside});
    return {.inside = static_cast<int>(entered_.size()) - 1};
  }
  if (chain.inside < 0) return chain;  // the chain began inside this function
  const Entered& last = entered_[static_cast<size_t>(chain.inside)];
  if (last.call != edge.call) return {.parted = std::minmax(last.call, edge.call)};
  return {.inside = last.around};
}

// Returns two calls of one function that must call different copies: the calls by which the chains `a` and `b`, which
// meet, entered the function, or a pair that one chain has already found. Nullopt if there are none.
DeviceGraph::CallPair DeviceGraph::parted(const Chain& a, const Chain& b) const {
  if (a.parted || b.parted) return a.parted ? a.parted : b.parted;
  int at = a.inside, other = b.inside;
  while (at >= 0 && other >= 0) {
    const Entered &x = entered_[static_cast<size_t>(at)], &y = entered_[static_cast<size_t>(other)];
    if (x.call != y.call) return std::minmax(x.call, y.call);
    at = x.around;
    other = y.around;
  }
  return std::nullopt;
}

// Propagates devices along the edges breadth-first, so that the explanation of each device is a shortest chain.
void DeviceGraph::spread() {
  for (size_t next = 0; next < frontier_.size(); ++next) {
    const int at = frontier_[next];
    for (const Edge& edge : places_[static_cast<size_t>(at)].edges) {
      const Ref<VDevice>& device = places_[static_cast<size_t>(at)].device;
      Place& other = places_[static_cast<size_t>(edge.to)];
      if (other.device && same_device(*other.device, *device)) continue;
      const Chain chain = extended(places_[static_cast<size_t>(at)].chain, edge);
      if (other.device) {
        const CallPair calls = parted(chain, other.chain);
        if (!calls) contradict(at, edge.to, edge.fact);
        parted_.insert(*calls);
        continue;
      }
      other.device = device;
      other.chain = chain;
      other.from = at;
      other.fact = edge.fact;
      frontier_.push_back(edge.to);
    }
  }
  frontier_.clear();
}

// Numbers the connected components of places without a device from 0. Returns the component of each place; -1 for
// places with a device.
std::vector<int> DeviceGraph::open_components() const {
  std::vector<int> component(places_.size(), -1);
  int count = 0;
  for (size_t root = 0; root < places_.size(); ++root) {
    if (places_[root].device || component[root] >= 0) continue;
    std::vector<size_t> work{root};
    component[root] = count;
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      for (const Edge& edge : places_[at].edges) {
        int& other = component[static_cast<size_t>(edge.to)];
        if (other < 0) work.push_back(static_cast<size_t>(edge.to));
        other = count;
      }
    }
    ++count;
  }
  return component;
}

// Gives each connected component of places without a device the wished-for device that saves the most copies; of equal
// ones the device of the last wish.
void DeviceGraph::settle_wishes() {
  struct Wanted {
    const Source* last;  // last wish for one device
    std::set<int> spared;
  };
  const std::vector<int> component = open_components();
  std::map<int, std::vector<Wanted>> wanted;
  for (const Source& wish : wished_) {
    const int together = component[static_cast<size_t>(wish.place)];
    if (together < 0) continue;
    std::vector<Wanted>& devices = wanted[together];
    auto known =
        std::ranges::find_if(devices, [&](const Wanted& w) { return same_device(*w.last->device, *wish.device); });
    if (known == devices.end()) known = devices.insert(known, Wanted{.last = nullptr, .spared = {}});
    known->last = &wish;
    known->spared.insert(wish.place);
  }
  for (const auto& [together, devices] : wanted)
    start(*std::ranges::max_element(devices, {}, [](const Wanted& w) {
             return std::pair(w.spared.size(), w.last);
           })->last);
  spread();
}

// Returns the pairs of calls of all conflicts. Propagation alone finds only the first conflict: it stops there, because
// it joins the calls that copying the callee would separate.
std::set<std::pair<int, int>> DeviceGraph::calls_parted_by_demands() const {
  std::vector<PlacePair> pairs;
  for (size_t i = 0; i < places_.size(); ++i)
    for (const Edge& edge : places_[i].edges)
      if (edge.is_inwards)
        pairs.push_back(
            {.outside = static_cast<int>(i), .inside = edge.to, .call = edge.call, .is_shared = edge.call == kShared});
  std::vector<PlaceDemand> demands;
  for (const Source& s : fixed_) demands.push_back({s.place, s.device});
  return find_parted_calls(places_.size(), pairs, demands);
}

void DeviceGraph::solve() {
  for (const Source& source : fixed_) start(source);
  spread();
  if (parted_.empty()) return settle_wishes();
  const std::set<std::pair<int, int>> all = calls_parted_by_demands();
  if (!all.empty()) parted_ = all;
}

std::vector<PlaceFact> DeviceGraph::reasons(int place) const {
  std::vector<PlaceFact> out;
  for (int at = place; at >= 0; at = places_[static_cast<size_t>(at)].from) {
    const int fact = places_[static_cast<size_t>(at)].fact;
    if (fact >= 0) out.push_back(facts_[static_cast<size_t>(fact)]);
  }
  std::ranges::reverse(out);
  return out;
}

void DeviceGraph::contradict(int place, int other, int fact) const {
  std::vector<PlaceFact> chain = reasons(place), back = reasons(other);
  chain.push_back(facts_[static_cast<size_t>(fact)]);
  std::ranges::reverse(back);
  chain.insert(chain.end(), back.begin(), back.end());
  const Place &a = places_[static_cast<size_t>(place)], &b = places_[static_cast<size_t>(other)];
  Diagnostic d{"E0530",
               fmt::format("`{}` lies on {} and `{}` on {}, and they must lie together", a.name, describe(*a.device),
                           b.name, describe(*b.device)),
               facts_[static_cast<size_t>(fact)].span,
               {},
               "copy one of them: R.to_vdevice(x, device)"};
  for (const PlaceFact& f : chain)
    if (d.notes.empty() || d.notes.back() != told(f)) d.notes.push_back(told(f));
  fail(std::move(d));
}

void DeviceGraph::contradict_source(int place, const Source& source) const {
  const Place& p = places_[static_cast<size_t>(place)];
  Diagnostic d{"E0530",
               fmt::format("`{}` is put on {} and on {}", p.name, describe(*p.device), describe(*source.device)),
               facts_[static_cast<size_t>(source.fact)].span,
               {},
               "copy it: R.to_vdevice(x, device)"};
  for (const PlaceFact& f : reasons(place)) d.notes.push_back(told(f));
  d.notes.push_back(told(facts_[static_cast<size_t>(source.fact)]));
  fail(std::move(d));
}

}  // namespace sunmao
