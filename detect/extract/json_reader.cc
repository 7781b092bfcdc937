#include "detect/extract/json_reader.h"

#include <algorithm>
#include <vector>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/extract/json_tokens.h"

namespace wafd::detect {
namespace {

bool is_inside(std::string_view part, std::string_view whole) noexcept {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

// RFC 8259 section 2.
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// RFC 7464: a record separator stands before each text of a sequence.
std::size_t skip_separators(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (is_space(text[at]) || text[at] == '\x1e')) ++at;
  return at;
}

// A member that only values of OTLP's attributes have.
constexpr std::string_view kAttributeValue = "stringValue";

// Where notebooks and documents of editors keep their blocks, and what they call one that shows code
// (nbformat 4, Editor.js; ProseMirror in a document whose type says so).
constexpr WordSet kBlocks({"blocks", "cells"});
constexpr std::string_view kProseMirrorBlocks = "content";
constexpr WordSet kCodeTypes({"code", "code-block", "code_block", "codeblock"});
// Bytes of a member's name that are told again with a key in its object; names of fields are shorter.
constexpr std::size_t kMaxOwner = 64;

}  // namespace

// Reads one document after the other and adds fields as it goes. A comma may stand before what closes an
// array or an object.
struct JsonReader::Impl {
  void begin(std::string_view text, const Field& like, FieldList& out) {
    text_ = text;
    out_ = &out;
    at_ = 0;
    strings_end_ = 0;
    root_ = like.node != 0 || like.name.empty() ? like.node : out.add_node(0, like.name, 0);
    like_name_ = like.name;
    like_parent_ = like.parent;
    like_outermost_ = like.outermost.empty() ? like.name : like.outermost;
    field_ = like;
    // Of text that was made, the piece of the request that carried it is what can be shown.
    keeps_outer_ = like.outer.data() != nullptr && !is_inside(text, like.outer);
    frames_.clear();
    is_body_ = like.location == Location::kBody && like.name.empty() && like.depth <= 1;
    is_doc_ = false;
    in_block_ = 0;
  }
  // One document. False at the first error, or if the list of fields is full.
  bool read();

  std::size_t at() const noexcept { return at_; }
  std::size_t strings_end() const noexcept { return strings_end_; }

 private:
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t value_node = 0;  // of an object's current member
    std::uint32_t index = 0;       // of an array's next element
    bool array = false;
    std::string_view key;         // last key, also that of the object around an array
    std::string_view parent;      // key that the object stands under
    std::string_view outermost;   // first key above it
    std::string_view attribute;   // value of the last member called "key", also of the objects around it
    std::size_t first_field = 0;  // of what it holds
    bool block = false;           // an element of a document's blocks
    bool code = false;            // and its type says that it shows code
  };
  struct Text {
    std::string_view value;
    std::string_view source;  // where it stands in the text, without quotes
  };

