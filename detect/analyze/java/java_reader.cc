#include "detect/analyze/java/java_reader.h"

#include <algorithm>

#include "detect/analyze/java/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::java {
namespace {

constexpr std::size_t kMaxGapBytes = 32;
constexpr std::size_t kMaxNameBytes = 256;

bool name_start(char c) noexcept { return is_alpha(c) || c == '_'; }
bool one_of(char c, std::string_view set) noexcept {
  return c != '\0' && set.find(c) != std::string_view::npos;
}
Use use_of(std::string_view word) noexcept {
  const WordRow* row = kWords.find(word);
  return row == nullptr ? Use::kNone : row->use;
}
std::string_view last_word(std::string_view name) noexcept { return name.substr(name.rfind('.') + 1); }

// java.net.example.com, org.apache.commons.jar
bool file_or_host(std::string_view name) noexcept {
  for (const std::string_view ending :
       {"jar", "com", "org", "net", "html", "htm",  "js",         "css", "php", "png", "jpg",
        "svg", "zip", "md",  "txt", "xml",  "json", "properties", "dev", "edu", "info"}) {
    if (iequals(last_word(name), ending)) return true;
  }
  return false;
}

bool leads_to_loader(std::string_view property) noexcept {
  return istarts_with(property, "classloader") || istarts_with(property, "module") ||
         istarts_with(property, "protectiondomain");
}

}  // namespace

