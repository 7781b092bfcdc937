// What every transfer by libcurl has in common: each address is judged before it is connected to, no
// redirection is followed, no proxy of the environment asked, and no time is without end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <curl/curl.h>

#include "detect/core/ip_address.h"

namespace wafd::forward {

struct EasyEnd {
  void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyEnd>;

struct ListEnd {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListEnd>;
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
