// A question to another web server and its answer as values; who asks it is given to the rest (Services).
#pragma once

#include <functional>
#include <string>

#include "console/base/http.h"

namespace wafd::console {

struct WebRequest {
  std::string method = "GET";
  std::string url;  // https alone
  std::vector<Header> headers{};
  std::string body{};
  std::string ca{};  // who may have signed its certificate: PEM text or file:/PATH; empty: the system's
};

struct WebAnswer {
  int status = 0;
  std::string body;
  std::string failure;  // why there is no answer, for people; empty: there is one
};

// Waits for the answer, at most 15 s; follows no redirection. Any thread but the console loop.
using WebFetch = std::function<WebAnswer(const WebRequest&)>;

inline constexpr std::size_t kMaxWebAnswerBytes = 256u << 10;

}  // namespace wafd::console
