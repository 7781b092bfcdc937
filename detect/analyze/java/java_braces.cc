// Expressions in braces: EL (Jakarta Expression Language), SpEL, OGNL, MVEL, JEXL, Thymeleaf. Templates of
// web pages have braces too, so it is what the expression reaches for that counts.
#include "detect/analyze/java/java_rules.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxLooked = 64;
constexpr std::size_t kMaxBodyBytes = 512;

bool has_any(std::string_view body, std::initializer_list<std::string_view> words) noexcept {
  for (const std::string_view word : words) {
    if (ifind(body, word) != std::string_view::npos) return true;
  }
  return false;
}

// EL 3.0, 1.6 and JSP 2.3, 2.2.3: the implicit objects that lead out of a page.
bool implicit_object(std::string_view body) noexcept {
  constexpr WordSet kObjects({"pagecontext", "pagescope", "requestscope", "sessionscope", "applicationscope",
                              "initparam", "facescontext", "externalcontext", "systemproperties",
                              "systemenvironment", "servletcontext", "httpservletrequest"});
  for (std::size_t at = 0; at < body.size();) {
    if (!is_alpha(body[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < body.size() && (is_alnum(body[at]) || body[at] == '_')) ++at;
    if (kObjects.has(body.substr(begin, at - begin))) return true;
  }
  return false;
}

// name(…), a.b.name(…), 'x'.name(…)
bool calls_method(std::string_view body) noexcept {
  const std::size_t open = body.find('(');
  if (open == std::string_view::npos || open == 0 || !is_alnum(body[open - 1])) return false;
  bool dot = false;
  for (const char c : body.substr(0, open)) {
    if (!is_alnum(c) && c != '_' && c != '.' && c != '\'' && c != '"' && c != '#' && c != '@') return false;
    dot = dot || c == '.';
  }
  return dot && body.find(')', open) != std::string_view::npos;
}

// #{session.setAttribute('a','b')}
bool framework_object(std::string_view body) noexcept {
  constexpr WordSet kObjects({"session", "request", "response", "application"});
  const std::size_t dot = body.find('.');
  return dot != std::string_view::npos && kObjects.has(body.substr(0, dot)) &&
         body.substr(dot, 5).find_first_of("sgia") != std::string_view::npos;
}

}  // namespace

void read_java_braces(std::string_view text, FirstHits& found) {
  std::size_t looked = 0;
  for (std::size_t at = text.find('{'); at != std::string_view::npos && looked < kMaxLooked;
       at = text.find('{', at + 1)) {
    if (at == 0 || std::string_view("$#%*@").find(text[at - 1]) == std::string_view::npos) continue;
    ++looked;
    const std::string_view inner = text.substr(at + 1, kMaxBodyBytes);
    const std::size_t close = inner.find('}');
    if (close == std::string_view::npos) continue;
    const std::string_view body = inner.substr(0, close);
    if (has_any(body, {".class", "getclass", "['class']", "\"class\""})) {
      found.add(kJavaReflection, at - 1, at + 2 + close,
                "An expression that reaches for the class of an object.");
    } else if (implicit_object(body)) {
      found.add(kJavaReflection, at - 1, at + 2 + close,
                "An expression that reaches for the page's implicit objects.");
    } else if (calls_method(body) && framework_object(body)) {
      found.add(kJavaReflection, at - 1, at + 2 + close,
                "An expression that calls a method of the request, the session or the application.");
    } else if (calls_method(body)) {
      found.add(kJavaCallInExpression, at - 1, at + 2 + close, "An expression that calls a method.");
    }
  }
}

}  // namespace wafd::detect
