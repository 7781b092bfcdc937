// Accounts that many consoles share, as the API sees them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace wafd::console {

// On the console loop.
class SharedAccounts {
 public:
  virtual ~SharedAccounts() = default;

  // Asks what is there now, and calls back once that is known or cannot be.
  virtual void look(std::function<void()> then) = 0;
  // What is known is younger than kFreshMs, or it is known that nobody can ask.
  virtual bool settled() const = 0;
  // Unix time until which what is known is good for reading, while nobody can ask; 0: it can be asked.
  virtual std::int64_t reading_until_ms() const = 0;
};

}  // namespace wafd::console
