// Server-side template injection: expressions and statements that template engines run when a text becomes
// part of a template (Jinja, Twig, Freemarker, Velocity, Smarty, ERB, Razor, Thymeleaf and their kin).
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_template_matcher();

}  // namespace wafd::detect