JavaReader::JavaReader(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept
    : text_(text),
      context_(context),
      out_(out),
      last_close_(text.rfind(')')),
      braced_(text.find("%{") != std::string_view::npos || text.find("${") != std::string_view::npos ||
              text.find("#{") != std::string_view::npos || text.find("(#") != std::string_view::npos) {}

void JavaReader::run() {
  for (std::size_t i = 0; i < text_.size();) {
    if (is_digit(text_[i])) {  // what follows a digit at once is no name
      while (i < text_.size() && is_name_byte(text_[i])) ++i;
    } else if (name_start(text_[i])) {
      const Name name = read_name(text_, i);
      i = name.end;
      if (name.text.size() <= kMaxNameBytes) read(name);
    } else {
      ++i;
    }
  }
}

std::size_t JavaReader::skip(std::size_t i) const noexcept {
  const std::size_t limit = std::min(text_.size(), i + kMaxGapBytes);
  while (i < limit && is_space(text_[i])) ++i;
  return i;
}
bool JavaReader::starts_text(std::size_t i) const noexcept {
  const std::size_t limit = i > kMaxGapBytes ? i - kMaxGapBytes : 0;
  while (i > limit && is_space(text_[i - 1])) --i;
  return i == 0;
}
bool JavaReader::whole(const Name& name) const noexcept {
  return starts_text(name.begin) && skip(name.end) >= text_.size();
}
void JavaReader::add(JavaEvidence kind, Certainty certainty, std::size_t begin, std::size_t end,
                     std::string_view name) {
  end = std::min(end, text_.size());
  out_.add(kind, certainty, begin, end, name.empty() ? text_.substr(begin, end - begin) : name);
}

void JavaReader::read(const Name& name) {
  const char ahead = before(name.begin);
  const char behind = at(name.end);
  if (ahead == '#') read_variable(name);
  if (ahead == '@' && behind == '@') read_static(name);
  if (name.text == "T") read_type(name);
  read_groovy(name);
  if (name.words == Use::kNone && name.reach == Reach::kNone) return;
  if (is_frame(name) || (behind == ':' && name.text.ends_with(".java"))) return;
  if (name.has(Use::kRunner) || name.reach == Reach::kRuns) read_runner(name);
  if (name.has(Use::kGadget))
    add(JavaEvidence::kGadget, Certainty::kCertain, name.begin, name.end, name.text);
  if (name.has(Use::kReflection) && at(skip(name.end)) == '(') read_reflection(name);
  if (name.has(Use::kOgnl) && (one_of(ahead, "#@.'\"(`") || one_of(behind, "=@([.'\"`") || whole(name)))
    add(JavaEvidence::kOgnl, Certainty::kCertain, name.begin, name.end, name.text);
  if (name.has(Use::kKlass)) read_binding(name);
  // #{session.setAttribute('a','b')}: a member of the page's objects that gets, sets or invalidates.
  if (meets(name.first, Use::kPage) && name.dotted && behind == '(' && ahead == '{' && name.begin >= 2 &&
      one_of(text_[name.begin - 2], "$#%*") && one_of(to_lower(last_word(name.text).front()), "sgia"))
    add(JavaEvidence::kReflects, Certainty::kCertain, name.begin, name.end, name.text);
  if (name.dotted && name.reach != Reach::kNone) read_package(name);
}

// #context['x'], #parameters.cmd, (#a=…)
void JavaReader::read_variable(const Name& name) {
  const std::size_t hash = name.begin - 1;
  const char ahead = before(hash);
  const char behind = at(name.end);
  const bool context = meets(name.first, Use::kContext);
  // %{#session}: nobody but OGNL writes it so.
  const bool braced = ahead == '{' && hash >= 2 && text_[hash - 2] == '%';
  const bool member = behind == '[' && context && one_of(at(name.end + 1), "'\"");
  if (braced || member) add(JavaEvidence::kOgnl, Certainty::kCertain, hash, name.end);
  // #root.class.classLoader
  if (name.has(Use::kLoader) && ifind(name.text, "class.") != std::string_view::npos)
    add(JavaEvidence::kReflects, Certainty::kCertain, hash, name.end);
  if (!one_of(ahead, "({,=!&|") || last_close_ == std::string_view::npos || last_close_ < name.end) return;
  if ((name.dotted && context) || (ahead == '(' && (one_of(behind, "=[") || name.dotted)))
    add(JavaEvidence::kOgnl, Certainty::kCertain, hash, name.end);
}

// @java.lang.Runtime@getRuntime()
void JavaReader::read_static(const Name& name) {
  if (!name.dotted || name.text.back() == '.' || !name_start(at(name.end + 1))) return;
  const Name member = read_name(text_, name.end + 1);
  // @john.doe@host: classes begin with a capital (Java Language Specification 6.1).
  if (name.reach == Reach::kNone && !(name.classy && braced_)) return;
  const bool used = one_of(at(member.end), "()[,}") || member.dotted;
  if (used || (name.reach != Reach::kNone && member.end >= text_.size()))
    add(JavaEvidence::kOgnl, Certainty::kCertain, name.begin - 1, member.end);
}

// T(java.lang.Runtime).x, T (String[])
void JavaReader::read_type(const Name& name) {
  const std::size_t open = one_of(at(name.end), " \t\n") ? name.end + 1 : name.end;
  const std::size_t begin = skip(open + 1);
  if (at(open) != '(' || !name_start(at(begin))) return;
  const Name type = read_name(text_, begin);
  std::size_t close = type.end;
  while (close < text_.size() && close - type.end < 16 && one_of(text_[close], "[] \t")) ++close;
  if (at(close) != ')') return;
  const bool member = one_of(at(close + 1), ".)},");
  const bool known = type.reach != Reach::kNone ||
                     (type.dotted && type.classy && is_lower(text_[begin]) && type.text.find('.') > 1);
  const bool imported = meets(use_of(type.text), Use::kImported) && is_upper(text_[begin]);
  if ((known && (member || close + 1 >= text_.size())) || (imported && at(close + 1) == '.'))
    add(JavaEvidence::kNamesType, Certainty::kCertain, name.begin, close + 1, type.text);
}

// "id".execute(), ['sh','-c','id'].execute(); @Grab('…') (Grape); Jenkins.instance.x (Jenkins' script
// console)
void JavaReader::read_groovy(const Name& name) {
  const char ahead = before(name.begin);
  const char behind = at(name.end);
  if (ahead == '.') {
    const std::size_t dot = name.begin - 1;
    const bool literal =
        one_of(before(dot), "'\"") || (before(dot) == ']' && dot >= 2 && one_of(text_[dot - 2], "'\""));
    if (literal && behind == '(' && name.text == "execute")
      add(JavaEvidence::kRuns, Certainty::kCertain, dot - 1, name.end, name.text);
    return;
  }
  if (ahead == '@' && behind == '(' && (name.text == "Grab" || name.text == "Grapes")) {
    add(JavaEvidence::kRuns, Certainty::kCertain, name.begin, name.end, name.text);
    return;
  }
  // Runtime.runtime is Groovy's Runtime.getRuntime(); Eval runs a text as Groovy.
  if (behind == '(' && (name.text.starts_with("Runtime.runtime.") || name.text == "Eval.me" ||
                        name.text == "Eval.x" || name.text == "Eval.xy" || name.text == "Eval.xyz")) {
    add(JavaEvidence::kRuns, Certainty::kCertain, name.begin, name.end, name.text);
    return;
  }
  if (!name.text.starts_with("Jenkins.")) return;
  const std::string_view member = name.text.substr(8);
  const bool more = member.find('.') != std::string_view::npos && !file_or_host(name.text);
  if ((behind == '(' && (more || member == "get" || member == "getInstance")) ||
      (more && member.starts_with("instance.")))
    add(JavaEvidence::kRuns, Certainty::kCertain, name.begin, name.end, name.text);
}

// java.lang.ProcessBuilder.start(ProcessBuilder.java:1128), (Native Method): a frame of a stack, which calls
// nothing.
bool JavaReader::is_frame(const Name& name) const noexcept {
  if (at(name.end) != '(') return false;
  const std::size_t limit = std::min(text_.size(), name.end + 96);
  std::size_t end = name.end + 1;
  while (end < limit && (is_name_byte(text_[end]) || one_of(text_[end], ".$ "))) ++end;
  const std::string_view place = text_.substr(name.end + 1, end - name.end - 1);
  if (at(end) == ')') return place == "Native Method" || place == "Unknown Source";
  return at(end) == ':' && (place.ends_with(".java") || place.ends_with(".kt") ||
                            place.ends_with(".groovy") || place.ends_with(".scala"));
}

// Runtime.getRuntime().availableProcessors(): what programs ask of the machine (JDK, java.lang.Runtime).
bool JavaReader::asks_of_machine(const Name& name) const noexcept {
  static constexpr WordSet kQuestions(
      {"availableprocessors", "freememory", "gc", "maxmemory", "totalmemory"});
  if (last_word(name.text) != "getRuntime" || text_.substr(name.end, 3) != "().") return false;
  const std::size_t begin = name.end + 3;
  const Name member = read_name(text_, begin);
  return at(member.end) == '(' && at(member.end + 1) == ')' && kQuestions.has(member.text);
}

// Class.forName("org.shop.Driver"): a class of no package that is known to lead anywhere, and nothing is
// asked of it.
bool JavaReader::loads_own_class(const Name& name) const noexcept {
  if (name.text != "Class.forName" || at(name.end) != '(' || !one_of(at(name.end + 1), "\"'")) return false;
  const std::size_t begin = name.end + 2;
  if (!name_start(at(begin))) return false;
  const Name type = read_name(text_, begin);
  return type.dotted && type.classy && type.reach == Reach::kNone && !istarts_with(type.text, "java") &&
         at(type.end) == at(name.end + 1) && at(type.end + 1) == ')' &&
         !one_of(at(skip(type.end + 2)), ".[)}");
}

void JavaReader::read_runner(const Name& name) {
  const char ahead = before(name.begin);
  const char behind = at(name.end);
  const bool all = whole(name) || (name.dotted && ahead == ';' && skip(name.end) >= text_.size());
  if (asks_of_machine(name)) return;
  if (one_of(behind, "(@[") || all)
    add(JavaEvidence::kRuns, Certainty::kCertain, name.begin, name.end, name.text);
  else if (one_of(behind, ")\"'<") || (one_of(ahead, "\"'(@>") && behind != ' '))
    add(JavaEvidence::kRuns, Certainty::kLikely, name.begin, name.end, name.text);
}

// Two calls of reflection, or one on what another call, a literal or a class gives.
void JavaReader::read_reflection(const Name& name) {
  const char ahead = before(name.begin);
  const bool joined = one_of(ahead, ")]'\"}") || (ahead == '.' && one_of(before(name.begin - 1), ")]'\"")) ||
                      ifind(name.text, "getclass.") != std::string_view::npos || name.reach != Reach::kNone ||
                      istarts_with(name.text, "class.");
  const bool second = reflection_ != static_cast<std::size_t>(-1) && name.begin - reflection_ < kMaxNameBytes;
  const bool telling = (joined && !loads_own_class(name)) || second;
  add(JavaEvidence::kReflects, telling ? Certainty::kCertain : Certainty::kPossible,
      second ? reflection_ : name.begin, name.end, name.text);
  reflection_ = name.begin;
}

// URLs[0], URLs[0]=…
bool JavaReader::indexed(std::size_t open) const noexcept {
  if (at(open) != '[') return false;
  std::size_t close = open + 1;
  while (close - open < 8 && is_digit(at(close))) ++close;
  return close > open + 1 && at(close) == ']' && (close + 1 >= text_.size() || one_of(at(close + 1), "=."));
}

// class.module.classLoader, class['classLoader'], top['class']['module']
void JavaReader::read_binding(const Name& name) {
  const char behind = at(name.end);
  const bool parameter = context_.in_name || behind == '=' || whole(name) || indexed(name.end);
  if (name.has(Use::kLoader) && parameter) {
    const std::size_t cls = ifind(name.text, "class.");
    if (cls != std::string_view::npos && (cls == 0 || name.text[cls - 1] == '.') &&
        leads_to_loader(name.text.substr(cls + 6))) {
      add(JavaEvidence::kBindsLoader, Certainty::kCertain, name.begin, name.end);
      return;
    }
  }
  if (!iequals(last_word(name.text), "class")) return;
  std::size_t next = name.end;
  while (next < text_.size() && next - name.end < 8 && one_of(text_[next], "[]'\".")) ++next;
  const std::string_view joint = text_.substr(name.end, next - name.end);
  if (joint.find_first_of("[]") == std::string_view::npos || !name_start(at(next))) return;
  if (leads_to_loader(text_.substr(next, 32)))
    add(JavaEvidence::kBindsLoader, Certainty::kCertain, name.begin, read_name(text_, next).end);
}

bool JavaReader::made_new(std::size_t begin) const noexcept {
  std::size_t end = begin;
  while (end > 0 && begin - end < kMaxGapBytes && is_space(text_[end - 1])) --end;
  return end >= 3 && end < begin && iequals(text_.substr(end - 3, 3), "new") &&
         (end == 3 || !is_name_byte(text_[end - 4]));
}

// class="…", "@type":"…", type: "…"
bool JavaReader::names_type(std::size_t begin) const noexcept {
  const std::size_t size = std::min<std::size_t>(begin, 24);
  const std::string_view ahead = text_.substr(begin - size, size);
  return ifind(ahead, "class") != std::string_view::npos || ifind(ahead, "type") != std::string_view::npos;
}

// java.lang.Integer, where the parameter is not said to hold a type (javaType, valueClass, @class).
bool JavaReader::value_of_no_type(const Name& name) const noexcept {
  return name.classy && istarts_with(name.text, "java.lang.") &&
         (context_.in_name || (ifind(context_.name, "type") == std::string_view::npos &&
                               ifind(context_.name, "class") == std::string_view::npos));
}

void JavaReader::read_package(const Name& name) {
  if (name.text.back() == '.' || file_or_host(name.text)) return;
  if (name.text.ends_with("Exception") || name.text.ends_with("Error")) return;
  const char ahead = before(name.begin);
  const char behind = at(name.end);
  const std::string_view last = last_word(name.text);
  // java.x.runtime: filters of packages are tried with packages that do not exist.
  const bool tried =
      istarts_with(name.text, "java.") && (iequals(last, "runtime") || iequals(last, "processbuilder"));
  // java.lang as such is a name of a package, as search phrases and settings have it.
  const bool platform = istarts_with(name.text, "java");
  const bool attack = name.reach == Reach::kRuns || (name.reach == Reach::kInner && !platform) ||
                      ((name.reach == Reach::kInner || name.reach == Reach::kLibrary) && name.classy);
  if (whole(name) || (ahead == '@' && behind == '@')) {
    const bool odd = attack || tried || value_of_no_type(name);
    add(odd ? JavaEvidence::kAttackClass : JavaEvidence::kAnyClass, Certainty::kCertain, name.begin, name.end,
        name.text);
    return;
  }
  const bool quoted = (one_of(ahead, "\"'") && behind == ahead) || (ahead == '>' && behind == '<');
  if (!attack) return;
  if (quoted && context_.location == Location::kBody && names_type(name.begin)) {
    add(JavaEvidence::kAttackClass, Certainty::kLikely, name.begin, name.end, name.text);
  } else if (behind == '(' && made_new(name.begin)) {
    add(JavaEvidence::kReflects, Certainty::kLikely, name.begin, name.end, name.text);
  } else if (quoted || one_of(behind, "()@'\"") || one_of(ahead, "(@")) {
    add(JavaEvidence::kRefers, Certainty::kPossible, name.begin, name.end, name.text);
  }
}

}  // namespace wafd::detect::java
