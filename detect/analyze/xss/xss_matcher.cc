#include "detect/analyze/xss/xss_matcher.h"

#include "detect/analyze/script/globals.tsv.h"
#include "detect/analyze/script/members.tsv.h"
#include "detect/analyze/xss/elements.tsv.h"
#include "detect/analyze/xss/handlers.tsv.h"
#include "detect/analyze/xss/xss_evidence.h"
#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {
namespace {

using namespace xss;

// First bytes of what may stand between two tokens of a script: white space, comments.
constexpr std::string_view kBlanks = " \t\n\v\f\r\xc2\xe1\xe2\xe3\xef";

// Bytes that can follow a quote which ends a string of script, a value of an attribute, or a tag.
constexpr std::string_view kClosers = "-+*/%&|^<>=!?:;,.)]}[i";

wafd::detect::Sign globals(js::Ref of) {
  return any_word(js::kGlobals, [of](const js::GlobalRow& row) { return any(row.gives & of); });
}
wafd::detect::Sign members(js::Ref of) {
  return any_word(js::kMembers, [of](const js::MemberRow& row) { return any(row.gives & of); });
}
wafd::detect::Sign elements() {
  return any_word(kElements, [](const ElementRow& row) { return row.does != Element::kPlain; });
}
wafd::detect::Sign literals(std::string_view first, std::string_view second) {
  wafd::detect::Sign sign{wafd::detect::SignKind::kLiterals, {}};
  for (const char a : first) {
    for (const char b : second) sign.parts.push_back({a, b});
  }
  return sign;
}

// A quote with a blank behind it, or with the name of an attribute that loads.
wafd::detect::Sign behind_quotes() {
  wafd::detect::Sign sign = literals("'\"`", kBlanks);
  for (const std::string_view name : xss::kTightAttributes) {
    for (const char quote : {'\'', '"'}) sign.parts.push_back(quote + std::string(name));
  }
  return sign;
}

// A scheme with what browsers pass over in it: one of its letters, that, the next letter.
wafd::detect::Sign broken(std::initializer_list<std::string_view> schemes) {
  wafd::detect::Sign sign{wafd::detect::SignKind::kLiterals, {}};
  for (const std::string_view scheme : schemes) {
    for (std::size_t i = 0; i + 1 < scheme.size(); ++i) {
      for (const char c : std::string_view("\t\n\r\0", 4))
        sign.parts.push_back({scheme[i], c, scheme[i + 1]});
    }
  }
  return sign;
}

class XssMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "xss"; }
  ObfuscationLanguage reads_obfuscation() const noexcept override { return ObfuscationLanguage::kStyle; }
  std::span<const std::string_view> evidence() const noexcept override { return kKindNames; }
  bool reads_inside() const noexcept override { return true; }
  Needs needs() const override {
    using js::Ref;
    const wafd::detect::Sign schemes =
        any_literal({"javascript", "vbscript", "livescript", "jscript", "mocha"});
    const wafd::detect::Sign types = any_literal({"html", "svg", "xml", "script"});
    const wafd::detect::Sign named =
        globals(Ref::kSink | Ref::kEffect | Ref::kCommon | Ref::kDecoder | Ref::kWindow | Ref::kDocument |
                Ref::kLocation | Ref::kObject | Ref::kEvent | Ref::kConstructor);
    const auto of_library = [](const js::MemberRow& row) {
      return any(row.on & (Ref::kLibrary | Ref::kPage));
    };
    const wafd::detect::Sign assigned =
        globals(Ref::kSink | Ref::kWindow | Ref::kDocument | Ref::kLocation | Ref::kObject);
    return {
        // Tags; attributes outside of them.
        {any_byte("<"), any_byte("=/")},
        {any_byte("<\xbc"), elements()},
        {any_literal({"<s ", "<f ", "<i ", "<o ", "<e ", "<m ", "<l ", "<b ", "<a ", "<v "})},
        {any_byte("="), any_word(kHandlers)},
        // URLs.
        {any_byte(":"), schemes, any_byte("(=`\\")},
        {any_byte(":"), broken({"javascript", "vbscript", "livescript", "jscript", "mocha"})},
        {any_byte(":"), any_literal({"data"}), types},
        {any_byte(":"), broken({"data"}), types},
        {any_byte("("), schemes},
        {any_byte(":"), any_byte("("), any_literal({"expression", "binding", "behavior", "behaviour"})},
        {any_literal({"@import"})},
        {any_byte("}"), any_byte("{"), any_literal({"url("})},
        // Script by the names in it.
        {any_byte("(`"), named},
        {any_byte("(`"), any_word({"import"})},
        {any_byte("="), assigned},
        {any_byte("=:"), globals(Ref::kSink)},
        {any_word({"new"}), globals(Ref::kSink | Ref::kEffect)},
        {any_byte("=(`"), members(Ref::kMarkup | Ref::kWindow | Ref::kDocument)},
        {any_byte(".[?"), members(Ref::kSecret | Ref::kLocation | Ref::kMarkup | Ref::kDocument),
         any_word({"document", "window", "self", "top", "parent", "frames", "opener", "globalthis",
                   "ownerdocument", "contentdocument"})},
        {any_byte(".["), globals(Ref::kWindow), globals(Ref::kSink | Ref::kLocation | Ref::kDocument)},
        {any_byte("(`"), members(Ref::kDecoder)},
        {any_byte("$"), any_byte("(`"), any_word(js::kMembers, of_library)},
        {any_word({"jquery"}), any_byte("(`"), any_word(js::kMembers, of_library)},
        {any_literal({"{{"}), any_literal({"constructor", "$eval"})},
        // Script by its shape: behind a quote, hidden names, text made of signs.
        {literals("'\"`", kClosers), any_byte("(=`>")},
        {behind_quotes(), any_byte("=")},
        {behind_quotes(), any_byte("(=`"), any_byte("-+*/%&|^<>=!?:;,.)]}[i\n\r")},
        {any_literal({"*/"}), any_byte("(=`")},
        {any_byte("["), any_byte("+"), any_byte("'\"`"), any_byte("(`")},
        {any_byte("\\"), any_byte("ux01"), any_byte("(`")},
        {any_byte("["), any_byte("]"), any_byte("+"), any_byte("!~'\"{")},
        {any_literal({"![]", "+[]", "[]+"})},
        {any_byte("["), literals("/", "[ \t\n\r"), any_byte("'\"`")},
        {any_byte("["), any_byte("/"), any_word({"source"}), any_byte("(`")},
        {any_byte("["), any_byte("\\"), globals(Ref::kWindow | Ref::kDocument)},
        {any_byte("["), any_byte("+"), any_byte("'\"`"), globals(Ref::kDocument)},
        {any_byte("`"), members(Ref::kForward)},
    };
  }
  std::uint32_t units_a_token() const noexcept override { return 6; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    if ((context.decode_flags & kBesideMarkup) == 0) return read(text, context, out);
    // A page shows its references as characters: what they spell is markup where a page is read twice.
    EvidenceList shown;
    read(text, context, shown);
    for (const Evidence& item : shown.items())
      out.add(static_cast<XssEvidence>(item.kind), Certainty::kPossible, item.begin, item.end, item.detail);
  }

 private:
  static void read(std::string_view text, const FieldContext& context, EvidenceList& out) {
    Pass pass{text, *context.memory, out, context.scripts};
    read_markup(pass);
    read_closed_context(pass);
    read_loose_handlers(pass);
    read_scripts(pass);
  }
};

}  // namespace

std::unique_ptr<Matcher> make_xss_matcher() { return std::make_unique<XssMatcher>(); }

}  // namespace wafd::detect
