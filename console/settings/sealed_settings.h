// Settings as a fleet's database keeps them: a document without secrets, and the secrets beside it,
// encrypted, each for its place ("targets/ID/tls/key") in this very document. Secrets that are paths
// (file:/PATH) stay in the document, which is sealed as a whole where there is a key: with one a node takes
// no document that was made without it, and without one none that names files as secrets, because whoever
// writes the table would send them elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console/base/sealing.h"
#include "console/settings/store.h"

namespace wafd::console {

struct SealedSettings {
  std::string document;  // JSON
  std::string secrets;   // JSON object: place -> SealingKeys::seal(); "document" -> the seal of the document
};

// kMissing: there is a secret, or a path of one, and no key.
Result<SealedSettings> seal_settings(const Settings& settings, const SealingKeys& keys, Random& random);
// Brought up to date like stored ones; kMissing: a key is missing.
Result<Settings> open_settings(const SealedSettings& sealed, const SealingKeys& keys,
                               std::vector<std::string>& notes);

}  // namespace wafd::console