  void skip_blanks() noexcept {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  // The byte that comes next; 0 at the end, where a NUL is an error too.
  char next() noexcept {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  // The place of the value that comes next.
  std::uint32_t next_node() {
    if (frames_.empty()) return root_;
    Frame& frame = frames_.back();
    if (!frame.array) return frame.value_node;
    return out_->add_node(frame.node, {}, frame.index++);
  }
  std::string_view name() const noexcept { return frames_.empty() ? like_name_ : frames_.back().key; }
  std::string_view parent() const noexcept { return frames_.empty() ? like_parent_ : frames_.back().parent; }
  // Of what stands in the innermost array or object.
  std::string_view outermost() const noexcept {
    if (frames_.empty()) return like_outermost_;
    const Frame& frame = frames_.back();
    return frame.outermost.empty() && !frame.array ? frame.key : frame.outermost;
  }
  bool open(bool array) {
    if (frames_.size() == kMaxJsonDepth) {
      out_->limit_reached = true;
      return false;
    }
    Frame frame;
    frame.node = next_node();
    frame.array = array;
    frame.key = name();
    frame.parent = array ? parent() : frame.key;
    frame.outermost = outermost();
    frame.first_field = out_->size();
    if (!frames_.empty()) {
      frame.attribute = frames_.back().attribute;
      // Of blocks in one another the outermost decides: no string is marked twice.
      frame.block =
          is_body_ && !array && in_block_ == 0 && frames_.back().array &&
          (kBlocks.has(frames_.back().key) || (is_doc_ && frames_.back().key == kProseMirrorBlocks));
      in_block_ += frame.block ? 1u : 0u;
    }
    frames_.push_back(frame);
    ++at_;
    return true;
  }
  // at_ is on a quote.
  bool take_text(Text& text) {
    const std::size_t begin = at_ + 1;
    std::size_t end = json_plain_end(text_, begin);
    if (end == text_.size()) return false;
    if (text_[end] == '"') {
      text.value = text.source = text_.substr(begin, end - begin);
    } else {
      if (text_[end] != '\\') return false;
      char* to = out_->arena.reserve(text_.size() - begin);
      const JsonString string = json_unescape(text_, begin, to);
      if (string.end == std::string_view::npos) return false;
      end = string.end;
      text.value = out_->arena.take(string.size);
      text.source = text_.substr(begin, end - begin);
    }
    strings_end_ = at_ = end + 1;
    return true;
  }
  bool keep(const Text& text, std::string_view raw) {
    field_.raw = raw;
    // {"key": "process.pid", "value": {"stringValue": …}}: the attribute's name (OTLP 1.0, "JSON Protobuf
    // Encoding")
    const bool attribute =
        !frames_.empty() && !frames_.back().array && !field_.in_name && field_.name == kAttributeValue;
    field_.parent = attribute ? frames_.back().attribute : parent();
    field_.outermost = outermost();
    if (!keeps_outer_) field_.outer = text.source;
    return out_->add(field_);
  }
  // A key that says something of the member whose object it stands in is told with it: "password.$gt", as a
  // database names it, and "constructor.prototype", which a merge of objects would walk.
  std::string_view with_owner(std::string_view key) {
    if (frames_.size() < 2 || !(key.starts_with('$') || key == "prototype")) return key;
    const std::string_view owner = frames_[frames_.size() - 2].key;
    if (owner.empty() || owner.size() > kMaxOwner || (key == "prototype" && owner != "constructor"))
      return key;
    char* to = out_->arena.reserve(owner.size() + 1 + key.size());
    char* end = std::copy(owner.begin(), owner.end(), to);
    *end++ = '.';
    std::copy(key.begin(), key.end(), end);
    return out_->arena.take(owner.size() + 1 + key.size());
  }
  bool take_key() {
    Text text;
    if (next() != '"' || !take_text(text)) return false;
    Frame& frame = frames_.back();
    frame.key = text.value;
    frame.value_node = out_->add_node(frame.node, text.value, 0);
    field_.in_name = true;
    field_.name = text.value;
    field_.node = frame.value_node;
    if (!keep(text, with_owner(text.value))) return false;
    if (next() != ':') return false;
    ++at_;
    return true;
  }
  bool take_string() {
    Text text;
    if (!take_text(text)) return false;
    field_.in_name = false;
    field_.node = next_node();
    field_.name = name();
    if (!frames_.empty() && !frames_.back().array && field_.name == "key")
      frames_.back().attribute = text.value;
    if (frames_.size() == 1 && field_.name == "type") is_doc_ = text.value == "doc";
    if (!frames_.empty() && frames_.back().block && (field_.name == "type" || field_.name == "cell_type"))
      frames_.back().code = kCodeTypes.has(text.value);
    return keep(text, text.value);
  }
  bool take_plain(std::size_t end) noexcept {
    if (end == std::string_view::npos) return false;
    if (!frames_.empty() && frames_.back().array) ++frames_.back().index;
    at_ = end;
    return true;
  }
  bool take_word(std::string_view word) noexcept {
    return text_.substr(at_, word.size()) == word && take_plain(at_ + word.size());
  }
  // A value that is no array and no object.
  bool take_scalar() {
    switch (text_[at_]) {
      case '"':
        return take_string();
      case 't':
        return take_word("true");
      case 'f':
        return take_word("false");
      case 'n':
        return take_word("null");
      default:
        return take_plain(json_number_end(text_, at_));
    }
  }
  // From the begin of a value, or of the first key or element of what was opened, to the next one. False:
  // there is none, because the document ended (`broken` is then false) or because it breaks.
  bool step(bool& broken);

  std::string_view text_;
  FieldList* out_ = nullptr;
  std::size_t at_ = 0;
  std::size_t strings_end_ = 0;  // behind the last string that was read whole
  std::uint32_t root_ = 0;
  std::string_view like_name_;
  std::string_view like_parent_;
  std::string_view like_outermost_;
  Field field_;
  bool keeps_outer_ = false;
  bool is_body_ = false;      // the document is the body itself
  bool is_doc_ = false;       // and its type says that it is one of ProseMirror's
  std::size_t in_block_ = 0;  // 1 inside of a block
  std::vector<Frame> frames_;
};

bool JsonReader::Impl::step(bool& broken) {
  broken = true;
  const char c = next();
  if (at_ == text_.size()) return false;
  bool closes = false;  // what was just opened
  if (c == '{' || c == '[') {
    if (!open(c == '[')) return false;
    closes = next() == (c == '[' ? ']' : '}');
    if (!closes) return c == '[' || take_key();
  } else if (!take_scalar()) {
    return false;
  }
  while (!frames_.empty()) {
    const bool array = frames_.back().array;
    const char close = array ? ']' : '}';
    char behind = next();
    if (!closes && behind == ',') {
      ++at_;
      behind = next();
      if (behind != close) return array || take_key();
    }
    if (behind != close) return false;
    ++at_;
    if (frames_.back().code) out_->mark_code(frames_.back().first_field);
    if (frames_.back().block) --in_block_;
    frames_.pop_back();
    closes = false;
  }
  broken = false;
  return false;
}

bool JsonReader::Impl::read() {
  bool broken = false;
  while (step(broken)) {
  }
  return !broken;
}

JsonReader::JsonReader() : impl_(std::make_unique<Impl>()) {}
JsonReader::~JsonReader() = default;

bool JsonReader::read(std::string_view text, const Field& like, FieldList& out, bool& nothing_read) {
  Impl& impl = *impl_;
  const std::size_t before = out.size();
  nothing_read = true;
  std::size_t begin = 0;
  std::size_t last_begin = 0;
  while (true) {
    begin = skip_separators(text, begin);
    if (begin == text.size()) return !nothing_read;
    const std::string_view rest = text.substr(begin);
    impl.begin(rest, like, out);
    if (impl.read()) {
      nothing_read = false;
      last_begin = begin;
      begin += impl.at();
      continue;
    }
    if (nothing_read && out.size() == before) return false;
    nothing_read = false;
    Field field = like;
    // Text behind a document that is no document itself belongs to it, as in "1 or 2".
    field.raw = impl.strings_end() == 0 ? text.substr(last_begin) : rest.substr(impl.strings_end());
    if (out.full()) {
      out.add_rest(field);
    } else {
      out.add(field);
    }
    return false;
  }
}

void read_lenient_json(std::string_view text, const Field& like, FieldList& out) {
  static constexpr ByteFinder kEnds("{}[],:\"'`\r\n");
  Field field = like;
  const auto is_comment = [&](std::size_t at) {
    return text[at] == '#' ||
           (text[at] == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*'));
  };
  for (std::size_t at = skip_space(text, 0); at < text.size(); at = skip_space(text, at)) {
    const char c = text[at];
    std::size_t begin = at;
    std::size_t end = 0;
    if (is_comment(at)) {
      const std::string_view close = text.substr(at, 2) == "/*" ? "*/" : "\n";
      at = std::min(text.find(close, at + 1), text.size() - close.size()) + close.size();
      continue;
    }
    if (c == '"' || c == '\'' || c == '`') {
      for (end = ++begin; end < text.size() && text[end] != c;) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end, text.size());
      at = end + 1;
    } else if (kEnds.has(c)) {
      ++at;
      continue;
    } else {
      at = end = kEnds.find(text, at + 1);
    }
    at = skip_space(text, std::min(at, text.size()));
    field.in_name = at < text.size() && text[at] == ':';
    field.raw = trim(text.substr(begin, end - begin));
    if (field.in_name) field.name = field.raw;
    if (field.raw.size() == text.size() || json_number_end(field.raw, 0) == field.raw.size()) continue;
    if (!out.add(field)) {
      out.limit_reached = true;
      return;
    }
  }
}

}  // namespace wafd::detect
