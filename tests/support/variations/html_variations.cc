// HTML: how tags and attributes may be written (the tokenizer of the HTML standard, section 13.2.5).
#include <vector>

#include <fmt/format.h>

#include "tests/support/variations/codings.h"
#include "tests/support/variations/text_tools.h"
#include "tests/support/variations/variations.h"

namespace wafd::variations {
namespace {

constexpr Types kXss = bit(AttackType::kXss);

struct Attribute {
  std::size_t begin = 0, name_end = 0;         // name
  std::size_t value_begin = 0, value_end = 0;  // without quotes; equal: none
  char quote = 0;
};
struct Tag {
  std::size_t name_begin = 0, name_end = 0;
  std::vector<Attribute> attributes;
};

// Tags that stand whole in the text.
std::vector<Tag> read_tags(std::string_view text) {
  std::vector<Tag> out;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    Tag tag;
    ++at;
    if (at < text.size() && text[at] == '/') ++at;
    if (at >= text.size() || !is_alpha(text[at])) continue;
    tag.name_begin = at;
    while (at < text.size() && !is_space(text[at]) && text[at] != '/' && text[at] != '>') ++at;
    tag.name_end = at;
    bool closed = false;
    while (at < text.size()) {
      while (at < text.size() && (is_space(text[at]) || text[at] == '/')) ++at;
      if (at >= text.size()) break;
      if (text[at] == '>') {
        closed = true;
        break;
      }
      Attribute attribute;
      attribute.begin = at;
      ++at;
      while (at < text.size() && !is_space(text[at]) && text[at] != '=' && text[at] != '>' && text[at] != '/')
        ++at;
      attribute.name_end = at;
      if (at < text.size() && text[at] == '=') {
        ++at;
        if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
          attribute.quote = text[at];
          attribute.value_begin = at + 1;
          at = std::min(text.find(attribute.quote, at + 1), text.size());
          attribute.value_end = at;
          if (at < text.size()) ++at;
        } else {
          attribute.value_begin = at;
          while (at < text.size() && !is_space(text[at]) && text[at] != '>') ++at;
          attribute.value_end = at;
        }
      }
      tag.attributes.push_back(attribute);
    }
    if (closed) out.push_back(std::move(tag));
  }
  return out;
}

bool recase(std::string_view in, std::string& out, bool upper_first) {
  out = in;
  for (const Tag& tag : read_tags(in)) {
    const auto piece = [&](std::size_t begin, std::size_t end) {
      out.replace(begin, end - begin, alternate_case(in.substr(begin, end - begin), upper_first));
    };
    piece(tag.name_begin, tag.name_end);
    for (const Attribute& attribute : tag.attributes) piece(attribute.begin, attribute.name_end);
  }
  return out != in;
}
bool mixed(std::string_view in, std::string& out) { return recase(in, out, true); }
bool mixed_too(std::string_view in, std::string& out) { return recase(in, out, false); }

// The bytes before an attribute's name. `slash_safe`: behind an unquoted value a slash would belong to it.
bool respace(std::string_view in, std::string_view with, bool everywhere, std::string& out) {
  out.clear();
  std::size_t done = 0;
  for (const Tag& tag : read_tags(in)) {
    std::size_t previous = tag.name_end;
    bool safe = true;
    for (const Attribute& attribute : tag.attributes) {
      if (everywhere || safe) {
        out += in.substr(done, previous - done);
        out += with;
        done = attribute.begin;
      }
      safe = attribute.quote != 0;
      previous = std::max(attribute.name_end, attribute.value_end + (attribute.quote != 0 ? 1 : 0));
    }
  }
  out += in.substr(done);
  return done != 0 && out != in;
}
bool tab(std::string_view in, std::string& out) { return respace(in, "\t", true, out); }
bool newline(std::string_view in, std::string& out) { return respace(in, "\n", true, out); }
bool line_end(std::string_view in, std::string& out) { return respace(in, "\r\n", true, out); }
bool form_feed(std::string_view in, std::string& out) { return respace(in, "\f", true, out); }
bool spaces(std::string_view in, std::string& out) { return respace(in, "   ", true, out); }
bool slash(std::string_view in, std::string& out) { return respace(in, "/", false, out); }
bool slashes(std::string_view in, std::string& out) { return respace(in, " / ", true, out); }
bool junk(std::string_view in, std::string& out) { return respace(in, " zoom=\"3 > 2\" ", true, out); }
bool more_attributes(std::string_view in, std::string& out) {
  return respace(in, " id=a9 hidden ", true, out);
}

