// One walk over the names of a text: what each is to Java, and how it is referred to. OGNL: @class@member,
// #name (OGNL language guide); SpEL: T(class) (Spring Framework reference, "SpEL"); Struts and Spring set
// properties by parameter names (class.module.classLoader…).
#include <algorithm>
#include <array>

#include "detect/analyze/java/java_names.h"
#include "detect/analyze/java/java_rules.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxNameBytes = 256;

constexpr bool name_start(char c) noexcept { return is_alpha(c) || c == '_'; }

constexpr std::array<bool, 256> kNamePart = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    table[c] = is_alnum(ch) || ch == '_' || ch == '.' || ch == '$';
  }
  return table;
}();

struct Name {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view text;
  unsigned words = 0;  // a bit for each JavaWord in it
  JavaPackage package = JavaPackage::kNone;
  bool dotted = false;
  bool classy = false;  // a segment behind the first begins with a capital
  bool has(JavaWord word) const noexcept { return (words >> static_cast<unsigned>(word) & 1) != 0; }
};

constexpr bool one_of(char c, std::string_view set) noexcept { return c != '\0' && set.find(c) != set.npos; }

class Reader {
 public:
  Reader(std::string_view text, const FieldContext& context, FirstHits& found)
      : text_(text),
        context_(context),
        found_(found),
        lines_(text.find('\n') != std::string_view::npos),
        last_close_(text.rfind(')')) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) {
      if (is_digit(text_[at])) {  // what follows a digit at once is no name
        while (at < text_.size() && (is_alnum(text_[at]) || text_[at] == '_')) ++at;
        continue;
      }
      if (!name_start(text_[at])) {
        ++at;
        continue;
      }
      const Name name = read_name(at);
      at = name.end;
      judge(name);
    }
    if (reflections_ >= 2) {
      found_.add(kJavaReflection, reflection_begin_, reflection_end_,
                 "Java reflection, which reaches classes by their names.");
    } else if (reflections_ == 1) {
      found_.add(kJavaCallInExpression, reflection_begin_, reflection_end_, "A call of Java's reflection.");
    }
  }

 private:
  Name read_name(std::size_t begin) const noexcept {
    Name name;
    name.begin = begin;
    std::uint32_t whole = kWordHashSeed;
    std::uint32_t word = kWordHashSeed;
    std::size_t word_begin = begin;
    std::size_t at = begin;
    const auto close_word = [&] {
      name.words |= 1u << static_cast<unsigned>(java_word(text_.substr(word_begin, at - word_begin), word));
      if (word_begin > begin && word_begin < at && is_upper(text_[word_begin])) name.classy = true;
      word_begin = at + 1;
      word = kWordHashSeed;
    };
    const auto look_up_package = [&] {
      const JavaPackage package = java_package(text_.substr(begin, at - begin), whole);
      if (package != JavaPackage::kNone) name.package = package;
    };
    for (; at < text_.size() && kNamePart[octet(text_[at])]; ++at) {
      const char c = text_[at];
      if (c == '.' || c == '$') {
        close_word();
        if (c == '.') {
          name.dotted = true;
          // No name of Java begins with a digit.
          if (at - begin <= kMaxNameBytes && is_alpha(this->at(at + 1))) look_up_package();
        }
      } else {
        word = word_hash_step(word, c);
      }
      whole = word_hash_step(whole, c);
    }
    close_word();
    // The end of a sentence, of a statement.
    name.end = at;
    if (name.dotted && at - begin <= kMaxNameBytes) look_up_package();
    name.text = text_.substr(begin, at - begin);
    return name;
  }

  char at(std::size_t i) const noexcept { return i < text_.size() ? text_[i] : '\0'; }
  char before(std::size_t i) const noexcept { return i > 0 ? text_[i - 1] : '\0'; }
  std::size_t skip_spaces(std::size_t i) const noexcept {
    while (i < text_.size() && is_space(text_[i])) ++i;
    return i;
  }
  bool starts_text(std::size_t i) const noexcept {
    while (i > 0 && is_space(text_[i - 1])) --i;
    return i == 0;
  }

  void judge(const Name& name) {
    const char ahead = before(name.begin);
    const char behind = at(name.end);
    const bool plain =
        name.words == 1u << static_cast<unsigned>(JavaWord::kNone) && name.package == JavaPackage::kNone;
    if (ahead == '#') judge_variable(name, behind);
    if (ahead == '@' && behind == '@') judge_static(name);
    if (name.text == "T") judge_type(name);
    if (groovy(name, ahead, behind)) {
      found_.add(kJavaRunner, name.begin, name.end,
                 "Groovy that fetches code while it is compiled, or reaches the server that runs it.");
    }
    if (plain) return;
    const bool whole = starts_text(name.begin) && skip_spaces(name.end) >= text_.size();
    if (name.has(JavaWord::kRunner) || name.package == JavaPackage::kRuns)
      judge_runner(name, ahead, behind, whole);
    if (name.has(JavaWord::kGadget) && (!lines_ || one_of(ahead, "\"'<>") || behind == '"')) {
      found_.add(kJavaGadgetName, name.begin, name.end,
                 "A Java class that serves in chains of deserialisation gadgets.");
    }
    if (name.has(JavaWord::kReflection) && !lines_ && at(skip_spaces(name.end)) == '(') {
      ++reflections_;
      // One call on what another one gave is as telling as two.
      if (ifind(name.text, "getclass.") != std::string_view::npos || one_of(ahead, ")]'\"}")) ++reflections_;
      if (name.package != JavaPackage::kNone || istarts_with(name.text, "class.")) ++reflections_;
      if (ahead == '.' && (before(name.begin - 1) == ')' || one_of(before(name.begin - 1), "'\"]")))
        ++reflections_;
      reflection_begin_ = reflections_ == 1 ? name.begin : std::min(name.begin, reflection_begin_);
      reflection_end_ = name.end;
    }
    if (name.has(JavaWord::kOgnl) && (one_of(ahead, "#@.'\"(`") || one_of(behind, "=@([.'\"`") || whole)) {
      found_.add(kJavaOgnl, name.begin, name.end, "What takes the guards off OGNL expressions.");
    }
    if (name.has(JavaWord::kClass)) judge_binding(name, behind, whole);
    if (name.dotted && name.package != JavaPackage::kNone) judge_package(name, ahead, behind, whole);
  }

  void judge_runner(const Name& name, char ahead, char behind, bool whole) {
    whole = whole || (name.dotted && ahead == ';' && skip_spaces(name.end) >= text_.size());
    const bool referred = one_of(behind, "()@\"'<[") || (one_of(ahead, "\"'(@>") && behind != ' ');
    if (whole || referred) {
      // (ProcessBuilder.java:1128)
      const bool place = behind == ':' && name.text.ends_with(".java");
      if (place || is_frame(name)) return;
      found_.add(kJavaRunner, name.begin, name.end, "Java code that starts a process or a script engine.");
    }
  }

  // java.lang.ProcessBuilder.start(ProcessBuilder.java:1128), (Native Method): a frame of a stack, which
  // calls nothing.
  bool is_frame(const Name& name) const noexcept {
    if (at(name.end) != '(') return false;
    std::size_t end = name.end + 1;
    while (end < text_.size() && end - name.end < 96 && (is_alnum(text_[end]) || one_of(text_[end], "._$ ")))
      ++end;
    const std::string_view place = text_.substr(name.end + 1, end - name.end - 1);
    return at(end) == ':' ? place.ends_with(".java") || place.ends_with(".kt") || place.ends_with(".groovy")
                          : at(end) == ')' && (place == "Native Method" || place == "Unknown Source");
  }

  // @Grab('…') (Groovy, "Grape"); Jenkins.instance.x, Jenkins.get() (Jenkins' script console).
  bool groovy(const Name& name, char ahead, char behind) const noexcept {
    if (ahead == '@' && behind == '(') return name.text == "Grab" || name.text == "Grapes";
    if (ahead == '.' || !name.text.starts_with("Jenkins.")) return false;
    const std::string_view member = name.text.substr(8);
    const bool more = member.find('.') != std::string_view::npos && !file_or_host(name.text);
    return (behind == '(' && (more || member == "get" || member == "getInstance")) ||
           (more && member.starts_with("instance."));
  }

  // #context['x'], #parameters.cmd, (#a=…)
  void judge_variable(const Name& name, char behind) {
    constexpr WordSet kContext({"context", "parameters", "attr", "request", "session", "application", "root",
                                "this", "vars", "container", "stack", "action", "valuestack", "dm"});
    const std::size_t hash = name.begin - 1;
    const char ahead = before(hash);
    const std::size_t dot = name.text.find('.');
    const std::string_view first = name.text.substr(0, dot);
    if (behind == '[' && kContext.has(first) && one_of(at(name.end + 1), "'\"")) {
      found_.add(kJavaOgnl, hash, name.end, "An OGNL expression that reaches the framework's context.");
    }
    const bool expression = one_of(ahead, "({,=!&|");
    // %{#session}: nobody but OGNL writes it so.
    if (ahead == '{' && hash >= 2 && text_[hash - 2] == '%') {
      found_.add(kJavaOgnl, hash, name.end, "An OGNL expression that names what the framework holds.");
    }
    // #root.class.classLoader
    if (name.has(JavaWord::kLoader) && ifind(name.text, "class.") != std::string_view::npos) {
      found_.add(kJavaReflection, hash, name.end, "An expression that reaches for the class loader.");
    }
    if (!expression || last_close_ == std::string_view::npos || last_close_ < name.end) return;
    if (dot != std::string_view::npos && kContext.has(first)) {
      found_.add(kJavaOgnl, hash, name.end, "An OGNL expression that reaches the framework's context.");
    }
    if (ahead == '(' && (one_of(behind, "=[") || dot != std::string_view::npos)) {
      found_.add(kJavaOgnl, hash, name.end, "An OGNL expression that sets or uses a variable.");
    }
  }

  // @java.lang.Runtime@getRuntime()
  void judge_static(const Name& name) {
    if (!name.dotted || name.text.back() == '.') return;
    std::size_t method = name.end + 1;
    if (!name_start(at(method))) return;
    while (method < text_.size() && method - name.end < 64 &&
           (is_alnum(text_[method]) || text_[method] == '_'))
      ++method;
    // @john.doe@host: classes begin with a capital (Java Language Specification 6.1).
    if (!name.classy && name.package == JavaPackage::kNone) return;
    if (one_of(at(method), "().[,}") || (name.package != JavaPackage::kNone && method >= text_.size())) {
      found_.add(kJavaOgnl, name.begin - 1, method, "An OGNL reference to a static member of a class.");
    }
  }

  // T(java.lang.Runtime).x, T (String[])
  void judge_type(const Name& name) {
    std::size_t open = skip_spaces(name.end);
    if (at(open) != '(') return;
    open = skip_spaces(open + 1);
    if (!name_start(at(open))) return;
    const Name type = read_name(open);
    std::size_t close = type.end;
    while (close < text_.size() && close - type.end < 16 && one_of(text_[close], "[] \t")) ++close;
    if (at(close) != ')') return;
    constexpr WordSet kImported({"runtime", "system", "class", "thread", "processbuilder", "classloader"});
    const bool member = one_of(at(close + 1), ".)},");
    const bool known = type.package != JavaPackage::kNone ||
                       (type.dotted && type.classy && is_lower(text_[open]) && type.text.find('.') > 1);
    if ((known && (member || close + 1 >= text_.size())) ||
        (kImported.has(type.text) && at(close + 1) == '.' && is_upper(text_[open]))) {
      found_.add(kJavaSpel, name.begin, close + 1, "A Spring expression that names a Java type.");
    }
  }

  // class.module.classLoader, class['classLoader'], top['class']['module']
  void judge_binding(const Name& name, char behind, bool whole) {
    const char* const reason = "The parameter sets a property of the application's class loader.";
    const bool parameter = context_.in_name || behind == '=' || whole || indexed(name.end);
    if (name.has(JavaWord::kLoader) && parameter) {
      const std::size_t cls = ifind(name.text, "class.");
      if (cls != std::string_view::npos && (cls == 0 || name.text[cls - 1] == '.') &&
          leads_to_loader(name.text.substr(cls + 6))) {
        found_.add(kJavaClassBinding, name.begin, name.end, reason);
        return;
      }
    }
    if (name.text.size() < 5 || !iequals(name.text.substr(name.text.size() - 5), "class")) return;
    std::size_t next = name.end;
    if (one_of(behind, "'\"") && one_of(before(name.begin), "'\"")) ++next;
    if (next > name.end && at(next) == ']') ++next;
    while (next < text_.size() && next - name.end < 8 && one_of(text_[next], "[]'\".")) ++next;
    if (next == name.end || !name_start(at(next))) return;
    if (leads_to_loader(text_.substr(next, 32)))
      found_.add(kJavaClassBinding, name.begin, read_name(next).end, reason);
  }

  // URLs[0], URLs[0]=…
  bool indexed(std::size_t open) const noexcept {
    if (at(open) != '[') return false;
    std::size_t close = open + 1;
    while (close - open < 8 && is_digit(at(close))) ++close;
    return close > open + 1 && at(close) == ']' && (close + 1 >= text_.size() || one_of(at(close + 1), "=."));
  }

  static bool leads_to_loader(std::string_view property) noexcept {
    return istarts_with(property, "classloader") || istarts_with(property, "module") ||
           istarts_with(property, "protectiondomain");
  }

  void judge_package(const Name& name, char ahead, char behind, bool whole) {
    if (one_of(text_[name.end - 1], ".") || file_or_host(name.text)) return;
    const bool error = name.text.ends_with("Exception") || name.text.ends_with("Error");
    if (error) return;
    const bool inner = name.package == JavaPackage::kInner || name.package == JavaPackage::kRuns;
    const bool attack = inner || (name.package == JavaPackage::kLibrary && name.classy) ||
                        (whole && (runs_whatever_package(name.text) || value_of_no_type(name)));
    const bool quoted = (one_of(ahead, "\"'") && behind == ahead) || (ahead == '>' && behind == '<');
    if (whole || (ahead == '@' && behind == '@')) {
      if (attack) {
        found_.add(kJavaClassName, name.begin, name.end,
                   "The value is the name of a Java class that a client has no reason to send.");
      } else {
        found_.add(kJavaAnyClass, name.begin, name.end, "The value is the name of a Java class.");
      }
      return;
    }
    if (attack && quoted && context_.location == Location::kBody && names_type(name.begin)) {
      found_.add(kJavaClassName, name.begin, name.end,
                 "A type in the document is a Java class that a client has no reason to name.");
      return;
    }
    if (attack && behind == '(' && !lines_ && made_new(name.begin)) {
      found_.add(kJavaReflection, name.begin, name.end,
                 "An expression makes an object of an inner Java class.");
      return;
    }
    if (attack && !lines_ && (quoted || one_of(behind, "()@'\"") || one_of(ahead, "(@"))) {
      found_.add(kJavaAnyClass, name.begin, name.end, "The text refers to a Java class.");
    }
  }

  // java.x.runtime: filters of packages are tried with packages that do not exist.
  static bool runs_whatever_package(std::string_view name) noexcept {
    constexpr WordSet kRunners({"runtime", "processbuilder"});
    return name.starts_with("java.") && kRunners.has(name.substr(name.rfind('.') + 1));
  }

  // java.lang.Integer, where the parameter is not said to hold a type (javaType, valueClass, @class).
  bool value_of_no_type(const Name& name) const noexcept {
    return name.classy && name.text.starts_with("java.lang.") &&
           (context_.in_name || (ifind(context_.name, "type") == std::string_view::npos &&
                                 ifind(context_.name, "class") == std::string_view::npos));
  }

  // "new" stands before it.
  bool made_new(std::size_t begin) const noexcept {
    std::size_t end = begin;
    while (end > 0 && is_space(text_[end - 1])) --end;
    return end >= 3 && end < begin && iequals(text_.substr(end - 3, 3), "new") &&
           (end == 3 || !is_alnum(text_[end - 4]));
  }

  // class="…", "@type":"…", type: "…"
  bool names_type(std::size_t begin) const noexcept {
    const std::size_t size = std::min<std::size_t>(begin, 24);
    const std::string_view ahead = text_.substr(begin - size, size);
    return ifind(ahead, "class") != std::string_view::npos || ifind(ahead, "type") != std::string_view::npos;
  }

  // java.net.example.com, org.apache.commons.jar
  static bool file_or_host(std::string_view name) noexcept {
    constexpr WordSet kEndings({"jar", "com",  "org",        "html", "htm", "js",  "css",
                                "php", "png",  "jpg",        "svg",  "zip", "md",  "txt",
                                "xml", "json", "properties", "dev",  "edu", "info"});
    return kEndings.has(name.substr(name.rfind('.') + 1));
  }

  std::string_view text_;
  const FieldContext& context_;
  FirstHits& found_;
  bool lines_;
  std::size_t last_close_;
  unsigned reflections_ = 0;
  std::size_t reflection_begin_ = 0;
  std::size_t reflection_end_ = 0;
};

}  // namespace

void read_java_references(std::string_view text, const FieldContext& context, FirstHits& found) {
  Reader(text, context, found).run();
}

}  // namespace wafd::detect
