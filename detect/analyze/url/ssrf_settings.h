// Addresses of services that forms of settings ask for, and nothing in them that a service would be told.
#pragma once

#include <string_view>

#include "detect/analyze/url/url_reader.h"

namespace wafd::detect {

// ssh://git@host/a.git, postgres://user@host/name, jdbc:mysql://host/name, smtp://mail.example:587: a host
// outside, and no parameter but those that are known to do nothing. `scheme`: the innermost, `nested` if
// there are others around it; `in_body`: the value of a body's field.
bool is_setting(const UrlParts& url, std::string_view scheme, bool nested, bool in_body);

// host.docker.internal is the machine of whoever develops, as its private address is: what they have started
// has a port that needs no rights (6443 is that of Kubernetes), and no page to manage it.
bool is_developers_machine(const UrlParts& url) noexcept;

}  // namespace wafd::detect
