#include "detect/analyze/java_expression.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/lookup_reader.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kJndi,
  kLookup,
  kCodeLookup,
  kRunner,
  kOgnl,
  kSpel,
  kReflection,
  kClassName,
  kGadgetName,
  kCallInExpression,
  kClassBinding,
};

constexpr RuleSpec kRules[] = {
    {"jndi", "JNDI lookup", Risk::kHigh, Sensitivity::kLow},
    {"lookup", "Nested lookup, or one that reads the server's environment", Risk::kHigh,
     Sensitivity::kBalanced},
    {"code-lookup", "Lookup that runs a script or fetches", Risk::kHigh, Sensitivity::kBalanced},
    {"runner", "Java code that runs a command or script", Risk::kHigh, Sensitivity::kBalanced},
    {"ognl", "OGNL expression", Risk::kHigh, Sensitivity::kLow},
    {"spel", "Spring expression that names a type", Risk::kHigh, Sensitivity::kLow},
    {"reflection", "Java reflection on the way to other classes", Risk::kHigh, Sensitivity::kBalanced},
    {"class-name", "Java class that attacks use, as a value", Risk::kMedium, Sensitivity::kBalanced},
    {"gadget-name", "Java class of a deserialisation chain", Risk::kHigh, Sensitivity::kBalanced},
    {"call-in-expression", "Method call inside an expression", Risk::kLow, Sensitivity::kStrict},
    {"class-binding", "Parameter that sets properties of a class loader", Risk::kHigh, Sensitivity::kLow},
};

// Packages that a client has no reason to name. Exceptions are told apart: error reports name them.
constexpr std::array<std::string_view, 41> kPackages = {"java.lang.",
                                                        "java.io.",
                                                        "java.net.",
                                                        "java.nio.",
                                                        "java.util.jar.",
                                                        "java.util.scanner",
                                                        "java.rmi.",
                                                        "java.beans.",
                                                        "java.sql.",
                                                        "java.awt.",
                                                        "javax.script.",
                                                        "javax.naming.",
                                                        "javax.management.",
                                                        "javax.el.",
                                                        "javax.xml.",
                                                        "com.sun.",
                                                        "sun.misc.",
                                                        "sun.reflect.",
                                                        "sun.rmi.",
                                                        "jdk.nashorn.",
                                                        "jdk.internal.",
                                                        "jdk.jshell.",
                                                        "com.opensymphony.",
                                                        "org.apache.struts2",
                                                        "org.apache.commons.",
                                                        "org.apache.xalan",
                                                        "org.apache.tomcat.",
                                                        "org.apache.catalina.",
                                                        "org.apache.ibatis",
                                                        "org.springframework.",
                                                        "org.hibernate.",
                                                        "ognl.",
                                                        "freemarker.",
                                                        "org.codehaus.groovy",
                                                        "groovy.lang.",
                                                        "groovy.util.",
                                                        "bsh.interpreter",
                                                        "com.mchange.",
                                                        "org.mozilla.javascript",
                                                        "com.thoughtworks.xstream",
                                                        "weblogic."};
constexpr std::array<std::string_view, 24> kGadgets = {"clonetransformer",
                                                       "forclosure",
                                                       "instantiatefactory",
                                                       "instantiatetransformer",
                                                       "invokertransformer",
                                                       "prototypeclonefactory",
                                                       "prototypeserializationfactory",
                                                       "whileclosure",
                                                       "chainedtransformer",
                                                       "constanttransformer",
                                                       "templatesimpl",
                                                       "jdbcrowsetimpl",
                                                       "badattributevalueexpexception",
                                                       "annotationinvocationhandler",
                                                       "beancomparator",
                                                       "classpathxmlapplicationcontext",
                                                       "filesystemxmlapplicationcontext",
                                                       "wrapperconnectionpooldatasource",
                                                       "jndirefforwardingdatasource",
                                                       "hexasciiserializedmap",
                                                       "scriptenginemanager",
                                                       "xmldecoder",
                                                       "unserializable-parents",
                                                       "methodclosure"};

bool name_char(char c) noexcept { return is_alnum(c) || c == '_' || c == '.' || c == '$'; }

