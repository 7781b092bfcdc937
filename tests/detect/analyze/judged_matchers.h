// Matchers with their judges, as the engine asks them, for tests that name analysers by a function.
#pragma once

#include <memory>

#include "detect/analyze/serialized/serialized_matcher.h"
#include "detect/analyze/template/template_matcher.h"
#include "detect/judge/judge.h"
#include "detect/judge/judgements/deserial.tsv.h"
#include "detect/judge/judgements/ssti.tsv.h"
#include "detect/judge/rules/deserial.tsv.h"
#include "detect/judge/rules/ssti.tsv.h"

namespace wafd::detect {

inline std::unique_ptr<Analyzer> make_deserialization_analyzer() {
  return judged(make_serialized_matcher(), kDeserialJudgements, kDeserialRules);
}

inline std::unique_ptr<Analyzer> make_ssti_analyzer() {
  return judged(make_template_matcher(), kSstiJudgements, kSstiRules);
}

}  // namespace wafd::detect
