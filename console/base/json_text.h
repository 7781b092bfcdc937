// JSON for people: indented, and how two such texts differ; a text in an object.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace wafd::console {

// Empty if there is no such member, or it is no text. As long as the object.
std::string_view text_member(const boost::json::object& from, std::string_view name) noexcept;

// One line without blanks. Numbers that are no integers as people write them (514.5, never 5.145E2); at most
// three digits behind the point.
std::string json_line(const boost::json::value& value);

// Two spaces a level, one member a line, with a line end.
std::string indented_json(const boost::json::value& value);

// Lines of `a` that `b` lacks ("- …") and lines of `b` that `a` lacks ("+ …"), in order, by a longest common
// subsequence; texts over 5,000 lines each are compared line by line. Empty if they are equal.
std::string differing_lines(std::string_view a, std::string_view b);

}  // namespace wafd::console
