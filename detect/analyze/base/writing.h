// What a text is as a whole, where code in it may be shown instead of run: Markdown, a page of a text editor,
// a program that somebody shares.
//
// The same words weigh less there: who writes about programs sends them whole, with lines and with sentences
// around them; what is put into the middle of somebody else's statement is short. A place of Markdown that is
// code is never markup (CommonMark 4.5, 6.1), and references in a page with tags of its own are characters.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

// Reads the text when first asked, in time linear in it; asked in any order. Both must outlive it.
class Writing {
 public:
  Writing(std::string_view text, const FieldContext& context) noexcept : text_(text), context_(&context) {}

  // The place is in a code span or fence of Markdown with prose around it, or in a <pre> or <code> element:
  // browsers and shells do not run it there.
  bool shows(std::size_t place) noexcept;
  // The place is in a span or fence, in the value of a body's field. Servers that run what they find in a
  // text (templates, tags, server-side includes) know no elements.
  bool shows_server_code(std::size_t place) noexcept;
  // The place is in a span or fence, or the text was made from a page whose tags were tags already.
  bool shows_markup(std::size_t place) noexcept;
  // Four lines or more, half of them source, in the value of a body's field.
  bool is_program() noexcept;

 private:
  static constexpr std::size_t kMaxSpans = 64;
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Spans {
    std::array<Span, kMaxSpans> items;
    std::size_t count = 0;
    void add(std::size_t begin, std::size_t end) noexcept {
      if (count < kMaxSpans) items[count++] = {begin, end};
    }
    bool hold(std::size_t place) const noexcept;
  };

  bool is_field() const noexcept;
  void read() noexcept;
  void read_lines() noexcept;
  void read_code_spans(std::size_t begin, std::size_t end) noexcept;
  void read_elements() noexcept;

  std::string_view text_;
  const FieldContext* context_;
  bool read_ = false;
  bool program_ = false;
  Spans markdown_;
  Spans elements_;
};

}  // namespace wafd::detect
