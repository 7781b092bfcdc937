// credentials.json: {"format":1,"users":[…],"sessions":[…],"tokens":[…]}.
#include <cstdio>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/credentials/store.h"
#include "files/small_file.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxStoreBytes = 16u << 20;

std::string credentials_path(const std::string& state_dir) { return state_dir + "/credentials.json"; }

// Calls `read` with each object of the list `name`.
template <class Read>
Result<void> each(ObjectReader& root, std::string_view name, CredentialRows& rows, Read read) {
  const boost::json::array* list = root.array(name, 100'000);
  if (list == nullptr) return root.ok() ? Result<void>{} : root.finish();
  for (const boost::json::value& item : *list) {
    if (!item.is_object()) return fail(ErrorCode::kInvalid, std::string(name) + ": expected objects");
    if (auto good = read(item.get_object(), std::string(name) + "[].", rows); !good) return good;
  }
  return {};
}

Result<void> read_rows(std::string_view text, CredentialRows& rows) {
  boost::system::error_code error;
  const boost::json::value document = boost::json::parse({text.data(), text.size()}, error);
  if (error || !document.is_object()) return fail(ErrorCode::kInvalid, "no JSON object");
  ObjectReader root(document.get_object());
  std::int64_t format = 0;
  root.require("format").integer("format", format, 1, 1);
  if (auto good = each(root, "users", rows, read_user); !good) return good;
  if (auto good = each(root, "sessions", rows, read_session); !good) return good;
  if (auto good = each(root, "tokens", rows, read_token); !good) return good;
  return root.finish();
}

template <class Rows>
boost::json::array array_of(const Rows& rows) {
  boost::json::array out;
  out.reserve(rows.size());
  for (const auto& item : rows) out.emplace_back(row_of(item.second));
  return out;
}

class FileBacking final : public CredentialBacking {
 public:
  explicit FileBacking(std::string path) : path_(std::move(path)) {}

  Result<void> change(CredentialRows& rows, const std::function<Result<void>()>& turn) override {
    CredentialRows before = rows;
    if (auto done = turn(); !done) return done;
    boost::json::object document;
    document["format"] = 1;
    document["users"] = array_of(rows.users);
    document["sessions"] = array_of(rows.sessions);
    document["tokens"] = array_of(rows.tokens);
    auto saved = write_file(path_, boost::json::serialize(document) + "\n");
    if (!saved) rows = std::move(before);
    return saved;
  }

 private:
  const std::string path_;
};

}  // namespace

CredentialStore::CredentialStore(const std::string& path)
    : file_(std::make_unique<FileBacking>(path)), backing_(file_.get()) {}

Result<CredentialStore> CredentialStore::open(const std::string& state_dir) {
  const std::string path = credentials_path(state_dir);
  CredentialStore store(path);
  auto text = read_file(path, kMaxStoreBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kMissing) return store;
    return tl::unexpected(text.error());
  }
  if (auto loaded = read_rows(*text, store.rows_); !loaded) {
    return fail(ErrorCode::kInvalid,
                path + " is damaged (" + loaded.error().what +
                    "): put a good copy there, or remove it to begin with a new first start");
  }
  return store;
}

Result<CredentialStore> CredentialStore::open_or_replace(const std::string& state_dir) {
  auto opened = open(state_dir);
  // What the disk does not give is not damaged: a later start may read it.
  if (opened || opened.error().code != ErrorCode::kInvalid) return opened;
  const std::string path = credentials_path(state_dir);
  CredentialStore store(path);
  const std::string aside = path + ".damaged";
  if (std::rename(path.c_str(), aside.c_str()) != 0) return opened;
  store.notice_ = fmt::format(
      "{} cannot be read: put aside as {}. Nobody can log in to the console until a good copy is put back "
      "and wafd started "
      "again, or the first account is made anew with the set-up token ({})",
      path, aside, opened.error().what);
  return store;
}

}  // namespace wafd::console
