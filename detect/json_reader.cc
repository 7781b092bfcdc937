#include "detect/json_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

namespace json = boost::json;

bool is_inside(std::string_view part, std::string_view whole) noexcept {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

// Called by the parser; adds fields as it goes.
class Handler {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  void begin(std::string_view text, const Field& like, FieldList& out) {
    text_ = text;
    like_ = like;
    out_ = &out;
    at_ = 0;
    root_ = like.node != 0 || like.name.empty() ? like.node : out.add_node(0, like.name, 0);
    frames_.clear();
    part_.clear();
    has_part_ = false;
  }
  std::size_t at() const noexcept { return at_; }  // behind the last token that was read whole

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return open(false); }
  bool on_object_end(std::size_t, json::error_code&) { return close(); }
  bool on_array_begin(json::error_code&) { return open(true); }
  bool on_array_end(std::size_t, json::error_code&) { return close(); }

  bool on_key_part(json::string_view s, std::size_t, json::error_code&) { return take_part(s); }
  bool on_key(json::string_view s, std::size_t, json::error_code& ec) {
    const Text text = take_text(s);
    Frame& frame = frames_.back();
    frame.key = text.value;
    Field field = like_;
    field.in_name = true;
    field.name = text.value;
    field.node = frame.value_node = out_->add_node(frame.node, text.value, 0);
    field.raw = text.value;
    // A merge of objects would walk both keys: {"constructor":{"prototype":…}}.
    if (text.value == "prototype" && frames_.size() > 1 && frames_[frames_.size() - 2].key == "constructor")
      field.raw = "constructor.prototype";
    field.outer = outer_of(text);
    return keep(field, ec);
  }
  bool on_string_part(json::string_view s, std::size_t, json::error_code&) { return take_part(s); }
  bool on_string(json::string_view s, std::size_t, json::error_code& ec) {
    const Text text = take_text(s);
    Field field = like_;
    field.in_name = false;
    field.node = next_node();
    if (!frames_.empty()) field.name = frames_.back().key;
    field.raw = text.value;
    field.outer = outer_of(text);
    return keep(field, ec);
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return plain(); }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return plain(); }
  bool on_double(double, json::string_view, json::error_code&) { return plain(); }
  bool on_bool(bool, json::error_code&) { return plain(); }
  bool on_null(json::error_code&) { return plain(); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t value_node = 0;  // of an object's current member
    std::uint32_t index = 0;       // of an array's next element
    bool array = false;
    std::string_view key;  // last key, also that of the object around an array
  };
  struct Text {
    std::string_view value;
    std::string_view source;  // where it stands in the text, without quotes
  };

  // The place of the value that comes next.
  std::uint32_t next_node() {
    if (frames_.empty()) return root_;
    Frame& frame = frames_.back();
    if (!frame.array) return frame.value_node;
    return out_->add_node(frame.node, {}, frame.index++);
  }
  bool plain() {
    if (!frames_.empty() && frames_.back().array) ++frames_.back().index;
    return true;
  }
  bool open(bool array) {
    Frame frame;
    frame.node = next_node();
    frame.array = array;
    frame.key = frames_.empty() ? like_.name : frames_.back().key;
    frames_.push_back(frame);
    return true;
  }
  bool close() {
    frames_.pop_back();
    return true;
  }
  bool take_part(json::string_view s) {
    part_.append(s.data(), s.size());
    has_part_ = true;
    return true;
  }
  // A string without escapes comes in one piece that lies in the text; any other was unescaped into a buffer,
  // and its place is found again: between two strings a document has no other quotes.
  Text take_text(json::string_view s) {
    const std::string_view last(s.data(), s.size());
    if (!has_part_ && is_inside(last, text_)) {
      at_ = static_cast<std::size_t>(last.data() - text_.data()) + last.size() + 1;
      return {last, last};
    }
    part_.append(last);
    Text text;
    text.value = out_->arena.copy(part_);
    part_.clear();
    has_part_ = false;
    const std::size_t begin = text_.find('"', at_) + 1;
    // An escape is no shorter than what it stands for. What follows an odd number of backslashes is escaped.
    std::size_t end = std::min(begin + text.value.size(), text_.size());
    std::size_t slashes = end;
    while (slashes > begin && text_[slashes - 1] == '\\') --slashes;
    end += (end - slashes) % 2;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    end = end < text_.size() ? end : text_.size();
    text.source = text_.substr(begin, end - begin);
    at_ = end + 1;
    return text;
  }
  std::string_view outer_of(const Text& text) const {
    return like_.outer.data() != nullptr && !is_inside(text.source, like_.outer) ? like_.outer : text.source;
  }
  bool keep(const Field& field, json::error_code& ec) {
    if (out_->add(field)) return true;
    ec = make_error_code(json::error::object_too_large);
    return false;
  }

  std::string_view text_;
  Field like_;
  FieldList* out_ = nullptr;
  std::size_t at_ = 0;
  std::uint32_t root_ = 0;
  std::vector<Frame> frames_;
  std::string part_;
  bool has_part_ = false;
};

json::parse_options options() {
  json::parse_options out;
  out.max_depth = kMaxJsonDepth;
  out.allow_invalid_utf8 = true;
  out.allow_trailing_commas = true;
  return out;
}

}  // namespace

struct JsonReader::Impl {
  json::basic_parser<Handler> parser{options()};
};

JsonReader::JsonReader() : impl_(std::make_unique<Impl>()) {}
JsonReader::~JsonReader() = default;

bool JsonReader::read(std::string_view text, const Field& like, FieldList& out, bool& nothing_read) {
  auto& parser = impl_->parser;
  Handler& handler = parser.handler();
  const std::size_t before = out.size();
  nothing_read = true;
  std::size_t begin = 0;
  std::size_t last_begin = 0;
  while (true) {
    while (begin < text.size() && is_space(text[begin])) ++begin;
    if (begin == text.size()) return !nothing_read;
    const std::string_view rest = text.substr(begin);
    parser.reset();
    handler.begin(rest, like, out);
    json::error_code error;
    const std::size_t used = parser.write_some(false, rest.data(), rest.size(), error);
    if (!error && parser.done() && used != 0) {
      nothing_read = false;
      last_begin = begin;
      begin += used;
      continue;
    }
    if (nothing_read && out.size() == before) return false;
    nothing_read = false;
    Field field = like;
    // What follows a document and is none itself belongs to the text before it, as in "1 or 2".
    field.raw =
        handler.at() == 0 ? text.substr(last_begin) : rest.substr(std::min(handler.at(), rest.size()));
    if (out.full()) {
      out.add_rest(field);
    } else {
      out.add(field);
    }
    return false;
  }
}

}  // namespace wafd::detect
