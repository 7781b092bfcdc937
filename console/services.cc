#include "console/services.h"

#include <utility>

namespace wafd::console {

void Services::gather_hits(std::function<void()> then) {
  take_hits([this, then = std::move(then)](std::vector<detect::Hits> parts) {
    // std::function wants to copy what it holds.
    const auto held = std::make_shared<std::vector<detect::Hits>>(std::move(parts));
    post([this, held, then] {
      hits.add(*held);
      then();
    });
  });
}

void Services::audit(const Call& call, std::string_view action, std::string_view object,
                     boost::json::object detail) {
  AuditEntry entry;
  entry.time_ms = call.now_ms;
  entry.user = call.identity.username;
  entry.via = call.identity.via == Identity::Via::kToken ? "token" : "session";
  entry.address = call.request.peer;
  entry.action = action;
  entry.object = object;
  entry.detail = std::move(detail);
  audit(std::move(entry));
}

void Services::audit(AuditEntry entry) {
  auto line = audit_log.append(entry);
  if (!line) {
    audit_error = line.error().what;
    return;
  }
  audit_error.clear();
  delivery.audit(std::move(*line));
}

}  // namespace wafd::console
