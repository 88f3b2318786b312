#include "passes/analysis/call_sites.h"

#include "ir/walk.h"

namespace sunmao {
namespace {

class Sites final : public Visitor {
 public:
  explicit Sites(std::map<std::string, CallSites>& sites) : sites_(sites) {}

  void look_into(const FunctionEntry& caller) {
    caller_ = caller.var->name;
    visit(Expr(caller.func));
  }

 private:
  using Visitor::visit;
  void visit(const Call& call) override {
    const auto* g = find<GlobalVar>(call.callee);
    if (!g) return Visitor::visit(call);
    auto it = sites_.find(g->name);
    if (it != sites_.end()) {
      it->second.calls.emplace_back(&call);
      it->second.callers.push_back(caller_);
    }
    for (const Expr& a : call.args) visit(a);
  }
  void visit_leaf(const Expr& e) override {
    if (const auto* g = find<GlobalVar>(e)) sites_.erase(g->name);  // used as a value
  }
  std::map<std::string, CallSites>& sites_;
  std::string caller_;
};

}  // namespace

std::map<std::string, CallSites> find_call_sites(const Module& m) {
  std::map<std::string, CallSites> sites;
  for (const FunctionEntry& e : m.functions())
    if (Ref<Function> f = find_ref<Function>(Expr(e.func)); f && !f->attrs.has("global_symbol"))
      sites[e.var->name].function = f;
  Sites visitor(sites);
  for (const FunctionEntry& e : m.functions())
    if (find<Function>(Expr(e.func))) visitor.look_into(e);
  return sites;
}

}  // namespace sunmao
