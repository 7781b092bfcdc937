// The texts of problems in the language that a caller asks for: Accept-Language (RFC 9110 section 12.5.4).
// Without one, and in any other language than Chinese, it is English.
#pragma once

#include <string>
#include <string_view>

#include "console/base/http.h"

namespace wafd::console {

// Whether Chinese is wanted more than English.
bool wants_chinese(std::string_view accept_language) noexcept;

// By the templates of console/api/zh-CN.txt, what they leave open put in again; a member's name in front
// stays. What has no template stays as it is.
std::string in_chinese(std::string_view english);

// `title` and `detail` of a problem document; other answers, and all other members, are left alone.
void say_in_chinese(HttpResponse& response);

// The table itself, built into the program.
std::string_view chinese_table() noexcept;

}  // namespace wafd::console
