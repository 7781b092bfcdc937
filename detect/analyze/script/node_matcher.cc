#include "detect/analyze/script/node_matcher.h"

#include <algorithm>
#include <array>

#include "detect/analyze/script/globals.tsv.h"
#include "detect/analyze/script/js_places.h"
#include "detect/analyze/script/members.tsv.h"
#include "detect/analyze/script/telemetry.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

using js::Act;

enum class NodeEvidence : std::uint8_t {
  kModule,         // require('child_process')
  kLoad,           // require of any other module
  kProcess,        // process.env
  kExports,        // module.exports=
  kLoop,           // while(true)
  kPrint,          // console.log(1)
  kInvoked,        // (function(){…})()
  kPrototype,      // __proto__, constructor.prototype as names
  kPrototypeText,  // somewhere in a text
  kReference,      // $1:constructor:constructor
  kSerialized,     // _$$ND_FUNC$$_
};
constexpr std::array<std::string_view, 11> kNames{"module",         "load",      "process",   "exports",
                                                  "loop",           "print",     "invoked",   "prototype",
                                                  "prototype_text", "reference", "serialized"};

struct Found {
  Act act;
  NodeEvidence kind;
};
constexpr std::array<Found, 7> kFound{{{Act::kModule, NodeEvidence::kModule},
                                       {Act::kRequire, NodeEvidence::kLoad},
                                       {Act::kProcess, NodeEvidence::kProcess},
                                       {Act::kExports, NodeEvidence::kExports},
                                       {Act::kLoop, NodeEvidence::kLoop},
                                       {Act::kConsole, NodeEvidence::kPrint},
                                       {Act::kInvoked, NodeEvidence::kInvoked}}};

Certainty certainty_of(const js::PlacedReading& placed, const js::ActSpan& span, bool lines) noexcept {
  const js::Reading& reading = placed.reading;
  if (placed.place == js::Place::kLaterQuote) return Certainty::kPossible;
  // Lines with declarations are a program that somebody wrote to be read.
  if (reading.valid && span.sound && !(lines && reading.declares)) return Certainty::kCertain;
  return span.sound ? Certainty::kLikely : Certainty::kPossible;
}

// process.pid, process.runtime.version: attributes of telemetry are called so (OpenTelemetry semantic
// conventions, "Process"; Elastic Common Schema). Nothing is called, and what Node has under these names is
// no secret.
bool is_measurement(std::string_view text) noexcept {
  constexpr std::string_view kProcess = "process.";
  text = trim(text);
  if (!text.starts_with(kProcess)) return false;
  for (text.remove_prefix(kProcess.size()); !text.empty();) {
    const std::string_view name = text.substr(0, text.find('.'));
    if (name.empty() ||
        !std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; }))
      return false;
    if (js::kMembers.find(name) != nullptr && !js::kTelemetry.has(name)) return false;
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  return true;
}

void read_script(std::string_view text, const FieldContext& context, EvidenceList& out) {
  if (is_measurement(text)) return;
  const bool lines = text.find('\n') != std::string_view::npos;
  js::ReadingsCache own;
  js::ReadingsCache& readings = context.scripts != nullptr ? *context.scripts : own;
  for (const js::PlacedReading& placed : readings.of(text, *context.memory)) {
    for (const Found& found : kFound) {
      const js::ActSpan& span = placed.reading.act(found.act);
      if (span.end == 0) continue;
      out.add(found.kind, certainty_of(placed, span, lines), span.begin, span.end,
              text.substr(span.begin, span.end - span.begin));
    }
  }
}

bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '_' || c == '$'; }

constexpr std::array<std::string_view, 5> kPythonInternals{"__globals__", "__builtins__", "__subclasses__",
                                                           "__mro__", "__bases__"};

