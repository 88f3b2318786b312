// Page: one self-contained HTML file that shows a graph, or two side by side.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "view/compare.h"
#include "view/graph.h"
#include "view/layout.h"

namespace sunmao::view {

struct PageContent {
  std::string title;
  std::vector<Graph> sides;                      // one or two
  std::map<std::string, FunctionMatch> matches;  // of functions that both sides have
  OnNotice on_notice = {};                       // told when the layout takes long
};

/// Returns the page. It takes nothing from elsewhere when it is opened.
std::string page_of(const PageContent& content);

}  // namespace sunmao::view
