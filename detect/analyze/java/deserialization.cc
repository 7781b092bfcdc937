#include "detect/analyze/java/deserialization.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/java/java_names.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"
#include "detect/decode/base64.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kJava, kPhp, kDotNet, kPython, kYaml, kXml, kJson, kNode, kRuby, kPhpPlain };

constexpr RuleSpec kRules[] = {
    {"java", "Serialised Java object", Risk::kHigh, Sensitivity::kBalanced},
    {"php", "Serialised PHP object", Risk::kHigh, Sensitivity::kBalanced},
    {"dotnet", "Serialised .NET object", Risk::kHigh, Sensitivity::kBalanced},
    {"python", "Python pickle that calls", Risk::kHigh, Sensitivity::kBalanced},
    {"yaml", "YAML tag that makes an object", Risk::kHigh, Sensitivity::kBalanced},
    {"xml", "XML that makes Java objects", Risk::kHigh, Sensitivity::kLow},
    {"json", "JSON that names the class to make", Risk::kHigh, Sensitivity::kBalanced},
    {"node", "Serialised function of Node", Risk::kHigh, Sensitivity::kLow},
    {"ruby", "Serialised Ruby object", Risk::kHigh, Sensitivity::kStrict},
    {"php-plain", "Serialised PHP object without a class of its own", Risk::kLow, Sensitivity::kStrict},
};

constexpr std::size_t kLeastViewState = 64;
constexpr std::size_t kMaxPickleBytes = 16u << 10;

struct Sign {
  std::string_view text;
  RuleIndex rule;
  bool at_start;  // of the value or behind a sign that is no part of base64
  const char* reason;
};

constexpr const char* kJavaReason = "The stream header of a serialised Java object.";
constexpr const char* kDotNetReason = "The header of a .NET binary formatter's stream.";

// Headers (Java Object Serialization Stream Protocol 6.4.2, MS-NRBF 2.6.1), raw, in hex and in base64 at each
// of the three alignments.
constexpr Sign kSigns[] = {
    {std::string_view("\xac\xed\x00\x05", 4), kJava, false, kJavaReason},
    {"rO0AB", kJava, true, kJavaReason},
    {"KztAAU", kJava, true, kJavaReason},
    {"Cs7QAF", kJava, true, kJavaReason},
    {"aced0005", kJava, true, kJavaReason},
    {"AAEAAAD/////", kDotNet, true, kDotNetReason},
    {"_$$ND_FUNC$$_", kNode, false, "A function in node-serialize's notation, which runs when it is read."},
    {"!!python/", kYaml, false, "A YAML tag that makes Python call a function."},
    {"!!javax.", kYaml, false, "A YAML tag that makes a Java object."},
    {"!!java.", kYaml, false, "A YAML tag that makes a Java object."},
    {"!!com.sun.", kYaml, false, "A YAML tag that makes a Java object."},
    {"!!org.", kYaml, false, "A YAML tag that makes a Java object."},
    {"!ruby/object", kYaml, false, "A YAML tag that makes a Ruby object."},
    {"!ruby/hash", kYaml, false, "A YAML tag that makes a Ruby object."},
    {"java.beans.xmldecoder", kXml, false, "XML for Java's XMLDecoder, which calls what it names."},
    {"<java.util.priorityqueue", kXml, false, "XML for XStream that makes objects which run code."},
    {"<unserializable-parents", kXml, false, "XML for XStream that makes objects which run code."},
    {"<dynamic-proxy", kXml, false, "XML for XStream that makes objects which run code."},
    {"<java.lang.processbuilder", kXml, false, "XML that makes a Java process builder."},
    {"<jdk.nashorn.", kXml, false, "XML for XStream that makes objects which run code."},
    {"<javax.naming.", kXml, false, "XML for XStream that makes objects which run code."},
    {"<javax.imageio.", kXml, false, "XML for XStream that makes objects which run code."},
    {"<sun.reflect.", kXml, false, "XML for XStream that makes objects which run code."},
    {"<com.sun.", kXml, false, "XML for XStream that makes objects which run code."},
    {"class='com.sun.", kXml, false, "XML that makes internal Java objects."},
    {"class=\"com.sun.", kXml, false, "XML that makes internal Java objects."},
    {"class=\"java.lang.processbuilder", kXml, false, "XML that makes a Java process builder."},
    {"class=\"java.lang.runtime", kXml, false, "XML that makes a Java runtime."},
    {"namespaces/extensions\">rO0", kXml, false, "A serialised Java object in XML-RPC."},
    {"tag:yaml.org,2002:python/", kYaml, false, "A YAML tag that makes Python call a function."},
    {"!ruby/struct", kYaml, false, "A YAML tag that makes a Ruby object."},
    {"!php/object", kYaml, false, "A YAML tag that makes a PHP object."},
    // LosFormatter's root token 50: a binary formatter's object (ysoserial.net), not the pairs of a page's
    // state.
    {"/wEy", kDotNet, true, "A view state that is a .NET object of any class."},
    {"objectdataprovider", kDotNet, false, "A .NET object that calls a method when it is read."},
    {"system.windows.data.objectdataprovider", kDotNet, false,
     "A .NET object that calls a method when it is read."},
};