// __proto__[a]  a.__proto__.b  {"__proto__":  and as a whole value /__proto__/b (RFC 6901), ["__proto__","b"]
void read_prototype(std::string_view text, bool in_name, EvidenceList& out) {
  constexpr std::string_view kProto = "__proto__";
  for (std::size_t at = text.find(kProto); at != std::string_view::npos; at = text.find(kProto, at + 1)) {
    const std::size_t end = at + kProto.size();
    const char before = at > 0 ? text[at - 1] : '\0';
    const char behind = end < text.size() ? text[end] : '\0';
    const bool quoted = behind != '\0' && behind == before && (behind == '"' || behind == '\'');
    const std::size_t next = skip_space(text, end + (quoted ? 1 : 0));
    const bool member = behind == '.' || behind == '[' || (next < text.size() && text[next] == ']' && at > 0);
    const bool key = quoted && next < text.size() && text[next] == ':';
    const bool named = in_name && !is_name_byte(before) && !is_name_byte(behind);
    const bool pointer = text[0] == '/' && before == '/' && behind == '/' && text.find(' ') == text.npos;
    const bool step = quoted && text[0] == '[' && next < text.size() && text[next] == ',';
    out.add(
        named || member || key || pointer || step ? NodeEvidence::kPrototype : NodeEvidence::kPrototypeText,
        named || key ? Certainty::kCertain : Certainty::kLikely, at, end, kProto);
  }
}

// user.__init__.__globals__.x as a name: what merges documents into objects of Python reaches every object by
// them (Python data model).
void read_python_internals(std::string_view name, EvidenceList& out) {
  for (const std::string_view word : kPythonInternals) {
    const std::size_t at = name.find(word);
    if (at == name.npos) continue;
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_name_byte(name[at - 1])) && (end == name.size() || !is_name_byte(name[end]));
    if (whole) out.add(NodeEvidence::kPrototype, Certainty::kCertain, at, end, word);
  }
}

// constructor.prototype  constructor[prototype]: nothing but signs between.
void read_constructor(std::string_view text, bool in_name, EvidenceList& out) {
  constexpr std::string_view kConstructor = "constructor";
  std::size_t sign = 0;  // the first that source code has; 0: not looked for
  for (std::size_t at = text.find(kConstructor); at != std::string_view::npos;
       at = text.find(kConstructor, at + 1)) {
    std::size_t end = at + kConstructor.size();
    while (end < text.size() && !is_alnum(text[end]) && byte(text[end]) > ' ') ++end;
    if (end == at + kConstructor.size() || !text.substr(end).starts_with("prototype")) continue;
    end += 9;
    // Alone in a text it is a path to a property; amid others it is source code.
    if (sign == 0) sign = std::min(text.find_first_of(" (;=", skip_space(text, 0)), text.size()) + 1;
    const bool alone = sign > end;
    out.add(in_name || alone ? NodeEvidence::kPrototype : NodeEvidence::kPrototypeText,
            in_name || alone ? Certainty::kCertain : Certainty::kLikely, at, end, "constructor.prototype");
  }
}

// Bytes of "Object.prototype" or Object['prototype'] there; 0: it is none.
std::size_t base_object(std::string_view text) noexcept {
  for (const std::string_view base :
       {"Object.prototype", "Object['prototype']", "Object[\"prototype\"]", "Object[`prototype`]"}) {
    if (text.starts_with(base)) return base.size();
  }
  return 0;
}

// Object.prototype.a=1  Object.defineProperty(Object.prototype, …): in one line, which no page sends.
void read_base_object(std::string_view text, EvidenceList& out) {
  constexpr std::string_view kBase = "Object.prototype";
  constexpr std::string_view kObject = "Object";
  const bool lines = text.find(kObject) != text.npos && trim(text).find('\n') != text.npos;
  std::size_t end = 0;
  for (std::size_t at = text.find(kObject); at != std::string_view::npos; at = text.find(kObject, end)) {
    end = at + kObject.size();
    const std::size_t size = base_object(text.substr(at));
    if (size == 0) continue;
    end = at + size;
    const std::string_view before = text.substr(0, at);
    const bool given = before.ends_with("defineProperty(") || before.ends_with("defineProperties(") ||
                       before.ends_with("assign(") || before.ends_with("setPrototypeOf(");
    if (end < text.size() && (text[end] == '.' || text[end] == '[')) {
      while (end < text.size() && (is_name_byte(text[end]) ||
                                   std::string_view(".['\"]").find(text[end]) != std::string_view::npos))
        ++end;
      end = skip_space(text, end);
    } else if (!given) {
      continue;
    }
    const bool set = end + 1 < text.size() && text[end] == '=' && text[end + 1] != '=';
    if (!given && !set) continue;
    out.add(lines ? NodeEvidence::kPrototypeText : NodeEvidence::kPrototype, Certainty::kLikely, at, end,
            kBase);
  }
}