class JavaExpressionAnalyzer final : public Analyzer {
 public:
  JavaExpressionAnalyzer() : rules_(make_rules("m_java", AttackType::kExpressionInjection, 5200, kRules)) {}

  std::string_view name() const noexcept override { return "java"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 5> kHints = {
        R"([$#%*@]\{|@[a-z0-9_.$]*\.[a-z0-9_.$]*@[a-z])",
        R"(java|processbuilder|runtime|getclass|forname|newinstance|unixprocess|processimpl|classloader|scriptengine|ognl|xwork|memberaccess)",
        R"(com\.sun|sun\.(misc|reflect|rmi)|jdk\.|opensymphony|org\.(apache|springframework|hibernate|codehaus|mozilla)|freemarker|groovy|bsh\.|com\.(mchange|thoughtworks)|weblogic)",
        R"(transformer|closure|instantiatefactory|clonefactory|serializationfactory|templatesimpl|rowsetimpl|attributevalueexp|invocationhandler|beancomparator|xmlapplicationcontext|pooldatasource|refforwarding|hexascii|xmldecoder|unserializable)",
        R"(class[.\[]|T\s*\(|\(#|#(context|parameters|attr|request|container|dm|ognlutil)|\\u0023)",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const Adder add{found, text.size()};
    read_lookups(text, add);
    read_names(text, context, add);
    read_ognl(text, add);
    read_expressions(text, add);
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  struct Adder {
    std::array<std::optional<Hit>, std::size(kRules)>& found;
    std::size_t size;
    void operator()(std::uint16_t rule, std::size_t begin, std::size_t end, const char* reason) const {
      if (found[rule]) return;
      found[rule] = Hit{rule, static_cast<std::uint32_t>(std::min(begin, size)),
                        static_cast<std::uint32_t>(std::min(end, size)), reason};
    }
  };

  static void read_lookups(std::string_view text, const Adder& add) {
    const std::size_t first = text.find("${");
    if (first == std::string_view::npos) return;
    const LookupReading reading = resolve_lookups(text.substr(first));
    const std::string_view resolved = reading.resolved;
    if (ifind(resolved, "${jndi:") != std::string_view::npos) {
      add(kJndi, first, text.size(), "A lookup that makes a Java program load an object from an address.");
      return;
    }
    for (std::size_t at = resolved.find("${"); at != std::string_view::npos;
         at = resolved.find("${", at + 2)) {
      std::size_t end = at + 2;
      while (end < resolved.size() && end - at < 32 && is_alnum(resolved[end])) ++end;
      if (end >= resolved.size() || resolved[end] != ':') continue;
      const LookupKind kind = lookup_kind(resolved.substr(at + 2, end - at - 2));
      const bool argument =
          end + 1 < resolved.size() && (is_alnum(resolved[end + 1]) || resolved[end + 1] == '/');
      if (kind == LookupKind::kCode && argument)
        add(kCodeLookup, first, text.size(), "A lookup that runs a script or fetches what it names.");
      if (kind == LookupKind::kRead && argument)
        add(kLookup, first, text.size(), "A lookup that reads the server's environment.");
    }
    // ${lower:x} or ${::-x}: lookups that only serve to hide something.
    if (text.find(":-") != std::string_view::npos && reading.nested &&
        text.find("${", first + 2) != std::string_view::npos) {
      add(kLookup, first, text.size(), "Lookups nested in each other, to put a name together.");
    } else if (ifind(text, "${lower:") != std::string_view::npos ||
               ifind(text, "${upper:") != std::string_view::npos ||
               text.find("${::-") != std::string_view::npos) {
      add(kLookup, first, text.size(), "A lookup that only serves to hide letters.");
    }
  }

  static void read_names(std::string_view text, const FieldContext& context, const Adder& add) {
    for (std::size_t at = 0; at < text.size();) {
      if (!is_alpha(text[at]) || (at > 0 && name_char(text[at - 1]) && text[at - 1] != '.')) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < text.size() && (name_char(text[at]) || text[at] == '-')) ++at;
      judge_name(text, begin, at, context, add);
    }
  }

  static void judge_name(std::string_view text, std::size_t begin, std::size_t end,
                         const FieldContext& context, const Adder& add) {
    const std::string_view name = text.substr(begin, end - begin);
    if (name.size() < 5 || name.size() > 256) return;
    // What calls and class references have around them, and lines of a stack trace have not.
    const char before = begin > 0 ? text[begin - 1] : '\0';
    const char after = end < text.size() ? text[end] : '\0';
    const bool whole = trim(text.substr(0, begin)).empty() && trim(text.substr(end)).empty();
    const bool member = before == '@' || before == '(' || before == '"' || before == '\'' || before == '>' ||
                        before == '=' || before == '{' || before == ' ';
    if (istarts_with(name, "class.") && (context.in_name || after == '=' || whole)) {
      if (ifind(name, "classloader") != std::string_view::npos || istarts_with(name, "class.module")) {
        add(kClassBinding, begin, end, "The parameter sets a property of the application's class loader.");
      }
    }
    const bool error =
        name.ends_with("Exception") || name.ends_with("Error") || name.ends_with("Exception.java");
    // java.lang.Runtime.getRuntime().exec, java.Runtime, ProcessBuilder
    const bool runs = ifind(name, "processbuilder") != std::string_view::npos ||
                      ifind(name, "getruntime") != std::string_view::npos ||
                      iequals(name, "java.lang.runtime") || iequals(name, "java.runtime") ||
                      ifind(name, "scriptenginemanager") != std::string_view::npos ||
                      ifind(name, "unixprocess") != std::string_view::npos ||
                      ifind(name, "processimpl") != std::string_view::npos;
    if (runs && (whole || after == '(' || after == ')' || after == '@' || after == '"' || after == '\'' ||
                 after == '<')) {
      add(kRunner, begin, end, "Java code that starts a process or a script engine.");
    }
    for (const std::string_view gadget : kGadgets) {
      const std::size_t found = ifind(name, gadget);
      if (found == std::string_view::npos) continue;
      if (text.find('\n') == std::string_view::npos || before == '"' || before == '\'' || before == '<' ||
          before == '>' || after == '"') {
        add(kGadgetName, begin, end, "A Java class that serves in chains of deserialisation gadgets.");
      }
      break;
    }
    if ((name.ends_with("forName") || name.ends_with("getClass") || iequals(name, "class.forname") ||
         name.ends_with("newInstance")) &&
        after == '(') {
      if (text.find('\n') == std::string_view::npos)
        add(kReflection, begin, end, "Java reflection, which reaches classes by their names.");
    }
    if (error || name.find('.') == std::string_view::npos) return;
    for (const std::string_view package : kPackages) {
      if (!istarts_with(name, package) || name.size() <= package.size() || harmless(name)) continue;
      if (whole || (before == '@' && after == '@')) {
        add(kClassName, begin, end,
            "The value is the name of a Java class that a client has no reason to send.");
      } else if (member && (before == '"' || before == '\'' || before == '>') &&
                 (after == before || after == '<') && context.location == Location::kBody &&
                 names_type(text, begin)) {
        add(kClassName, begin, end,
            "A type in the document is a Java class that a client has no reason to name.");
      }
      break;
    }
  }

  // class="…", "@type":"…", type: "…"
  static bool names_type(std::string_view text, std::size_t begin) noexcept {
    const std::string_view before =
        text.substr(begin > 24 ? begin - 24 : 0, std::min<std::size_t>(begin, 24));
    return ifind(before, "class") != std::string_view::npos ||
           ifind(before, "type") != std::string_view::npos;
  }

  static bool harmless(std::string_view name) noexcept {
    for (const std::string_view plain :
         {"java.lang.string", "java.lang.integer", "java.lang.long", "java.lang.boolean", "java.lang.double",
          "java.lang.object", "java.lang.float", "java.lang.number", "java.io.serializable",
          "java.sql.timestamp", "java.sql.date", "org.springframework.data.domain"}) {
      if (istarts_with(name, plain)) return true;
    }
    // A file or host: java.net.example.com, org.apache.commons.jar
    return name.ends_with(".jar") || name.ends_with(".com") || name.ends_with(".org") ||
           name.ends_with(".html");
  }

  static void read_ognl(std::string_view text, const Adder& add) {
    for (const std::string_view sign :
         {"#_memberaccess", "#context[", "#context.", "#parameters.", "#attr[", "#request[", "ognlcontext@",
          "ognl.ognl", "@ognl.", "#container=", "#ognlutil", "xwork2.action", "#dm=", "denymethodexecution",
          "allowstaticmethodaccess", "\\u0023", "(#"}) {
      const std::size_t at = ifind(text, sign);
      if (at == std::string_view::npos) continue;
      if (sign == "(#" || sign == "\\u0023") {
        // (#x=…) is OGNL's assignment; "(#1)" is prose.
        const std::size_t name = at + sign.size();
        std::size_t end = name;
        while (end < text.size() && end - name < 40 && (is_alnum(text[end]) || text[end] == '_')) ++end;
        if (end == name || is_digit(text[name]) || end >= text.size() ||
            (text[end] != '=' && text[end] != '.' && text[end] != '['))
          continue;
        if (text.find(')', end) == std::string_view::npos) continue;
      }
      add(kOgnl, at, at + sign.size(), "An OGNL expression that reaches the framework's context.");
      break;
    }
    // @java.lang.Runtime@getRuntime()
    for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
      std::size_t end = at + 1;
      bool dot = false;
      while (end < text.size() && end - at < 128 && name_char(text[end])) dot = text[end++] == '.' || dot;
      if (!dot || end + 1 >= text.size() || text[end] != '@' || !is_alpha(text[end + 1])) continue;
      std::size_t method = end + 1;
      while (method < text.size() && method - end < 64 && (is_alnum(text[method]) || text[method] == '_'))
        ++method;
      if (method < text.size() && (text[method] == '(' || text[method] == ')' || text[method] == '.')) {
        add(kOgnl, at, method, "An OGNL reference to a static member of a class.");
        break;
      }
    }
    // T(java.lang.Runtime), T (…)
    for (std::size_t at = text.find("T("); at != std::string_view::npos; at = text.find("T(", at + 2)) {
      if (at > 0 && is_alnum(text[at - 1])) continue;
      std::size_t end = at + 2;
      bool dot = false;
      while (end < text.size() && end - at < 128 && (name_char(text[end]) || text[end] == ' '))
        dot = text[end++] == '.' || dot;
      if (dot && end < text.size() && text[end] == ')' && end + 1 < text.size() &&
          (text[end + 1] == '.' || text[end + 1] == ')')) {
        add(kSpel, at, end, "A Spring expression that names a Java type.");
        break;
      }
    }
  }

