#include "passes/devices/device_call_parts.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ir/type_relation.h"
namespace sunmao {
namespace {

// Union-find over places (tensors of unknown device): places of one set are on the same device in every calling
// context.
class PlaceSets {
 public:
  explicit PlaceSets(size_t places) : parent_(places) { std::iota(parent_.begin(), parent_.end(), 0); }

  int find(int place) {
    for (int next; (next = parent_[static_cast<size_t>(place)]) != place; place = next)
      parent_[static_cast<size_t>(place)] = parent_[static_cast<size_t>(next)];
    return place;
  }
  /// Merges the sets of `a` and `b`; returns true when they were different sets.
  bool unite(int a, int b) {
    const int from = find(b), to = find(a);
    parent_[static_cast<size_t>(from)] = to;
    return from != to;
  }

 private:
  std::vector<int> parent_;
};

// Merges the sets of two caller places that one call connects to the same set of the callee. Returns true when a set
// has changed.
bool bring_out(PlaceSets& sets, const std::vector<PlacePair>& calls) {
  bool has_changed = false;
  std::map<std::pair<int, int>, int> known;  // maps a call and a set of the callee to a place of the caller
  for (const PlacePair& p : calls) {
    const auto [at, is_new] = known.try_emplace({p.call, sets.find(p.inside)}, p.outside);
    if (!is_new) has_changed |= sets.unite(at->second, p.outside);
  }
  return has_changed;
}

// A device of a set of places, and the first call that propagated it into the function.
struct Brought {
  Ref<VDevice> device;
  int call;  // -1: demanded inside the function
};
using Devices = std::vector<std::vector<Brought>>;  // indexed by set

// Starts with the demanded devices, and propagates those of callees to the connected places of their callers.
void demand(Devices& devices, PlaceSets& sets, const std::vector<PlacePair>& calls,
            const std::vector<PlaceDemand>& demands) {
  auto has_got = [&](int place, const Ref<VDevice>& device) {
    std::vector<Brought>& there = devices[static_cast<size_t>(sets.find(place))];
    if (there.empty()) there.push_back({device, -1});
  };
  for (const PlaceDemand& d : demands) has_got(d.place, d.device);
  auto is_open = [&](const PlacePair& p) {
    return devices[static_cast<size_t>(sets.find(p.outside))].empty() &&
           !devices[static_cast<size_t>(sets.find(p.inside))].empty();
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const PlacePair& p : calls) {
      if (!is_open(p)) continue;
      has_got(p.outside, devices[static_cast<size_t>(sets.find(p.inside))][0].device);
      has_changed = true;
    }
  }
}

// Adds a device that a call propagates into the callee to the known devices of the set, and records each pair of calls
// that propagate different devices.
void bring_in(std::vector<Brought>& there, const Brought& brought, std::set<std::pair<int, int>>& parted) {
  bool is_known = false;
  for (const Brought& b : there) {
    const bool is_same = same_device(*b.device, *brought.device);
    is_known |= is_same;
    if (!is_same && b.call >= 0 && brought.call >= 0 && b.call != brought.call)
      parted.insert(std::minmax(b.call, brought.call));
  }
  if (!is_known) there.push_back(brought);
}

}  // namespace

std::set<std::pair<int, int>> find_parted_calls(size_t places, const std::vector<PlacePair>& pairs,
                                                const std::vector<PlaceDemand>& demands) {
  PlaceSets sets(places);
  std::vector<PlacePair> calls;
  for (const PlacePair& p : pairs)
    if (p.call >= 0)
      calls.push_back(p);
    else
      sets.unite(p.outside, p.inside);
  for (bool has_changed = true; has_changed;) has_changed = bring_out(sets, calls);
  auto set_of = [&](int place) { return static_cast<size_t>(sets.find(place)); };

  Devices devices(places);
  demand(devices, sets, calls, demands);
  std::vector<bool> is_shared(places);  // by set: shared functions are not copied, so devices inside belong to no call
  for (const PlacePair& p : pairs)
    if (p.is_shared) is_shared[set_of(p.inside)] = true;
  std::vector<std::vector<PlacePair>> into(places);  // by the set of the outside place
  for (const PlacePair& p : calls) into[set_of(p.outside)].push_back(p);
  std::vector<size_t> work;
  for (size_t set = 0; set < places; ++set)
    if (!devices[set].empty()) work.push_back(set);
  std::set<std::pair<int, int>> parted;
  for (size_t next = 0; next < work.size(); ++next)
    for (const PlacePair& p : into[work[next]]) {
      const size_t inside = set_of(p.inside);
      if (devices[inside].empty()) work.push_back(inside);
      bring_in(devices[inside], {devices[work[next]][0].device, is_shared[inside] ? -1 : p.call}, parted);
    }
  return parted;
}

}  // namespace sunmao
