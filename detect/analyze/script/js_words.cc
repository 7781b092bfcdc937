#include "detect/analyze/script/js_words.h"

#include "detect/core/octets.h"
#include "detect/core/word_map.h"

namespace wafd::detect {
namespace {

// Gadgets beyond constructor and __proto__: the heavy ones first (kJsHeavyGadgets), then the light.
constexpr std::uint32_t gadget(unsigned index) { return kJsFirstGadget << index; }

constexpr std::uint32_t kTelling = kJsCommonSink | kJsTellingSink;

constexpr WordMap kWords({
    // Sinks.
    {"alert", kJsSink},
    {"eval", kJsSink},
    {"prompt", kJsSink},
    {"confirm", kJsSink},
    {"function", kJsSink | kJsDeclaration},
    {"settimeout", kJsSink},
    {"setinterval", kJsSink},
    {"setimmediate", kJsSink},
    {"execscript", kJsSink},
    {"importscripts", kJsSink},
    {"mssetimmediate", kJsSink},
    {"requestanimationframe", kJsSink},
    {"print", kJsCommonSink},
    {"fetch", kJsCommonSink},
    {"open", kJsCommonSink | kJsDocumentMember},
    {"import", kJsCommonSink},
    {"require", kJsCommonSink},
    {"atob", kTelling | kJsBuildsText},
    {"btoa", kTelling},
    {"unescape", kTelling | kJsBuildsText},
    {"decodeuricomponent", kTelling},
    {"postmessage", kTelling},
    {"sendbeacon", kTelling},
    {"xmlhttprequest", kTelling},
    {"createelement", kTelling | kJsDocumentMember},
    {"write", kJsCommonSink | kJsDocumentMember | kJsSecretMember},
    {"writeln", kTelling | kJsDocumentMember | kJsSecretMember},
    {"insertadjacenthtml", kTelling},
    {"queryselector", kTelling | kJsDocumentMember},
    {"queryselectorall", kTelling | kJsDocumentMember},
    {"getelementbyid", kTelling | kJsDocumentMember},
    {"log", kJsCommonSink},
    {"replace", kJsCommonSink | kJsTakesTemplate},
    {"assign", kJsCommonSink},
    {"focus", kJsCommonSink},
    {"click", kJsCommonSink},
    {"submit", kJsCommonSink},
    // Objects.
    {"window", kJsGlobal | kJsWindow},
    {"self", kJsGlobal | kJsWindow},
    {"top", kJsGlobal | kJsWindow},
    {"this", kJsGlobal},
    {"parent", kJsGlobal | kJsWindow},
    {"frames", kJsGlobal | kJsWindow},
    {"globalthis", kJsGlobal | kJsWindow},
    {"document", kJsGlobal | kJsWindow | kJsDocument | kJsSecretMember},
    {"opener", kJsGlobal | kJsWindow},
    {"content", kJsGlobal},
    {"defaultview", kJsGlobal | kJsDocumentMember},
    {"contentwindow", kJsGlobal},
    {"global", kJsGlobal},
    {"process", kJsGlobal},
    {"event", kJsGlobal},
    {"navigator", kJsGlobal},
    {"location", kJsLocation | kJsDocumentMember | kJsSecretMember},
    // The language.
    {"return", kJsOperator},
    {"typeof", kJsOperator},
    {"instanceof", kJsOperator},
    {"in", kJsOperator},
    {"of", kJsOperator},
    {"new", kJsOperator},
    {"delete", kJsOperator},
    {"void", kJsOperator},
    {"throw", kJsOperator},
    {"case", kJsOperator},
    {"do", kJsOperator},
    {"else", kJsOperator},
    {"yield", kJsOperator},
    {"await", kJsOperator},
    {"default", kJsOperator},
    {"try", kJsOperator},
    {"finally", kJsOperator},
    {"var", kJsDeclaration},
    {"let", kJsDeclaration},
    {"const", kJsDeclaration},
    {"class", kJsDeclaration},
    {"export", kJsDeclaration},
    // Members of the document.
    {"cookie", kJsDocumentMember | kJsSecretMember},
    {"domain", kJsDocumentMember | kJsSecretMember},
    {"body", kJsDocumentMember},
    {"documentelement", kJsDocumentMember},
    {"forms", kJsDocumentMember},
    {"scripts", kJsDocumentMember},
    {"head", kJsDocumentMember},
    {"referrer", kJsDocumentMember | kJsSecretMember},
    {"url", kJsDocumentMember},
    {"baseuri", kJsDocumentMember},
    {"documenturi", kJsDocumentMember},
    {"implementation", kJsDocumentMember},
    {"images", kJsDocumentMember},
    {"localstorage", kJsSecretMember},
    {"sessionstorage", kJsSecretMember},
    {"innerhtml", kJsHtmlMember},
    {"outerhtml", kJsHtmlMember},
    {"srcdoc", kJsHtmlMember},
    // Handlers of objects.
    {"onerror", kJsCallsLater},
    {"onload", kJsCallsLater},
    {"onhashchange", kJsCallsLater},
    {"onmessage", kJsCallsLater},
    {"onfocus", kJsCallsLater},
    {"onclick", kJsCallsLater},
    {"onpopstate", kJsCallsLater},
    {"onpageshow", kJsCallsLater},
    {"onresize", kJsCallsLater},
    {"onunhandledrejection", kJsCallsLater},
    {"valueof", kJsCallsLater},
    {"tostring", kJsCallsLater},
    {"tojson", kJsCallsLater},
    {"then", kJsCallsLater},
    {"hasinstance", kJsCallsLater},
    {"toprimitive", kJsCallsLater},
    {"get", kJsCallsLater},
    // Methods.
    {"call", kJsTakesTemplate},
    {"apply", kJsTakesTemplate},
    {"map", kJsTakesTemplate},
    {"sort", kJsTakesTemplate},
    {"find", kJsTakesTemplate},
    {"concat", kJsConcat},
    {"source", kJsSource},
    // Gadgets.
    {"constructor", kJsConstructor},
    {"__proto__", kJsProto},
    {"__definegetter__", gadget(2)},
    {"__definesetter__", gadget(3)},
    {"__lookupgetter__", gadget(4)},
    {"__lookupsetter__", gadget(5)},
    {"prototype", gadget(6)},
    {"getownpropertydescriptor", gadget(7)},
    {"getprototypeof", gadget(8)},
    {"setprototypeof", gadget(9)},
    {"defineproperty", gadget(10)},
    {"fromcharcode", gadget(11) | kJsBuildsText},
    {"fromcodepoint", gadget(11) | kJsBuildsText},
    {"hasinstance", gadget(12)},
    {"valueof", gadget(13)},
    {"charat", gadget(14)},
});

}  // namespace

std::size_t js_space(std::string_view text, std::size_t at, bool& line_end) noexcept {
  const unsigned char c = octet(text[at]);
  line_end = c == '\n' || c == '\r';
  if (c <= ' ') return 1;
  if (c < 0xc2 || c > 0xef) return 0;
  std::uint32_t code = 0;
  const std::size_t size = utf8_sequence(text, at, code);
  line_end = code == 0x2028 || code == 0x2029;
  const bool space = code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || line_end ||
                     code == 0x202f || code == 0x205f || code == 0x3000 || code == 0xfeff;
  return space ? size : 0;
}

std::uint32_t js_word(std::string_view word) noexcept { return kWords.flags(word); }

}  // namespace wafd::detect
