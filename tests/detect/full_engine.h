// The engine with the built-in rules, made once for a test program.
#pragma once

#include <gtest/gtest.h>

#include "detect/engine.h"

namespace wafd::detect {

inline const Engine& full_engine() {
  static const auto built = Engine::build({});
  EXPECT_TRUE(built) << built.error().what;
  return **built;
}

}  // namespace wafd::detect
