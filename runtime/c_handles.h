// Definitions of the opaque handle types of sunmao/runtime.h.
#pragma once
#include <memory>

#include "runtime/model.h"
#include "runtime/session.h"
#include "sunmao/runtime.h"

struct sunmao_model {
  std::shared_ptr<const sunmao::runtime::Model> model;
};

struct sunmao_session {
  std::unique_ptr<sunmao::runtime::Session> session;
};
