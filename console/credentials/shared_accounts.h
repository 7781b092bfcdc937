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
  // True: the accounts were read less than kFreshMs ago, or the database is known not to answer.
  virtual bool settled() const = 0;
  // While the database does not answer: the Unix time until which sessions may still read. 0: it answers.
  virtual std::int64_t reading_until_ms() const = 0;
};

}  // namespace wafd::console
