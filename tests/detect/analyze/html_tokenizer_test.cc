// Tags and attributes of HTML, as browsers read them in a text that may begin and end anywhere.
#include "detect/analyze/xss/html_tokenizer.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace wafd::detect::xss {
namespace {

// "b[a=1 c]" for each tag; "/" before a closing one, "!" behind one that another cuts, "…" behind one whose
// ">" is missing, and "…" behind a value that the text's end cuts.
std::string dump(std::string_view text) {
  std::string out;
  HtmlTokenizer tokenizer(text);
  Tag tag;
  while (tokenizer.next_tag(tag)) {
    out += out.empty() ? "" : " ";
    out += tag.closing ? "/" : "";
    out += std::string(tag.name) + "[";
    Attribute attribute;
    for (bool first = true; tokenizer.next_attribute(tag, attribute); first = false) {
      out += first ? "" : " ";
      out += attribute.name;
      if (!attribute.has_value) continue;
      out += "=";
      if (attribute.quote != '\0') out += attribute.quote;
      out += attribute.value;
      out += attribute.open ? "…" : "";
    }
    out += "]";
    out += tag.cut ? "!" : tag.finished ? "" : "…";
    EXPECT_LE(tag.begin, tag.end) << text;
    EXPECT_LE(tag.end, text.size()) << text;
  }
  return out;
}

struct Row {
  const char* text;
  const char* dump;
};

constexpr Row kRows[] = {
    {"", ""},
    {"a < b and c > d", ""},
    {"<", ""},
    {"<b>x</b>", "b[] /b[]"},
    {"<b", "b[]…"},
    {"<a href=x>", "a[href=x]"},
    {"<a href = \"x y\" title='z'>", "a[href=\"x y title='z]"},
    {"<a\thref\n=\r\nx\f>", "a[href=x]"},
    {"<input disabled value=>", "input[disabled value=]"},
    {"<a/href=x/y>", "a[href=x/y]"},
    {"<br/>", "br[]"},
    {"<img src=x onerror=\"a", "img[src=x onerror=\"a…]…"},
    {"<a =b>", "a[=b]"},
    {"<script <b src=x>", "script[]! b[src=x]"},
    {"<!-- <b> -->", "b[]"},
    {"text<svg:a x>", "a[x]"},
};

TEST(HtmlTokenizer, Table) {
  for (const Row& row : kRows) EXPECT_EQ(dump(row.text), row.dump) << row.text;
}

// Every beginning of a page gives tags that lie inside of it, and the walk ends.
TEST(HtmlTokenizer, TextsMayEndAnywhere) {
  const std::string page = "<p a='1' b=\"2\" c=3 d><!-- <x --><script>if (a<b) c</script></p><img src=`x`/>";
  for (std::size_t end = 0; end <= page.size(); ++end) dump(std::string_view(page).substr(0, end));
  for (std::size_t begin = 0; begin <= page.size(); ++begin) dump(std::string_view(page).substr(begin));
}

}  // namespace
}  // namespace wafd::detect::xss
