// MaskWriter: secrets in XML.
#include <algorithm>
#include <optional>

#include "detect/core/bytes.h"
#include "detect/redact/mask_writer.h"

namespace wafd::detect {
namespace {

bool is_quote(char c) noexcept { return c == '"' || c == '\''; }

std::string_view local_name(std::string_view name) noexcept {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

bool names_something(std::string_view attribute) noexcept {
  return iequals(attribute, "name") || iequals(attribute, "key") || iequals(attribute, "id");
}

// One tag: its name without prefix, and what its end says.
struct Tag {
  std::string_view name;
  bool closing = false;
  bool empty = false;  // <a/>
};

struct Attribute {
  std::string_view name;
  std::string_view value;
};

// Reads the attributes from behind a tag's name to its end, in order.
class AttributeReader {
 public:
  AttributeReader(std::string_view text, Tag& tag) : text_(text), tag_(tag) {}

  std::optional<Attribute> next() {
    while (at_ < text_.size() && text_[at_] != '>' && text_[at_] != '<') {
      if (is_space(text_[at_]) || text_[at_] == '/') {
        tag_.empty = text_[at_] == '/';
        ++at_;
        continue;
      }
      const std::size_t name_end = std::min(text_.find_first_of("= \t\r\n/><", at_), text_.size());
      const std::string_view name = local_name(text_.substr(at_, name_end - at_));
      at_ = std::max(name_end, at_ + 1);
      while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '=')) ++at_;
      if (at_ >= text_.size() || !is_quote(text_[at_])) continue;
      const std::size_t begin = at_ + 1;
      const std::size_t close = std::min(text_.find(text_[at_], begin), text_.size());
      at_ = std::min(close + 1, text_.size());
      return Attribute{name, text_.substr(begin, close - begin)};
    }
    return std::nullopt;
  }
  std::size_t at() const noexcept { return at_; }

 private:
  std::string_view text_;
  Tag& tag_;
  std::size_t at_ = 0;
};

class XmlMasker {
 public:
  XmlMasker(MaskWriter& out, const Masker& masker) : out_(out), masker_(masker) {}

  void run(std::string_view text) {
    while (!text.empty()) {
      const std::size_t open = std::min(text.find('<'), text.size());
      content(text.substr(0, open));
      text.remove_prefix(open);
      if (text.empty()) return;
      const std::size_t behind_section = section(text);
      text.remove_prefix(behind_section > 0 ? behind_section : tag(text));
    }
  }

 private:
  // The text of an element.
  void content(std::string_view piece) {
    if (depth_ > 0) {
      const std::size_t blank = std::min(piece.find_first_not_of(" \t\r\n"), piece.size());
      out_.keep(piece.substr(0, blank));
      out_.mask(piece.substr(blank));
    } else {
      out_.values(piece);
    }
    if (telling_) next_secret_ = masker_.secret_parameter(trim(piece));
    telling_ = false;
  }

  // A comment, CDATA section or processing instruction at the text's begin: its length, 0 for a tag.
  std::size_t section(std::string_view text) {
    const bool instruction = text.starts_with("<?");
    const bool cdata = text.starts_with("<![CDATA[");
    if (!instruction && !cdata && !text.starts_with("<!--")) return 0;
    const std::string_view mark = instruction ? "?>" : cdata ? "]]>" : "-->";
    const std::size_t head = instruction ? 2 : cdata ? 9 : 4;
    const std::size_t end = std::min(text.find(mark, head), text.size());
    out_.keep(text.substr(0, head));
    if (depth_ > 0)
      out_.mask(text.substr(head, end - head));
    else
      out_.values(text.substr(head, end - head));
    const std::size_t behind = std::min(end + mark.size(), text.size());
    out_.keep(text.substr(end, behind - end));
    return behind;
  }

  // The tag at the text's begin: its length.
  std::size_t tag(std::string_view text) {
    Tag tag;
    tag.closing = text.substr(1, 1) == "/";
    const std::size_t name = tag.closing ? 2 : 1;
    const std::size_t name_end = std::min(text.find_first_of(" \t\r\n/><", name), text.size());
    tag.name = local_name(text.substr(name, name_end - name));
    out_.keep(text.substr(0, name_end));
    const std::string_view behind = text.substr(name_end);
    // Whether an attribute names a secret must be known before the value of another is written.
    const bool secret = names_secret(behind, tag) || next_secret_ || masker_.secret_parameter(tag.name);
    std::size_t end = attributes(behind, tag, secret);
    if (behind.substr(end).starts_with('>')) out_.keep(behind.substr(end++, 1));
    follow(tag, secret);
    return name_end + end;
  }

  bool names_secret(std::string_view text, Tag& tag) const {
    AttributeReader reader(text, tag);
    while (const auto attribute = reader.next()) {
      if (names_something(attribute->name) && masker_.secret_parameter(attribute->value)) return true;
    }
    return false;
  }

  // Where the attributes end.
  std::size_t attributes(std::string_view text, Tag& tag, bool secret) {
    AttributeReader reader(text, tag);
    std::size_t kept = 0;
    while (const auto attribute = reader.next()) {
      const auto begin = static_cast<std::size_t>(attribute->value.data() - text.data());
      out_.keep(text.substr(kept, begin - kept));
      kept = begin + attribute->value.size();
      if (masker_.secret_parameter(attribute->name) || depth_ > 0 ||
          (secret && iequals(attribute->name, "value")))
        out_.mask(attribute->value);
      else
        out_.values(attribute->value);
    }
    out_.keep(text.substr(kept, reader.at() - kept));
    return reader.at();
  }

  // Updates the state for the text behind the tag.
  void follow(const Tag& tag, bool secret) {
    if (tag.closing) {
      if (depth_ > 0) --depth_;
      return;
    }
    next_secret_ = false;
    telling_ = depth_ == 0 && !tag.empty && (iequals(tag.name, "name") || iequals(tag.name, "key"));
    if (!tag.empty && (depth_ > 0 || secret)) ++depth_;
  }

  MaskWriter& out_;
  const Masker& masker_;
  std::size_t depth_ = 0;     // inside of a secret element: its depth below, else 0
  bool next_secret_ = false;  // a name was told: the next element is its value
  bool telling_ = false;      // inside of <name> or <key>
};

}  // namespace

// Text of elements and values of attributes with secret names, of <field name="password">, and of what
// follows <name>password</name> or <key>password</key>.
void MaskWriter::xml(std::string_view text) { XmlMasker(*this, masker_).run(text); }

}  // namespace wafd::detect
