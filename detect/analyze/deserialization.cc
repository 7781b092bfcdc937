#include "detect/analyze/deserialization.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kJava, kPhp, kDotNet, kPython, kYaml, kXml, kJson, kNode, kRuby };

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
};

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
    {"cos\nsystem\n", kPython, false, "A Python pickle that calls os.system."},
    {"cposix\nsystem\n", kPython, false, "A Python pickle that calls os.system."},
    {"c__builtin__\n", kPython, false, "A Python pickle that calls a built-in function."},
    {"cbuiltins\n", kPython, false, "A Python pickle that calls a built-in function."},
    {"csubprocess\n", kPython, false, "A Python pickle that starts a process."},
    {"objectdataprovider", kDotNet, false, "A .NET object that calls a method when it is read."},
    {"system.windows.data.objectdataprovider", kDotNet, false,
     "A .NET object that calls a method when it is read."},
};

// O:8:"stdClass":1:{ and C:…; digits may have a sign in front, as filters are dodged.
bool php_object(std::string_view text, std::size_t at) noexcept {
  std::size_t i = at + 1;
  if (i >= text.size() || text[i] != ':') return false;
  ++i;
  if (i < text.size() && text[i] == '+') ++i;
  const std::size_t digits = i;
  while (i < text.size() && i - digits < 6 && is_digit(text[i])) ++i;
  if (i == digits || i + 2 >= text.size() || text[i] != ':') return false;
  // The quotes may still be escaped.
  std::size_t quote = i + 1;
  while (quote < text.size() && text[quote] == '\\') ++quote;
  if (quote >= text.size() || text[quote] != '"') return false;
  std::size_t name = quote + 1;
  while (name < text.size() && name - quote < 128 &&
         (is_alnum(text[name]) || text[name] == '_' || text[name] == '\\'))
    ++name;
  if (name == quote + 1 || name >= text.size() || (text[name] != '"' && text[name] != '\\')) return false;
  const std::size_t colon = text.find(':', name);
  return colon != std::string_view::npos && colon - name < 4 && colon + 1 < text.size() &&
         is_digit(text[colon + 1]);
}

class DeserializationAnalyzer final : public Analyzer {
 public:
  DeserializationAnalyzer() : rules_(make_rules("m_deserial", AttackType::kDeserialization, 5800, kRules)) {}

  std::string_view name() const noexcept override { return "deserial"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  bool reads_binary() const noexcept override { return true; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 6> kHints = {
        R"(\xac\xed\x00\x05|rO0AB|KztAAU|Cs7QAF|aced0005|AAEAAAD/////|ND_FUNC)",
        R"([oc]:\+?[0-9]{1,6}:\\{0,8}")",
        R"(!!(python|javax?\.|com\.|org\.)|!ruby/)",
        R"(xmldecoder|<(java|jdk|javax|sun|com)\.|unserializable|dynamic-proxy|class=.(com\.sun|java\.lang)|extensions">rO0)",
        R"(c(os|posix|__builtin__|builtins|subprocess)\n|objectdataprovider|\x80[\x02-\x05])",
        R"(@type|\$type|@class|\x04\x08[o\[\{])",
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
    for (const Sign& sign : kSigns) {
      if (file && sign.rule != kXml && sign.rule != kNode) continue;
      find(text, sign, add);
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
      if (php_object(text, i)) {
        add(kPhp, i, 64,
            "A serialised PHP object: reading it makes an object of a class that the sender chose.");
        break;
      }
    }
    read_json(text, add);
    if (text.size() > 4 && octet(text[0]) == 0x80 && octet(text[1]) >= 2 && octet(text[1]) <= 5 &&
        (text.find("system") != std::string_view::npos || text.find("builtin") != std::string_view::npos ||
         text.find("subprocess") != std::string_view::npos)) {
      add(kPython, 0, 64, "A Python pickle that names a function to call.");
    }
    if (text.size() > 4 && text[0] == '\x04' && text[1] == '\x08' && (text[2] == 'o' || text[2] == '[')) {
      add(kRuby, 0, 64, "A serialised Ruby object.");
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  template <class Add>
  static void find(std::string_view text, const Sign& sign, const Add& add) {
    const bool exact = sign.rule == kJava || sign.rule == kDotNet || sign.rule == kPython;
    for (std::size_t at = exact ? text.find(sign.text) : ifind(text, sign.text); at != std::string_view::npos;
         at = exact ? text.find(sign.text, at + 1) : std::string_view::npos) {
      const bool start = at == 0 || !(is_alnum(text[at - 1]) || text[at - 1] == '+' || text[at - 1] == '/');
      if (sign.at_start && !start) continue;
      add(sign.rule, at, sign.text.size(), sign.reason);
      return;
    }
  }

  // "@type":"com.sun.rowset.JdbcRowSetImpl" (fastjson), "$type":"System.Windows…" (Json.NET),
  // ["org.springframework…",
  template <class Add>
  static void read_json(std::string_view text, const Add& add) {
    for (const std::string_view key : {"@type", "$type", "@class"}) {
      for (std::size_t at = ifind(text, key); at != std::string_view::npos; at = ifind(text, key, at + 1)) {
        std::size_t i = at + key.size();
        while (i < text.size() && i - at < 16 &&
               (text[i] == '"' || text[i] == '\'' || text[i] == '\\' || text[i] == ':' || text[i] == ' '))
          ++i;
        const std::string_view value = text.substr(i, 96);
        // JSON-LD has "@type":"Product"; a class has its package before it.
        for (const std::string_view package :
             {"java.", "javax.", "com.sun.", "org.apache.", "org.springframework", "sun.", "ch.qos.",
              "com.mchange", "oracle.jdbc", "com.zaxxer", "com.alibaba.druid", "org.hibernate", "system.",
              "microsoft.", "br.com.anteros"}) {
          if (istarts_with(value, package)) {
            add(kJson, at, key.size() + 32, "A JSON member that names the class of the object to make.");
            return;
          }
        }
      }
    }
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_deserialization_analyzer() {
  return std::make_unique<DeserializationAnalyzer>();
}

}  // namespace wafd::detect