// Where a sign may begin: its first two octets, without case.
struct SignStarts {
  std::array<std::uint64_t, 1024> bits{};
  static constexpr std::size_t index(char first, char second) noexcept {
    return static_cast<std::size_t>(octet(to_lower(first))) << 8 | octet(to_lower(second));
  }
  constexpr bool has(char first, char second) const noexcept {
    const std::size_t i = index(first, second);
    return (bits[i >> 6] >> (i & 63) & 1u) != 0;
  }
};
constexpr SignStarts kSignStarts = [] {
  SignStarts starts;
  for (const Sign& sign : kSigns) {
    const std::size_t i = SignStarts::index(sign.text[0], sign.text[1]);
    starts.bits[i >> 6] |= std::uint64_t{1} << (i & 63);
  }
  return starts;
}();

constexpr std::array<bool, 256> kSignFirst = [] {
  std::array<bool, 256> first{};
  for (unsigned c = 0; c < 256; ++c) {
    for (const Sign& sign : kSigns) {
      first[c] = first[c] || to_lower(static_cast<char>(c)) == to_lower(sign.text[0]);
    }
  }
  return first;
}();

enum class PhpObject : std::uint8_t { kNone, kPlain, kOfClass };

// O:8:"Name":1:{ and C:…; digits may have a sign in front, as filters are dodged. stdClass has neither
// methods nor a destructor: an object of it is data, unless it is as bare as a probe whether anything is made
// of it.
PhpObject php_object(std::string_view text, std::size_t at) noexcept {
  constexpr PhpObject kNothing = PhpObject::kNone;
  std::size_t i = at + 1;
  if (i >= text.size() || text[i] != ':') return kNothing;
  ++i;
  const bool sign = i < text.size() && text[i] == '+';
  if (sign) ++i;
  const std::size_t digits = i;
  while (i < text.size() && i - digits < 6 && is_digit(text[i])) ++i;
  if (i == digits || i + 2 >= text.size() || text[i] != ':') return kNothing;
  // The quotes may still be escaped.
  std::size_t quote = i + 1;
  while (quote < text.size() && text[quote] == '\\') ++quote;
  if (quote >= text.size() || text[quote] != '"') return kNothing;
  std::size_t name = quote + 1;
  while (
      name < text.size() && name - quote < 128 &&
      (is_alnum(text[name]) || text[name] == '_' || (text[name] == '\\' && text.substr(name, 2) != "\\\"")))
    ++name;
  if (name == quote + 1 || name >= text.size() || (text[name] != '"' && text[name] != '\\')) return kNothing;
  const std::size_t colon = text.find(':', name);
  if (colon == std::string_view::npos || colon - name >= 4 || colon + 1 >= text.size() ||
      !is_digit(text[colon + 1]))
    return kNothing;
  const bool bare = text[colon + 1] < '2' && !(colon + 2 < text.size() && is_digit(text[colon + 2]));
  const bool plain =
      !sign && !bare && text[at] == 'O' && iequals(text.substr(quote + 1, name - quote - 1), "stdClass");
  return plain ? PhpObject::kPlain : PhpObject::kOfClass;
}

class DeserializationAnalyzer final : public Analyzer {
 public:
  DeserializationAnalyzer() : rules_(make_rules("m_deserial", AttackType::kDeserialization, 5800, kRules)) {}

