#include "detect/extract/xml_reader.h"

#include <algorithm>
#include <string>
#include <vector>

// The limits of entities are declared for builds with document types alone, which Debian's is.
#define XML_DTD
#include <expat.h>

#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"

namespace wafd::detect {
namespace {

// Deeper ones cost memory, and are the rest of the document.
constexpr std::size_t kMaxElementDepth = 10'000;
// So much may entities make of a document in any case, and beyond that of more input more.
constexpr unsigned long long kExpandedBytes = 256u << 10;
constexpr float kMaxExpansion = 8;
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
  struct Element {
    std::string_view name;
    std::size_t text = 0;   // where its own text begins in `texts`
    std::size_t piece = 0;  // where what follows its last child begins there
    std::size_t pieces = 0;
  };

  XML_Parser parser = nullptr;
  std::string_view text;
  Field like;
  FieldList* out = nullptr;
  std::vector<Element> open;  // the first one is the document
  std::string texts;          // character data of all of them, the innermost last
  std::vector<Section> sections;
  std::size_t at = 0;  // offset of the event before this one
  bool any_element = false;
  bool doctype = false;
  bool failed = false;

  ~Impl() { XML_ParserFree(parser); }

  // A declared encoding was decoded before, or is one that contains ASCII.
  void begin(std::string_view bytes, const Field& made_after, FieldList& list) {
    const char* encoding = flags_of_utf8(bytes) == 0 ? "UTF-8" : "ISO-8859-1";
    if (parser == nullptr) {
      parser = XML_ParserCreate(encoding);
    } else {
      XML_ParserReset(parser, encoding);
    }
    text = bytes;
    like = made_after;
    out = &list;
    open.assign(1, {});
    texts.clear();
    sections.clear();
    at = 0;
    any_element = doctype = failed = false;
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetCommentHandler(parser, on_comment);
    XML_SetProcessingInstructionHandler(parser, on_instruction);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    XML_SetCdataSectionHandler(parser, on_section, on_section_end);
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER);
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, kMaxExpansion);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, kExpandedBytes);
  }

  void stop() {
    failed = out->limit_reached = true;
    XML_StopParser(parser, XML_FALSE);
  }
  void mark() {
    const XML_Index index = XML_GetCurrentByteIndex(parser);
    if (index > 0) at = static_cast<std::size_t>(index);
  }
  // `depth`: how many elements further out is the one that `name` stands in.
  void add(std::string_view name, std::string_view value, std::size_t depth, bool in_name = false) {
    if (failed) return;
    Field field = like;
    field.name = name;
    if (open.size() > depth) field.parent = open[open.size() - 1 - depth].name;
    field.in_name = in_name;
    field.raw = out->arena.copy(value);
    if (field.outer.data() == nullptr)
      field.outer = text.substr(at < text.size() ? at : 0, value.empty() ? 1 : value.size());
    if (!out->add(field)) stop();
  }
  // Names of more than words, like those of classes in serialised objects, are evidence themselves.
  std::string_view add_name(std::string_view name) {
    const std::string_view kept = out->arena.copy(name);
    if (!is_plain_name(kept)) add(kept, kept, 0, true);
    return kept;
  }
  void add_text(std::size_t from) {
    const std::string_view trimmed = trim(std::string_view(texts).substr(from));
    if (trimmed.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    add(open.back().name, trimmed, 1);
    ++open.back().pieces;
  }
  void end_piece() {
    add_text(open.back().piece);
    open.back().piece = texts.size();
  }
  // Some XML readers join the text around an element's children.
  void close() {
    end_piece();
    if (open.back().pieces > 1) add_text(open.back().text);
    texts.resize(open.back().text);
    if (open.size() > 1) open.pop_back();
  }

  static Impl& self(void* data) { return *static_cast<Impl*>(data); }
  static void on_start(void* data, const XML_Char* name, const XML_Char** attributes) noexcept {
    Impl& me = self(data);
    me.end_piece();
    me.mark();
    me.any_element = true;
    if (me.open.size() > kMaxElementDepth) return me.stop();
    me.open.push_back({me.add_name(name), me.texts.size(), me.texts.size(), 0});
    for (; *attributes != nullptr; attributes += 2)
      me.add(me.out->arena.copy(attributes[0]), attributes[1], 0);
  }
  static void on_end(void* data, const XML_Char*) noexcept {
    self(data).close();
    self(data).mark();
  }
  static void on_text(void* data, const XML_Char* bytes, int size) noexcept {
    Impl& me = self(data);
    if (me.texts.size() == me.open.back().piece) me.mark();
    me.texts.append(bytes, static_cast<std::size_t>(size));
  }
  // Neither of these two ends a text.
  static void on_comment(void* data, const XML_Char* comment) noexcept {
    self(data).add("#comment", trim(comment), 0);
  }
  static void on_instruction(void* data, const XML_Char* target, const XML_Char* content) noexcept {
    self(data).add(self(data).out->arena.copy(target), content, 0);
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
  while (!whole && impl.open.size() > 1) impl.close();
  if (XML_GetErrorCode(impl.parser) == XML_ERROR_AMPLIFICATION_LIMIT_BREACH) out.limit_reached = true;
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
