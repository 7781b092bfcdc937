// Shared by all transfers of libcurl: each address is judged before it is connected to, no
// redirection is followed, no proxy of the environment asked, and no time is without end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <curl/curl.h>

#include "detect/core/free_with.h"
#include "detect/core/ip_address.h"

namespace wafd::forward {

using Easy = std::unique_ptr<CURL, FreeWith<curl_easy_cleanup>>;
using List = std::unique_ptr<curl_slist, FreeWith<curl_slist_free_all>>;
void append(List& list, const std::string& text);

template <class T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

// Of one transfer; must outlive it.
struct DestinationGuard {
  std::vector<Endpoint> own;     // wafd's listeners, which may not be connected to
  std::vector<IpAddress> local;  // addresses of this machine
  std::string denied;            // why the last address was refused; empty: none was
  std::string address;           // that was connected to last
};

void prepare_guarded(CURL* easy, DestinationGuard& guard, long whole_ms);
// `ca`: PEM text or file:/PATH; empty: the system's.
void prepare_tls(CURL* easy, bool verify, const std::string& ca);

}  // namespace wafd::forward
