// A request as a list of fields {location, name, raw value}: every place an application may read something
// from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/request.h"
#include "detect/core/verdict.h"
#include "detect/extract/arena.h"

namespace wafd::detect {

// The coding that a value's place applies (percent, JSON string ...); undone before anything is judged.
enum class Coding : std::uint8_t {
  kNone,
  kPercent,  // path, cookies
  kForm,     // query and form bodies: plus is a space, then percent
};

// Views live until the next FieldList::clear(): into the request's bytes, or into the arena.
struct Field {
  Location location = Location::kQuery;
  bool in_name = false;  // `raw` is a name, not a value
  bool binary = false;   // bytes that are no text: images, archives
  bool media = false;    // content of an upload whose name or media type says image, sound, video, document
  bool code = false;     // of a document made of blocks: stands in a block that shows code
  bool prose = false;    // a body whose media type says that it is a text for people (Markdown, HTML)
  bool stored = false;   // a text that PUT stores as the file that its path names (is_stored_file)
  Coding coding = Coding::kNone;
  std::uint8_t depth = 0;  // containers around it: JSON in a form value is 1
  std::string_view name;   // decoded; of the parameter, header, cookie, file field; last key in JSON
  std::string_view
      parent;  // key or element of a document that `name` stands in; or kLogInParent (secret_names.h)
  std::string_view outermost;  // of JSON: the key of the document that everything here stands under
  std::string_view raw;
  std::string_view outer;        // the piece of the request that carried it; `raw` itself where that is one
  std::string_view decode_path;  // of the containers around it: "gzip|json"
  std::uint32_t node = 0;        // place in a JSON document (FieldList::full_name); 0: none
};

// Limits; what they leave out of the list is one last raw field, never lost.
inline constexpr std::size_t kMaxFields = 65536;
inline constexpr std::uint8_t kMaxFieldDepth = 4;
inline constexpr std::size_t kMaxJsonDepth = 512;  // of PHP; beyond it, the limit is reached

// Keeps its capacity between requests. One thread at a time.
class FieldList {
 public:
  void clear();
  // False if the list is full: the caller then adds what remains with add_rest() and stops.
  bool add(const Field& field) {
    if (full()) return false;
    if (field.raw.empty()) return true;
    Field& added = items_.emplace_back(field);
    if (field.outer.data() == nullptr) added.outer = field.raw;
    return true;
  }
  void add_rest(const Field& field);  // always taken, marks the limit
  bool full() const noexcept { return items_.size() >= kMaxFields; }

  // Takes back what was added after there were `size` fields.
  void shrink(std::size_t size) { items_.resize(size); }
  // The fields from `begin` on are a form: with a "u" its "p" is a password, and gets kLogInParent.
  void mark_log_in(std::size_t begin);
  // The strings among the fields from `begin` on that hold a block's text stand in a block of code.
  void mark_code(std::size_t begin);
  // The fields from `begin` on came out of a container that was not the request itself: an inflated body.
  void set_container(std::size_t begin, const Field& container);

  std::size_t size() const noexcept { return items_.size(); }
  const Field& operator[](std::size_t i) const noexcept { return items_[i]; }
  bool limit_reached = false;
  bool uninspected = false;  // something is in a coding or a character set that is not known

  // Bytes that were made while reading (unescaped strings) and decoding.
  Arena arena;

  // Values by a hash of their names, while pairs are read.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_name;

  // A place in a document: key or index below a parent node. Rendered only for findings: "user.tags[2]".
  std::uint32_t add_node(std::uint32_t parent, std::string_view key, std::uint32_t index);
  std::string full_name(const Field& field) const;

 private:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t index = 0;
    std::string_view key;  // data() null: an array's element `index`
  };
  std::vector<Field> items_;
  std::vector<Node> nodes_;
};

// name=value pairs separated by '&': name fields and value fields made after `like` (location, coding, depth,
// …).
// A name that comes again gives one more value: all of its values joined with commas, as ASP hands them on.
void read_pairs(std::string_view text, const Field& like, FieldList& out);

// A name as the application reads it, in the arena.
std::string_view decoded_name(std::string_view raw, Coding coding, FieldList& out);

}  // namespace wafd::detect