  std::string_view name() const noexcept override { return "deserial"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  bool reads_binary() const noexcept override { return true; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 9> kHints = {
        R"(\xac\xed\x00\x05|rO0AB|KztAAU|Cs7QAF|aced0005|AAEAAAD/////|ND_FUNC)",
        R"([oc]:\+?[0-9]{1,6}:\\{0,8}")",
        R"(!!(python|[a-z]+\.)|!(ruby|php)/|tag:yaml\.org,2002:python)",
        R"(xmldecoder|<(java|jdk|javax|sun|com)\.|unserializable|dynamic-proxy|class=.(com\.sun|java\.lang)|extensions">rO0)",
        R"(c(os|nt|pty|sys|code|posix|runpy|shutil|ctypes|socket|timeit|pickle|builtins|commands|operator|platform|functools|importlib|subprocess|__builtin__)\n)",
        R"(\x8c.(os|nt|pty|sys|code|posix|runpy|shutil|ctypes|socket|timeit|pickle|builtins|commands|operator|platform|functools|importlib|subprocess))",
        R"((gASV|gA[JN][jd])[a-z0-9+/_-]{12}|objectdataprovider)",
        R"([@$](type|class)['"\\: ])",
        R"(^\x04\x08[o\[]|/wEy)",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, std::size_t size, const char* reason) {
      if (!found[rule]) {
        found[rule] = Hit{rule, static_cast<std::uint32_t>(begin),
                          static_cast<std::uint32_t>(std::min(begin + size, text.size())), reason};
      }
    };
    // An uploaded file may be an archive or serialised data by right.
    const bool file = context.location == Location::kFile && !context.in_name;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      if (kSignFirst[octet(text[at])] && kSignStarts.has(text[at], text[at + 1]))
        read_signs(text, at, file, add);
    }
    if (file) {
      for (std::optional<Hit>& hit : found) {
        if (hit) hits.push_back(std::move(*hit));
      }
      return;
    }
    for (std::size_t i = 0; i + 8 < text.size(); ++i) {
      if (text[i] != 'O' && text[i] != 'C') continue;
      if (i > 0 && (is_alnum(text[i - 1]) || text[i - 1] == '_')) continue;
      const PhpObject object = php_object(text, i);
      if (object == PhpObject::kPlain) {
        add(kPhpPlain, i, 64, "A serialised PHP object of the class that has no code.");
      } else if (object == PhpObject::kOfClass) {
        add(kPhp, i, 64,
            "A serialised PHP object: reading it makes an object of a class that the sender chose.");
        break;
      }
    }
    read_json(text, add);
    read_pickle(text, add);
    read_yaml(text, add);
    if (text.size() > 4 && text[0] == '\x04' && text[1] == '\x08' && (text[2] == 'o' || text[2] == '[')) {
      add(kRuby, 0, 64, "A serialised Ruby object.");
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  template <class Add>
  static void read_signs(std::string_view text, std::size_t at, bool file, const Add& add) {
    const std::string_view rest = text.substr(at);
    const bool start = at == 0 || !(is_alnum(text[at - 1]) || text[at - 1] == '+' || text[at - 1] == '/');
    for (const Sign& sign : kSigns) {
      if (file && sign.rule != kXml && sign.rule != kNode) continue;
      const bool exact = sign.rule == kJava || sign.rule == kDotNet || sign.rule == kPython;
      if (!(exact ? rest.starts_with(sign.text) : istarts_with(rest, sign.text))) continue;
      if (sign.at_start && !start) continue;
      if (sign.text == "/wEy" && (at > 0 || text.size() < kLeastViewState)) continue;
      add(sign.rule, at, sign.text.size(), sign.reason);
    }
  }

  // "@type":"com.sun.rowset.JdbcRowSetImpl" (fastjson), "$type":"System.Windows…" (Json.NET),
  // ["org.springframework…",
  template <class Add>
  static void read_json(std::string_view text, const Add& add) {
    for (const std::string_view key : {"@type", "$type", "@class"}) {
      for (std::size_t at = text.find(key[0]); at != std::string_view::npos; at = text.find(key[0], at + 1)) {
        if (!istarts_with(text.substr(at), key)) continue;
        std::size_t i = at + key.size();
        if (i < text.size() && (is_alnum(text[i]) || text[i] == '_' || text[i] == '.')) continue;
        while (i < text.size() && i - at < 16 &&
               (text[i] == '"' || text[i] == '\'' || text[i] == '\\' || text[i] == ':' || text[i] == ' '))
          ++i;
        const std::string_view value = text.substr(i, 96);
        // JSON-LD has "@type":"Product"; a class has its package before it.
        if (attack_class(value)) {
          add(kJson, at, key.size() + 32, "A JSON member that names the class of the object to make.");
          return;
        }
      }
    }
  }

  // "com.sun.rowset.JdbcRowSetImpl", "System.Windows.Data.ObjectDataProvider, PresentationFramework".
  static bool attack_class(std::string_view value) noexcept {
    std::uint32_t hash = kWordHashSeed;
    JavaPackage package = JavaPackage::kNone;
    bool classy = false;
    std::size_t end = 0;
    for (; end < value.size() &&
           (is_alnum(value[end]) || std::string_view("._$").find(value[end]) != std::string_view::npos);
         ++end) {
      if (value[end] == '.') {
        const JavaPackage known = java_package(value.substr(0, end), hash);
        if (known != JavaPackage::kNone) package = known;
        if (end + 1 < value.size() && is_upper(value[end + 1])) classy = true;
      }
      hash = word_hash_step(hash, value[end]);
    }
    const JavaPackage whole = java_package(value.substr(0, end), hash);
    if (whole != JavaPackage::kNone) package = whole;
    if (package == JavaPackage::kInner || package == JavaPackage::kRuns) return true;
    if (package == JavaPackage::kLibrary && classy) return true;
    // Json.NET writes its collections so too.
    if (istarts_with(value, "system.collections") || istarts_with(value, "system.string") ||
        istarts_with(value, "system.int") || istarts_with(value, "system.guid") ||
        istarts_with(value, "system.datetime"))
      return false;
    return istarts_with(value, "system.") || istarts_with(value, "microsoft.");
  }

  // !!javax.script.ScriptEngineManager [...] (SnakeYAML's tags name classes).
  template <class Add>
  static void read_yaml(std::string_view text, const Add& add) {
    for (std::size_t at = text.find("!!"); at != std::string_view::npos; at = text.find("!!", at + 2)) {
      if (!attack_class(text.substr(at + 2, 128)) || istarts_with(text.substr(at + 2), "system.") ||
          istarts_with(text.substr(at + 2), "microsoft."))
        continue;
      add(kYaml, at, 64, "A YAML tag that makes a Java object.");
      return;
    }
  }

  // Modules whose functions a pickle has no reason to call (Python's pickletools: GLOBAL, STACK_GLOBAL).
  static bool pickle_module(std::string_view name) noexcept {
    constexpr WordSet kModules({"os",       "nt",        "pty",       "sys",        "code",
                                "posix",    "runpy",     "shutil",    "ctypes",     "socket",
                                "timeit",   "pickle",    "builtins",  "commands",   "operator",
                                "platform", "functools", "importlib", "subprocess", "__builtin__"});
    return kModules.has(name);
  }

  // GLOBAL: "c" module line end name line end. STACK_GLOBAL: the module as a short string, 0x8c and its
  // length.
  static bool calls_module(std::string_view text) noexcept {
    for (std::size_t line = text.find('\n'); line != std::string_view::npos;
         line = text.find('\n', line + 1)) {
      for (std::size_t c = line; c-- > 0 && line - c < 16;) {
        if (text[c] == '\n') break;
        if (text[c] != 'c' || (c > 0 && is_alnum(text[c - 1]) && octet(text[0]) != 0x80)) continue;
        if (!pickle_module(text.substr(c + 1, line - c - 1))) continue;
        std::size_t name = line + 1;
        while (name < text.size() && (is_alnum(text[name]) || text[name] == '_' || text[name] == '.')) ++name;
        if (name > line + 1 && name < text.size() && text[name] == '\n') return true;
      }
    }
    for (std::size_t at = text.find('\x8c'); at != std::string_view::npos; at = text.find('\x8c', at + 1)) {
      if (at + 1 >= text.size()) break;
      if (pickle_module(text.substr(at + 2, octet(text[at + 1]))) && octet(text[0]) == 0x80) return true;
    }
    return false;
  }

  template <class Add>
  static void read_pickle(std::string_view text, const Add& add) {
    const char* const reason = "A Python pickle that calls a function of the system.";
    if (calls_module(text)) {
      add(kPython, 0, 64, reason);
      return;
    }
    const std::string_view value = trim(text);
    if (!value.starts_with("gA") || value.size() > kMaxPickleBytes) return;
    std::string octets;
    if (base64_octets(value, octets) && calls_module(octets)) add(kPython, 0, 64, reason);
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_deserialization_analyzer() {
  return std::make_unique<DeserializationAnalyzer>();
}

}  // namespace wafd::detect
