// Where evidence stands, as the judgement's rows ask for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "detect/analyze/base/analyzer.h"
#include "detect/judge/document.h"
#include "detect/judge/judgement.h"

namespace wafd::detect {

// Lives for the evidence of one text; both arguments must outlive it. What is costly to know is read when
// first asked, in time linear in the whole text.
class ContextReader {
 public:
  ContextReader(std::string_view text, const FieldContext& context);

  // Of the evidence from `begin` to `end` in the text.
  Where where(std::size_t begin, std::size_t end);

 private:
  std::string_view text_;
  std::string_view whole_;
  const FieldContext& context_;
  Where place_;                   // what is true of all evidence in the text
  bool may_be_document_ = false;  // a named field of a body, long enough
  std::string spaced_;
  std::optional<Document> document_;  // of whole_
};

}  // namespace wafd::detect
