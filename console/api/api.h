// The console's HTTP interface as a function: a request in, an answer out, no socket. Refuses path tricks,
// finds the route, asks who calls and whether they may, reads the body, calls the handler.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "console/api/routing/route.h"
#include "console/api/routing/router.h"
#include "console/api/services.h"
#include "console/base/assets.h"

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
  static constexpr std::size_t kMaxRefusedKinds = 1000;
  static constexpr std::int64_t kRefusedEveryMs = 10'000;

  bool answers_to(const HttpRequest& request) const;
  bool must_look(const Route& route, const Call& call);
  std::optional<HttpResponse> refuse_while_away(const Call& call) const;
  // Fills in the identity, or says why there is none that may do this.
  std::optional<HttpResponse> identify_caller(const Route& route, Call& call,
                                              const std::function<void()>& known);
  void admit(const Route& route, std::shared_ptr<Call> call, Respond respond,
             const std::function<void()>& known);
  void note_refused(const Call& call, const HttpRequest& request, const std::string& operation,
                    boost::json::object detail);
  Services& services_;
  Router router_;
  std::map<std::string, std::int64_t> refused_;  // by user and operation: when it was noted last
};

// The largest body of a request.
inline constexpr std::size_t kMaxBodyBytes = 1u << 20;

}  // namespace wafd::console
