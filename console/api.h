// The console's HTTP interface as a function: a request in, an answer out, no socket. Refuses path tricks,
// finds the route, asks who calls and whether they may, reads the body, calls the handler.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "console/assets.h"
#include "console/route.h"
#include "console/router.h"
#include "console/services.h"

namespace wafd::console {

// Used on the console loop alone. `services` must outlive it.
class Api {
 public:
  Api(Services& services, std::span<const Asset> assets);
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  // `known` is called, before the answer, once a good credential was shown.
  void handle(HttpRequest request, Respond respond, const std::function<void()>& known = {});

  std::span<const Route> routes() const noexcept { return router_.routes(); }
  // "METHOD pattern" of every route that needs no credential, in the order of the table.
  std::vector<std::string> public_routes() const;

 private:
  Services& services_;
  Router router_;
};

// The largest body of a request.
inline constexpr std::size_t kMaxBodyBytes = 1u << 20;

}  // namespace wafd::console
