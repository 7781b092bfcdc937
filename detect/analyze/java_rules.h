// Findings of the Java analyser: its rules, and what each of its readers adds to. The readers are linear in
// the text and see the same text one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "detect/analyze/analyzer.h"

namespace wafd::detect {

enum JavaRule : std::uint16_t {
  kJavaJndi,
  kJavaLookup,
  kJavaCodeLookup,
  kJavaRunner,
  kJavaOgnl,
  kJavaSpel,
  kJavaReflection,
  kJavaClassName,
  kJavaGadgetName,
  kJavaCallInExpression,
  kJavaClassBinding,
  kJavaAnyClass,
  kJavaHiddenGadget,
  kJavaRuleCount,
};

// At most one hit of each rule: the first.
struct JavaFound {
  explicit JavaFound(std::size_t text_size) : size(text_size) {}

  void add(JavaRule rule, std::size_t begin, std::size_t end, const char* reason) {
    if (hits[rule]) return;
    hits[rule] = Hit{rule, static_cast<std::uint32_t>(std::min(begin, size)),
                     static_cast<std::uint32_t>(std::min(end, size)), reason};
  }

  std::size_t size;
  std::array<std::optional<Hit>, kJavaRuleCount> hits;
};

// ${jndi:…} and other lookups of Log4j and Commons Text (java_lookups.cc).
void read_java_lookups(std::string_view text, const FieldContext& context, JavaFound& found);

// Names of classes and members, and the references of OGNL and SpEL to them (java_references.cc).
void read_java_references(std::string_view text, const FieldContext& context, JavaFound& found);

// ${…} #{…} %{…} *{…} @{…}: what the expression inside reaches for (java_braces.cc).
void read_java_braces(std::string_view text, JavaFound& found);

// Class names of chains inside of base64 text, at each of the three alignments (java_base64.cc).
void read_java_base64(std::string_view text, JavaFound& found);

// The literals of which one is in every text where read_java_base64() finds something.
std::vector<std::string> java_base64_literals();

}  // namespace wafd::detect
