// One walk over the names of a text: what each is to Java, and how it is referred to. OGNL: @class@member,
// #name (OGNL language guide); SpEL: T(class) (Spring Framework reference, "SpEL"); Struts and Spring set
// properties by parameter names (class.module.classLoader…); Groovy runs "…".execute() (Groovy JDK).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/base/evidence.h"
#include "detect/analyze/java/names.h"

namespace wafd::detect::java {

enum class JavaEvidence : std::uint8_t {
  kJndi,         // ${jndi:…}
  kHidesLookup,  // ${${lower:j}ndi:…}
  kRunsLookup,   // ${script:…}
  kReadsLookup,  // ${env:X}
  kRuns,         // Runtime.getRuntime().exec, "id".execute()
  kOgnl,         // @java.lang.Math@random(), (#a=…), #_memberAccess
  kNamesType,    // T(java.lang.Runtime)
  kReflects,     // x.getClass().forName('y'); possible: one call
  kAttackClass,  // com.sun.x as a value
  kAnyClass,     // java.util.ArrayList as a value
  kRefers,       // a class between quotes or brackets
  kGadget,       // InvokerTransformer
  kBindsLoader,  // class.module.classLoader.x=…
  kHiddenName,   // the same inside of base64
};
inline constexpr std::array<std::string_view, 14> kKindNames{
    "jndi",     "hides_lookup", "runs_lookup", "reads_lookup", "runs",   "ognl",         "names_type",
    "reflects", "attack_class", "any_class",   "refers",       "gadget", "binds_loader", "hidden_name"};

// Lives for one text. Linear time; allocates nothing.
class JavaReader {
 public:
  JavaReader(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept;
  void run();

 private:
  char at(std::size_t i) const noexcept { return i < text_.size() ? text_[i] : '\0'; }
  char before(std::size_t i) const noexcept { return i > 0 ? text_[i - 1] : '\0'; }
  std::size_t skip(std::size_t i) const noexcept;
  bool starts_text(std::size_t i) const noexcept;
  bool whole(const Name& name) const noexcept;
  bool is_frame(const Name& name) const noexcept;
  bool made_new(std::size_t begin) const noexcept;
  bool names_type(std::size_t begin) const noexcept;
  bool value_of_no_type(const Name& name) const noexcept;
  bool indexed(std::size_t open) const noexcept;
  void add(JavaEvidence kind, Certainty certainty, std::size_t begin, std::size_t end,
           std::string_view name = {});

  void read(const Name& name);
  void read_variable(const Name& name);
  void read_static(const Name& name);
  void read_type(const Name& name);
  void read_groovy(const Name& name);
  bool asks_of_machine(const Name& name) const noexcept;
  bool loads_own_class(const Name& name) const noexcept;
  void read_runner(const Name& name);
  void read_reflection(const Name& name);
  void read_binding(const Name& name);
  void read_package(const Name& name);

  std::string_view text_;
  const FieldContext& context_;
  EvidenceList& out_;
  std::size_t last_close_;  // of the text's closing parentheses
  bool braced_;             // the text has what an expression stands in
  std::size_t reflection_ = static_cast<std::size_t>(-1);
};

}  // namespace wafd::detect::java