// Values in other quotes.
bool requote(std::string_view in, char quote, std::string& out) {
  out.clear();
  std::size_t done = 0;
  for (const Tag& tag : read_tags(in)) {
    for (const Attribute& attribute : tag.attributes) {
      if (attribute.value_begin == attribute.value_end || attribute.quote == quote) continue;
      const std::string_view value =
          in.substr(attribute.value_begin, attribute.value_end - attribute.value_begin);
      const std::string_view unsafe = quote == '"' ? "\"" : quote == '\'' ? "'" : " \"'`=<>\t\n\r\f";
      if (value.find_first_of(unsafe) != std::string_view::npos) continue;
      if (attribute.quote == 0 && value.ends_with('/')) continue;
      const std::size_t quotes = attribute.quote != 0 ? 1 : 0;
      const std::size_t end = attribute.value_end + quotes;
      // Without quotes, what follows must end the value.
      if (quote == 0 && end < in.size() && !is_space(in[end]) && in[end] != '>') continue;
      out += in.substr(done, attribute.value_begin - quotes - done);
      if (quote != 0) out += quote;
      out += value;
      if (quote != 0) out += quote;
      done = end;
    }
  }
  out += in.substr(done);
  return done != 0;
}
bool double_quotes(std::string_view in, std::string& out) { return requote(in, '"', out); }
bool single_quotes(std::string_view in, std::string& out) { return requote(in, '\'', out); }
bool no_quotes(std::string_view in, std::string& out) { return requote(in, 0, out); }

bool spaced_equals(std::string_view in, std::string& out) {
  out.clear();
  std::size_t done = 0;
  for (const Tag& tag : read_tags(in)) {
    for (const Attribute& attribute : tag.attributes) {
      if (attribute.value_begin == attribute.value_end) continue;
      out += in.substr(done, attribute.name_end - done);
      out += " = ";
      done = attribute.name_end + 1;
    }
  }
  out += in.substr(done);
  return done != 0;
}

// Values of attributes as character references, which HTML undoes there before anything reads them.
bool references(std::string_view in, std::string (*write)(std::string_view), std::string& out) {
  out.clear();
  std::size_t done = 0;
  for (const Tag& tag : read_tags(in)) {
    for (const Attribute& attribute : tag.attributes) {
      const std::string_view value =
          in.substr(attribute.value_begin, attribute.value_end - attribute.value_begin);
      if (value.empty() || value.find('&') != std::string_view::npos) continue;
      out += in.substr(done, attribute.value_begin - done);
      out += write(value);
      done = attribute.value_end;
    }
  }
  out += in.substr(done);
  return done != 0 && out != in;
}
std::string decimal_of(std::string_view value) { return xml_references(value, false, true); }
std::string hex_of(std::string_view value) { return xml_references(value, true, true); }
std::string padded_of(std::string_view value) {
  std::string out;
  for (const char c : value) out += is_alpha(c) ? fmt::format("&#0000{};", byte(c)) : std::string(1, c);
  return out;
}
std::string names_of(std::string_view value) {
  std::string out;
  for (const char c : value) {
    switch (c) {
      case '(':
        out += "&lpar;";
        break;
      case ')':
        out += "&rpar;";
        break;
      case ':':
        out += "&colon;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '.':
        out += "&period;";
        break;
      default:
        out += c;
    }
  }
  return out;
}
bool decimal(std::string_view in, std::string& out) { return references(in, decimal_of, out); }
bool hexadecimal(std::string_view in, std::string& out) { return references(in, hex_of, out); }
bool padded(std::string_view in, std::string& out) { return references(in, padded_of, out); }
bool named(std::string_view in, std::string& out) { return references(in, names_of, out); }

