// The event query language: one string drives list, histogram, top lists, export, tail and target filters.
// Grammar and fields: forward/README.md.
#pragma once

#include <memory>
#include <string_view>

#include "detect/core/error.h"
#include "forward/ring.h"

namespace wafd::forward {

// Immutable once parsed; matches() may run on any thread. An empty query matches everything.
class EventQuery {
 public:
  // An error carries the offset and says what was expected.
  static Result<EventQuery> parse(std::string_view text);

  // Cheap terms (type, risk, action, src, site, rule, id) are judged on the record's head, others on its JSON.
  bool matches(const RecordView& record) const;

 private:
  struct Node;
  std::shared_ptr<const Node> root_;
};

}  // namespace wafd::forward
