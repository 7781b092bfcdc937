// Addresses of databases, mail, messages, directories and repositories, as settings have them.
#pragma once

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/url/host.h"
#include "detect/analyze/url/tables.h"
#include "detect/analyze/url/url_reader.h"

namespace wafd::detect::url {

// A client of `scheme` only connects to it: nothing in it that the service would be told, no class, file or
// program that the driver would load. `kind` is that of its host.
bool is_connection(const Url& url, const Scheme& scheme, HostKind kind, const FieldContext& context);

}  // namespace wafd::detect::url
