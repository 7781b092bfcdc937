// Keeps a node's own credential files in step with the accounts of its fleet: the files are the way back in
// while the fleet's database does not answer, so they must not let in whom the fleet would not.
#pragma once

#include <string>
#include <vector>

#include "console/credentials/store.h"

namespace wafd::console {

// Where the fleet never had a user it gets those of the files, with the tokens. Then, of users whom the files
// have: codes that were used here are told to the fleet; password, role and second factor are the fleet's
// from now on; who is no longer in the fleet is no longer in the files, unless `whole` is false: rows of the
// fleet were unreadable. Answers lines for the log.
Result<std::vector<std::string>> meet_fleet(CredentialStore& fleet, CredentialStore& own, bool whole);

}  // namespace wafd::console
