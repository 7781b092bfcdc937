#include "console/settings/sealed_settings.h"

#include <algorithm>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/json_text.h"
#include "console/base/secrets.h"
#include "detect/core/bytes.h"
#include "files/given_text.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

constexpr std::string_view kDocumentPlace = "document";  // no member of settings has this name
constexpr std::size_t kMaxPlaceParts = 8;
constexpr std::size_t kMaxPlaceBytes = 200;

// The element of a list that has this id; null if there is none.
json::value* element_of(json::array& list, std::string_view id) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const json::value& one) {
    return !id.empty() && one.is_object() && text_member(one.get_object(), "id") == id;
  });
  return found == list.end() ? nullptr : &*found;
}

struct FoundSecret {
  std::string place, text;
};

// Finds the secrets of `whole`: the members that `shown` lacks. Those that are paths are put into `shown`.
struct SecretFinder {
  std::vector<FoundSecret> secrets{};
  std::string path_place{};  // of one that is a path

  void walk(const json::object& whole, json::object& shown, const std::string& place) {
    for (const auto& member : whole) {
      const std::string name(member.key());
      const std::string here = place.empty() ? name : fmt::format("{}/{}", place, name);
      json::value* there = shown.if_contains(name);
      if (there == nullptr) {
        keep(member.value(), name, here, shown);
      } else if (member.value().is_object() && there->is_object()) {
        walk(member.value().get_object(), there->get_object(), here);
      } else if (member.value().is_array() && there->is_array()) {
        walk_list(member.value().get_array(), there->get_array(), here);
      }
    }
  }

  void walk_list(const json::array& whole, json::array& shown, const std::string& place) {
    for (std::size_t i = 0; i < whole.size() && i < shown.size(); ++i) {
      if (!whole[i].is_object() || !shown[i].is_object()) continue;
      const std::string_view id = text_member(whole[i].get_object(), "id");
      if (id.empty()) continue;
      walk(whole[i].get_object(), shown[i].get_object(), fmt::format("{}/{}", place, id));
    }
  }

  void keep(const json::value& secret, const std::string& name, const std::string& place,
            json::object& shown) {
    if (!secret.is_string() || secret.get_string().empty()) return;
    const std::string_view text = secret.get_string();
    if (names_file(text)) {
      shown[name] = secret;
      path_place = place;
    } else {
      secrets.push_back({place, std::string(text)});
    }
  }
};

Result<json::object> object_in(std::string_view text, std::string_view what) {
  boost::system::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return fail(ErrorCode::kInvalid, fmt::format("{}: no sound JSON", what));
  return std::move(value.get_object());
}

bool is_place(std::string_view text) noexcept {
  return text.size() <= kMaxPlaceBytes && std::all_of(text.begin(), text.end(), [](char c) {
           return is_lower(c) || is_digit(c) || c == '_' || c == '-' || c == '/';
         });
}

// Puts a secret where it belongs. False: there is no such place.
bool put_back(json::object& document, std::string_view place, const std::string& secret) {
  json::value* at = nullptr;
  json::object* object = &document;
  for (std::size_t parts = 0; parts < kMaxPlaceParts; ++parts) {
    const std::size_t slash = place.find('/');
    const std::string_view part = place.substr(0, slash);
    if (slash == std::string_view::npos) {
      if (object == nullptr) return false;
      (*object)[part] = secret;
      return true;
    }
    at = object != nullptr ? object->if_contains(part) : element_of(at->get_array(), part);
    if (at == nullptr || !(at->is_object() || at->is_array())) return false;
    object = at->if_object();
    place.remove_prefix(slash + 1);
  }
  return false;
}

json::value take(json::object& object, std::string_view name) {
  json::value* const there = object.if_contains(name);
  json::value out = there == nullptr ? json::value() : std::move(*there);
  object.erase(name);
  return out;
}

Result<void> is_sealed(const json::value& seal, const SealingKeys& keys, const std::string& digest) {
  if (!seal.is_string())
    return fail(ErrorCode::kInvalid,
                "the document is not sealed with the fleet's key: what made it had none (fleet.key_file), or "
                "somebody else wrote into the database");
  auto opened = keys.open(std::string_view(seal.get_string()), kDocumentPlace, digest);
  return opened ? Result<void>() : tl::unexpected(opened.error());
}

// Of a document that nothing vouches for.
Result<void> names_no_files(const Settings& settings) {
  json::object shown = to_json(settings, false);
  SecretFinder found;
  found.walk(to_json(settings, true), shown, "");
  if (found.path_place.empty()) return {};
  return fail(ErrorCode::kMissing,
              fmt::format("{}: a file of this node is named only by a document that is sealed with the "
                          "fleet's key",
                          found.path_place));
}

}  // namespace

Result<SealedSettings> seal_settings(const Settings& settings, const SealingKeys& keys, Random& random) {
  const json::object whole = to_json(settings, true);
  json::object shown = to_json(settings, false);
  SecretFinder found;
  found.walk(whole, shown, "");
  SealedSettings out{json::serialize(shown), "{}"};
  if (keys.empty() && found.secrets.empty() && found.path_place.empty()) return out;
  if (keys.empty())
    return fail(ErrorCode::kMissing,
                "The settings hold secrets, and this node has no key to encrypt them with "
                "(fleet.key_file; `wafd fleet key` makes one).");
  const std::string digest = sha256_hex(out.document);
  json::object secrets;
  found.secrets.push_back({std::string(kDocumentPlace), {}});
  for (const auto& [place, text] : found.secrets) {
    auto sealed = keys.seal(text, place, random, digest);
    if (!sealed) return tl::unexpected(sealed.error());
    secrets[place] = *sealed;
  }
  out.secrets = json::serialize(secrets);
  return out;
}

Result<Settings> open_settings(const SealedSettings& sealed, const SealingKeys& keys,
                               std::vector<std::string>& notes) {
  auto document = object_in(sealed.document, "document");
  if (!document) return tl::unexpected(document.error());
  auto secrets = object_in(sealed.secrets, "secrets");
  if (!secrets) return tl::unexpected(secrets.error());
  const std::string digest = sha256_hex(sealed.document);
  const json::value seal = take(*secrets, kDocumentPlace);
  for (const auto& member : *secrets) {
    const std::string place(member.key());
    if (!member.value().is_string() || !is_place(place))
      return fail(ErrorCode::kInvalid, "secrets: expected texts by their places");
    auto secret = keys.open(std::string_view(member.value().get_string()), place, digest);
    if (!secret) return tl::unexpected(secret.error());
    if (!put_back(*document, place, *secret))
      return fail(ErrorCode::kInvalid, "secrets: there is one without its place");
  }
  auto settings = parse_stored_settings(json::serialize(*document), notes);
  if (!settings) return settings;
  const auto good = keys.empty() ? names_no_files(*settings) : is_sealed(seal, keys, digest);
  if (!good) return tl::unexpected(good.error());
  return settings;
}

}  // namespace wafd::console
