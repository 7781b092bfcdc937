// Findings of the Java analyser: its rules, and what each of its readers adds to. The readers are linear in
// the text and see the same text one after the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/base/writing.h"

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
  kJavaShownCode,
  kJavaRuleCount,
};

// ${jndi:…} and other lookups of Log4j and Commons Text (java_lookups.cc).
void read_java_lookups(std::string_view text, const FieldContext& context, FirstHits& found);

// Names of classes and members, and the references of OGNL and SpEL to them (java_references.cc).
void read_java_references(std::string_view text, const FieldContext& context, FirstHits& found);

// ${…} #{…} %{…} *{…} @{…}: what the expression inside reaches for (java_braces.cc).
void read_java_braces(std::string_view text, FirstHits& found);

// Class names of chains inside of base64 text, at each of the three alignments (java_base64.cc).
void read_java_base64(std::string_view text, FirstHits& found);

// The literals of which one is in every text where read_java_base64() finds something.
std::vector<std::string> java_base64_literals();

}  // namespace wafd::detect
