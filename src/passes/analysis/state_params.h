// Parameters of functions that are state: what a function returns for them is what it gets in its next run.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// On a function: a dictionary of the parameters that are state with the names of the states, or a list of parameters
/// that are named like their states. They are the last inputs; as many last results are their next values.
inline constexpr const char* kStateNamesAttr = "state_names";
/// On a function: sessions keep its state, callers neither pass nor get it.
inline constexpr const char* kKeepsStateAttr = "keeps_state";

struct StateParam {
  Ref<Var> param;
  std::string state;
};

/// Returns the parameters that are state, in order. Fails (E0546) when the attribute names what is no parameter.
std::vector<StateParam> state_params(const Function& f, const std::string& name);

/// The same where sessions keep the state; empty for other functions.
std::vector<StateParam> kept_state_params(const Function& f, const std::string& name);

/// Lets sessions keep the state of all functions that callers see.
Module keep_state(const Module& module);

}  // namespace sunmao
