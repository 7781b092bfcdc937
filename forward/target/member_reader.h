// Reads the members of a JSON object one by one into typed values; the first thing wrong is kept as an error
// that names the member: `port: expected an integer from 1 to 65535, got 99999`. Members nobody asked for are
// errors too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "detect/core/error.h"

namespace wafd::forward {

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// An integer whatever the number's JSON spelling (1, 1.0); nothing for other kinds.
std::optional<std::int64_t> as_integer(const boost::json::value& value);

// After the first failure every call is a no-op that leaves its output alone. `prefix` is put before member
// names
// ("tls."). The object must outlive the reader.
class MemberReader {
 public:
  MemberReader(const boost::json::object& object, std::string prefix);

  // The member's value, now known; null if it is not there.
  const boost::json::value* take(std::string_view name);

  // Each returns whether the member was there and right.
  bool boolean(std::string_view name, bool& out);
  bool text(std::string_view name, std::string& out, std::size_t least, std::size_t most, bool required);
  template <class Int>
  bool integer(std::string_view name, Int& out, std::int64_t least, std::int64_t most) {
    const auto n = number(name, least, most);
    if (n) out = static_cast<Int>(*n);
    return n.has_value();
  }
  template <class E>
  bool choice(std::string_view name, E& out, std::span<const Choice<E>> choices, bool required = false) {
    std::vector<std::string_view> names;
    for (const auto& c : choices) names.push_back(c.name);
    const auto i = pick(name, names, required);
    if (i) out = choices[*i].value;
    return i.has_value();
  }
  const boost::json::array* array(std::string_view name, std::size_t most);
  const boost::json::object* object(std::string_view name);

  void finish();  // refuses members that were not taken

  bool failed() const noexcept { return error_.has_value(); }
  const Error& error() const noexcept { return *error_; }
  void adopt(const MemberReader& other) {
    if (!error_) error_ = other.error_;
  }
  void fail_with(std::string what);
  // `expected` is a noun phrase; the value is shown cut and in printable ASCII.
  void fail_at(std::string_view name, std::string_view expected, const boost::json::value& got);

 private:
  std::optional<std::int64_t> number(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<std::size_t> pick(std::string_view name, const std::vector<std::string_view>& names,
                                  bool required);

  const boost::json::object& object_;
  std::string prefix_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

}  // namespace wafd::forward