bool javascript_as(std::string_view in, std::string_view with, std::string& out) {
  const std::size_t at = ifind(in, "javascript:");
  if (at == std::string_view::npos || at == 0 ||
      std::string_view("\"'=").find(in[at - 1]) == std::string_view::npos)
    return false;
  out = std::string(in.substr(0, at)) + std::string(with) + std::string(in.substr(at + 11));
  return true;
}
bool scheme_case(std::string_view in, std::string& out) { return javascript_as(in, "jAvAsCrIpT:", out); }
bool scheme_tab(std::string_view in, std::string& out) { return javascript_as(in, "java&Tab;script:", out); }
bool scheme_newline(std::string_view in, std::string& out) {
  return javascript_as(in, "java&#10;script&#13;:", out);
}
bool scheme_control(std::string_view in, std::string& out) {
  return javascript_as(in, "&#1;&#32;javascript:", out);
}
bool scheme_label(std::string_view in, std::string& out) {
  return javascript_as(in, "javascript://%0a", out);
}

bool end_tag(std::string_view in, std::string& out) {
  return replace_all(in, "</script>", "</script x=y >", out);
}
bool unclosed(std::string_view in, std::string& out) {
  if (!in.ends_with('>') || in.ends_with("/>") || ifind(in, " on") == std::string_view::npos) return false;
  const std::vector<Tag> tags = read_tags(in);
  if (tags.empty() || in.find("</") != std::string_view::npos || tags.back().attributes.empty()) return false;
  out = std::string(in.substr(0, in.size() - 1)) + " //";
  return true;
}
bool script_type(std::string_view in, std::string& out) {
  return replace_all(in, "<script>", "<script type=\"text/javascript\" async>", out);
}
bool script_slash(std::string_view in, std::string& out) {
  return replace_all(in, "<script>", "<script/x>", out);
}
bool before_words(std::string_view in, std::string& out) {
  if (in.empty() || in[0] != '<') return false;
  out = "Thanks for the quick answer! " + std::string(in);
  return true;
}
bool in_bold(std::string_view in, std::string& out) {
  if (in.empty() || in[0] != '<' || !in.ends_with('>')) return false;
  out = "<b>a</b>" + std::string(in) + "<i>z</i>";
  return true;
}
bool breaks_out(std::string_view in, std::string& out) {
  if (in.empty() || in[0] != '<') return false;
  out = "\">" + std::string(in);
  return true;
}

constexpr const char* kTags = "HTML tags";
constexpr const char* kUrls = "HTML: a javascript: URL as an attribute's value";
constexpr Variation kVariations[] = {
    {"html mixed case", "HTML: names of tags and attributes have no case", kXss, mixed},
    {"html mixed case, the other letters", "HTML: names of tags and attributes have no case", kXss,
     mixed_too},
    {"html tab", kTags, kXss, tab},
    {"html newline", kTags, kXss, newline},
    {"html CR LF", kTags, kXss, line_end},
    {"html form feed", kTags, kXss, form_feed},
    {"html three spaces", kTags, kXss, spaces},
    {"html slash for space", "HTML tags, not behind a value without quotes", kXss, slash},
    {"html slashes among spaces", kTags, kXss, slashes},
    {"html attribute with > before", kTags, kXss, junk},
    {"html ordinary attributes before", kTags, kXss, more_attributes},
    {"html double quotes", kTags, kXss, double_quotes},
    {"html single quotes", kTags, kXss, single_quotes},
    {"html no quotes", kTags, kXss, no_quotes},
    {"html spaces around =", kTags, kXss, spaced_equals},
    {"html decimal references", "HTML: values of attributes", kXss, decimal},
    {"html hex references", "HTML: values of attributes", kXss, hexadecimal},
    {"html padded references", "HTML: values of attributes", kXss, padded},
    {"html named references", "HTML: values of attributes", kXss, named},
    {"html scheme in mixed case", kUrls, kXss, scheme_case},
    {"html tab in the scheme", kUrls, kXss, scheme_tab},
    {"html line ends in the scheme", kUrls, kXss, scheme_newline},
    {"html controls before the scheme", kUrls, kXss, scheme_control},
    {"html line comment in the URL", kUrls, kXss, scheme_label},
    {"html attributes in the end tag", "HTML: script elements", kXss, end_tag},
    {"html last tag not closed", "HTML: the page's next > closes it", kXss, unclosed},
    {"html type of script", "HTML: script elements", kXss, script_type},
    {"html slash in script", "HTML: script elements", kXss, script_slash},
    {"html words before", "HTML where text is allowed", kXss, before_words},
    {"html tags around", "HTML where text is allowed", kXss, in_bold},
    {"html out of an attribute", "HTML in the value of an attribute", kXss, breaks_out},
};

}  // namespace

std::span<const Variation> html_variations() { return kVariations; }

}  // namespace wafd::variations
