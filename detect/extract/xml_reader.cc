#include "detect/extract/xml_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include <expat.h>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxElementDepth = 256;
// A section that is longer than twice this is long: so much of both its ends stays.
constexpr std::size_t kSectionEndBytes = 512;

struct Section {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_plain_name(std::string_view name) noexcept {
  for (const char c : name) {
    if (!is_alnum(c) && c != '_' && c != '-' && c != ':') return false;
  }
  return true;
}

}  // namespace

struct XmlReader::Impl {
  XML_Parser parser = nullptr;
  std::string_view text;
  Field like;
  FieldList* out = nullptr;
  std::string pending;       // character data of the present element, in pieces
  std::string_view element;  // name of the present element
  std::vector<Section> sections;
  std::size_t at = 0;  // offset of the event before this one
  std::size_t depth = 0;
  bool any_element = false;
  bool doctype = false;
  bool failed = false;

  ~Impl() { XML_ParserFree(parser); }

  void begin(std::string_view octets, const Field& made_after, FieldList& list) {
    if (parser == nullptr) {
      parser = XML_ParserCreate(nullptr);
    } else {
      XML_ParserReset(parser, nullptr);
    }
    text = octets;
    like = made_after;
    out = &list;
    pending.clear();
    sections.clear();
    element = {};
    at = 0;
    depth = 0;
    any_element = doctype = failed = false;
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetCommentHandler(parser, on_comment);
    XML_SetProcessingInstructionHandler(parser, on_instruction);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    XML_SetCdataSectionHandler(parser, on_section, on_section_end);
    // A default handler without expansion keeps internal entities from being expanded.
    XML_SetDefaultHandler(parser, on_other);
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER);
  }

  void stop() {
    failed = true;
    XML_StopParser(parser, XML_FALSE);
  }
  void mark() {
    const XML_Index index = XML_GetCurrentByteIndex(parser);
    if (index > 0) at = static_cast<std::size_t>(index);
  }
  void add(std::string_view name, std::string_view value, bool in_name = false) {
    if (failed) return;
    Field field = like;
    field.name = name;
    field.in_name = in_name;
    field.raw = out->arena.copy(value);
    if (field.outer.data() == nullptr)
      field.outer = text.substr(at < text.size() ? at : 0, value.empty() ? 1 : value.size());
    if (!out->add(field)) stop();
  }
  void flush() {
    const std::string_view trimmed = trim(pending);
    if (trimmed.find_first_not_of(" \t\r\n") != std::string_view::npos) add(element, trimmed);
    pending.clear();
  }

  static Impl& self(void* data) { return *static_cast<Impl*>(data); }
  static void on_start(void* data, const XML_Char* name, const XML_Char** attributes) noexcept {
    Impl& me = self(data);
    me.flush();
    me.mark();
    me.any_element = true;
    if (++me.depth > kMaxElementDepth) return me.stop();
    me.element = me.out->arena.copy(name);
    // Names of more than words, like those of classes in serialised objects, are evidence themselves.
    if (!is_plain_name(me.element)) me.add(me.element, me.element, true);
    for (; *attributes != nullptr; attributes += 2) me.add(me.out->arena.copy(attributes[0]), attributes[1]);
  }
  static void on_end(void* data, const XML_Char*) noexcept {
    Impl& me = self(data);
    me.flush();
    me.mark();
    --me.depth;
  }
  static void on_text(void* data, const XML_Char* octets, int size) noexcept {
    Impl& me = self(data);
    if (me.pending.empty()) me.mark();
    me.pending.append(octets, static_cast<std::size_t>(size));
  }
  static void on_comment(void* data, const XML_Char* comment) noexcept {
    Impl& me = self(data);
    me.flush();
    me.mark();
    me.add("#comment", trim(comment));
  }
  static void on_instruction(void* data, const XML_Char* target, const XML_Char* content) noexcept {
    Impl& me = self(data);
    me.flush();
    me.mark();
    me.add(me.out->arena.copy(target), content);
  }
  static void on_doctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) noexcept {
    self(data).doctype = true;
  }
  std::size_t here() const noexcept {
    const XML_Index index = XML_GetCurrentByteIndex(parser);
    return index > 0 ? std::min(static_cast<std::size_t>(index), text.size()) : 0;
  }
  static void on_section(void* data) noexcept { self(data).sections.push_back({self(data).here(), 0}); }
  static void on_section_end(void* data) noexcept {
    Impl& me = self(data);
    if (me.sections.empty()) return;
    me.sections.back().end = me.here();
    if (me.sections.back().begin + 2 * kSectionEndBytes >= me.sections.back().end) me.sections.pop_back();
  }
  static void on_other(void*, const XML_Char*, int) noexcept {}
};

XmlReader::XmlReader() : impl_(std::make_unique<Impl>()) {}
XmlReader::~XmlReader() = default;

std::string_view XmlReader::without_sections(FieldList& out) const {
  const Impl& impl = *impl_;
  if (impl.sections.empty()) return impl.text;
  char* to = out.arena.reserve(impl.text.size());
  std::size_t size = 0;
  std::size_t kept = 0;  // from here on
  const auto keep = [&](std::size_t end) { size += impl.text.copy(to + size, end - kept, kept); };
  for (const Section& section : impl.sections) {
    keep(section.begin + kSectionEndBytes);
    to[size++] = '\n';
    kept = section.end - kSectionEndBytes;
  }
  keep(impl.text.size());
  return out.arena.take(size);
}

bool XmlReader::read(std::string_view text, const Field& like, FieldList& out, bool& nothing_read) {
  Impl& impl = *impl_;
  impl.begin(text, like, out);
  // Expat takes an int; larger bodies do not come this far (the listeners' limits are far below).
  const int size = text.size() > 0x7fffffff ? 0x7fffffff : static_cast<int>(text.size());
  const bool whole = XML_Parse(impl.parser, text.data(), size, 1) == XML_STATUS_OK && !impl.failed;
  if (!whole) impl.flush();
  nothing_read = !impl.any_element && !impl.doctype;
  if (nothing_read) return false;
  Field field = like;
  if (impl.doctype) {
    field.raw = text;
  } else if (!whole) {
    field.raw = text.substr(impl.at < text.size() ? impl.at : 0);
  } else {
    return true;
  }
  if (out.full()) {
    out.add_rest(field);
  } else {
    out.add(field);
  }
  return whole;
}

}  // namespace wafd::detect
