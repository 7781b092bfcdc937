// The audit logs of all nodes, where they are kept together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"

namespace wafd::console {

class AuditPages {
 public:
  virtual ~AuditPages() = default;
  // Newest first, as the API answers it; `before` as an answer gave it, or empty. Any thread; waits.
  // kIo: they cannot be read now.
  virtual Result<std::string> page(std::size_t limit, const std::string& before, std::string_view text) = 0;
  // Problems with the copy of this node's audit log, a sentence for people each. On the console loop.
  virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace wafd::console