// "$1:constructor:constructor": a reference between the parts of a serialised message (React, "Flight") that
// walks to what every object has.
void read_references(std::string_view text, EvidenceList& out) {
  constexpr std::size_t kMaxPathBytes = 96;
  if (text.find('$') == std::string_view::npos) return;
  for (const std::string_view step : {":constructor", ":__proto__", ":prototype"}) {
    for (std::size_t at = text.find(step); at != std::string_view::npos; at = text.find(step, at + 1)) {
      const std::size_t from = at - std::min(at, kMaxPathBytes);
      const std::size_t dollar = text.substr(from, at - from).rfind('$');
      if (dollar == std::string_view::npos) continue;
      const std::string_view path = text.substr(from + dollar + 1, at - from - dollar - 1);
      const std::size_t number = std::min(path.find_first_not_of("0123456789abcdefABCDEF@"), path.size());
      const bool walks = number != 0 && (number == path.size() || path[number] == ':') &&
                         path.find_first_of(" \t\r\n\"") == std::string_view::npos;
      if (walks)
        out.add(NodeEvidence::kReference, Certainty::kCertain, from + dollar, at + step.size(),
                step.substr(1));
    }
  }
}

class NodeMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "code"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  Needs needs() const override {
    const auto of_node = [](const js::GlobalRow& row) {
      return any(row.gives & (js::Ref::kRequire | js::Ref::kProcess | js::Ref::kModule | js::Ref::kHost));
    };
    const auto of_process = [](const js::MemberRow& row) {
      return any(row.gives & js::Ref::kRequire) || row.text == "mainmodule";
    };
    return {
        {any_of(any_word(js::kGlobals, of_node), any_word({"import"})), any_byte("(.[=`?")},
        {any_word({"child_process"}), any_byte("'\"`")},
        {any_word(js::kMembers, of_process), any_byte("(.[=`")},
        {any_word({"while", "for"}), any_byte("("), any_byte(")")},
        {any_word({"console"}), any_byte("("), any_byte(".[?")},
        {any_word({"function"}), any_literal({")("})},
        {any_literal({"=>"}), any_literal({")("})},
        {any_word({"class"}), any_literal({")("})},
        {any_word({"class"}), any_word({"new"}), any_byte("{")},
        {any_literal({"__proto__", "_$$nd_func$$_", "object.prototype", "object['prototype",
                      "object[\"prototype", "object[`prototype", "__globals__", "__builtins__",
                      "__subclasses__", "__mro__", "__bases__"})},
        {any_literal({"constructor"}), any_literal({"prototype"})},
        {any_byte("$"), any_byte(":"), any_literal({":constructor", ":__proto__", ":prototype"})},
    };
  }
  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }
  std::uint32_t units_a_token() const noexcept override { return 6; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    read_prototype(text, context.in_name, out);
    if (context.in_name && context.location != Location::kFile) read_python_internals(text, out);
    read_constructor(text, context.in_name, out);
    read_base_object(text, out);
    read_references(text, out);
    constexpr std::string_view kFunction = "_$$ND_FUNC$$_";
    if (const std::size_t at = text.find(kFunction); at != std::string_view::npos)
      out.add(NodeEvidence::kSerialized, Certainty::kCertain, at, at + kFunction.size(), kFunction);
    read_script(text, context, out);
  }
};

}  // namespace

std::unique_ptr<Matcher> make_node_matcher() { return std::make_unique<NodeMatcher>(); }

}  // namespace wafd::detect
