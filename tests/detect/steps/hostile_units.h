// Texts made to be slow, and how many steps an analyser makes on one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyzers.h"
#include "tests/detect/steps/step_count.h"

namespace wafd::detect {

// Openings that are never closed, names that never end, and words that make an analyser look on: repeated,
// each invites to read the rest of the text again from everywhere.
inline constexpr const char* kHostileUnits[] = {
    // shells
    ";", "`", "$(", "'", "\"", "\"$(", "${", "a;", "&&cat ", "if x ", "for %a ", "<", ">x.php ", "$a ", "\\",
    "^a", "() {", "cat /", "*", "/?", ";cat \"", ";id '", "(){", "{id,", "\n", "\na1 uid ", "x=;$x ", "`cat ",
    ";.shell ", "a b c `id` ", "\ngit x|id;", "${a:0:1}\n", "$(<a) ", "&('a')", " -exec id", "for a; do id;",
    "cat<a;", "<<a\n", "echo a|", "%a% ", "[char]9+", "|id&&", ";(id)", "x `id` ",
    // HTML and script
    "<a ", "<a<", "'\\'", "/[", "[", "(", "<style>", "<script>", " onx=", " onload=", ";\t",
    "a:", "t:", "data:", "url(", "\xbcscript ", "[]+", "alert ", "\\u0", "<x:", "document.", "a[(", "{{",
    "a[\"b\"+", "javascript:", "`${", "<!--", "/*", "&#x6a", "a=>", "</", "+ADw-",
    // server code
    "${lower:", "<%", "<?", "@", "T(", "O:1:\"", "$a[", "('", "$", "{", "a.b.", "@type", "__proto__",
    "constructor", "constructor.prototype,", "Object.prototype.", "$1:", "<!-- #", "@{[", "#{a(",
    "java.lang.", "f(", "<?php $a.", "rO0AB", "{%a", "a{\"b\":", "open(my $f,'a') <$g> ", "open a,'b';<c> ",
    "open f,'a' <f", "sleep(", "spawn('",
    // query languages
    "select ", "union all ", "a or ", "1=1 and ", "/*!", "--\n", "case when ", "concat(", "0x61 ", "(select ",
    ";exec ", "(&(", "(|(a=*", "or '1'='", "$where:", "{\"$ne\":", "//a[", "||", "n'", "q'[", "e'\\",
    // paths, addresses, lines, uploads
    "../", "..%2f", "http://", "http://1.", "file:", "php://filter/", ".php.", "%0d%0a",
    "\r\nSet-Cookie:", "<!ENTITY a ", "<!DOCTYPE ", "%a;", "\r\nRCPT TO:", "=cmd|", "a@", "\x01", "\xff\xfe"};

inline std::string repeated(std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) text += unit;
  return text;
}

inline std::uint64_t steps_of(const Analyzer& analyzer, const std::string& text) {
  std::pmr::monotonic_buffer_resource memory;
  FieldContext context;
  context.location = Location::kBody;
  context.memory = &memory;
  std::vector<Hit> hits;
  const std::uint64_t before = steps_so_far();
  analyzer.analyze(text, context, hits);
  return steps_so_far() - before;
}

}  // namespace wafd::detect