  // ${a.b()} #{…} %{…} *{…}: a call of a method. Templates of web pages have it too.
  static void read_expressions(std::string_view text, const Adder& add) {
    std::size_t looked = 0;
    for (std::size_t at = text.find('{'); at != std::string_view::npos && looked < 64;
         at = text.find('{', at + 1)) {
      if (at == 0 || std::string_view("$#%*@").find(text[at - 1]) == std::string_view::npos) continue;
      ++looked;
      const std::string_view inner = text.substr(at + 1, 512);
      const std::size_t close = inner.find('}');
      if (close == std::string_view::npos) continue;
      const std::string_view body = inner.substr(0, close);
      const std::size_t call = body.find('(');
      if (ifind(body, ".class") != std::string_view::npos ||
          ifind(body, "getclass") != std::string_view::npos ||
          ifind(body, "['class']") != std::string_view::npos ||
          ifind(body, "\"class\"") != std::string_view::npos) {
        add(kReflection, at - 1, at + 1 + close, "An expression that reaches for the class of an object.");
      } else if (call != std::string_view::npos && call > 0 && is_alnum(body[call - 1]) &&
                 body.find('.') < call) {
        add(kCallInExpression, at - 1, at + 1 + close, "An expression that calls a method.");
      } else if (ifind(body, "applicationscope") != std::string_view::npos ||
                 ifind(body, "sessionscope") != std::string_view::npos ||
                 ifind(body, "pagecontext") != std::string_view::npos ||
                 ifind(body, "facescontext") != std::string_view::npos) {
        add(kReflection, at - 1, at + 1 + close,
            "An expression that reaches for the page's implicit objects.");
      }
    }
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_java_expression_analyzer() {
  return std::make_unique<JavaExpressionAnalyzer>();
}

}  // namespace wafd::detect
