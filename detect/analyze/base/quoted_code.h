// What of a value would be code if the value landed inside of a string of the program that reads it.
//
// '.system("id").' closes the string that it was put into, goes on as an expression and opens the string
// again; ");os.system("id")# closes a call as well and comments out the rest. A quote that a program could go
// on behind is followed by an operator, a separator, a closing bracket or a line end; an apostrophe and a
// quoted word are not. The lexical rules that PHP, JavaScript, Python, Ruby, Perl and Lua share are used, no
// more.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

struct QuotedCode {
  std::string_view code;  // a part of the value, without what joins it to the strings around it
  char quote = 0;         // that the value would stand between
  // How it leaves the string: 0 if the value is a whole string itself and the code what it holds; else the
  // first operator, separator or bracket behind the quote.
  char joint = 0;
  bool rejoins = false;  // the value ends with an operator and the quote that takes the string up again
};

// The readings of one value, at most one for each of ' " and `; each is found in time linear in the value.
class QuotedReadings {
 public:
  explicit QuotedReadings(std::string_view value) noexcept : value_(value) {}

  bool next(QuotedCode& reading) noexcept;

 private:
  std::string_view value_;
  unsigned next_ = 0;  // of the quotes
};

}  // namespace wafd::detect
