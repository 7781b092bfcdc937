// A settings object described once, a row for each member: from the rows come its reader, its writer, its
// schema in the OpenAPI document, the types of the page (console/web/src/api/settings_types.ts) and the
// documentation (console/settings/SETTINGS.md). To add a member, add a row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "json/object_reader.h"

namespace wafd {

enum class ValueType : std::uint8_t { kText, kInteger, kBoolean, kTexts, kWord, kOther };
// Who says what the member is.
enum class MadeBy : std::uint8_t {
  kClient,  // read and written
  kCaller,  // an id: written, not read by the rows
  kServer,  // what the API adds to its answers: neither
};

// A sentence; `published`: it stands in the OpenAPI document too.
struct Help {
  std::string_view text;
  bool published = false;
};
constexpr Help published(std::string_view text) { return {text, true}; }

// All that does not depend on the C++ type.
struct ObjectMember {
  std::string_view name;
  ValueType type = ValueType::kOther;
  MadeBy made_by = MadeBy::kClient;
  Help help;
  std::int64_t least = 0, most = 0;  // of an integer; of a text, or of each in a list, bytes
  bool least_published = false, most_published = false;
  std::size_t max_items = 0;
  bool plain = false, lines = false;        // ObjectReader::plain()
  bool nullable = false;                    // null is as if it were absent
  bool secret = false;                      // never answered
  std::span<const std::string_view> words;  // kWord
  std::string_view expected;                // kWord, in refusals
  std::string_view schema;                  // kOther: JSON; "@Name" is a reference
};

// The schema's JSON value, with its description.
boost::json::value schema_of(const ObjectMember& member);

template <class T>
struct ObjectRow {
  ObjectMember member;
  void (*read)(ObjectReader&, const ObjectMember&, T&) = nullptr;  // null: passed over
  boost::json::value (*write)(const T&) = nullptr;                 // null: not written
  void (*check)(ObjectReader&, T&) = nullptr;                      // after it was read without an error

  // For the descriptions of rows: the same row, but...
  constexpr ObjectRow checked(void (*by)(ObjectReader&, T&)) const {
    ObjectRow out = *this;
    out.check = by;
    return out;
  }
  constexpr ObjectRow made_by(MadeBy who) const {
    ObjectRow out = *this;
    out.member.made_by = who;
    out.read = nullptr;
    return out;
  }
  constexpr ObjectRow secret() const {
    ObjectRow out = *this;
    out.member.secret = true;
    return out;
  }
  // The OpenAPI document names its least, or its largest value too.
  constexpr ObjectRow at_least_published() const {
    ObjectRow out = *this;
    out.member.least_published = true;
    return out;
  }
  constexpr ObjectRow range_published() const {
    ObjectRow out = at_least_published();
    out.member.most_published = true;
    return out;
  }
};

namespace rows {

template <class M>
struct MemberOf;
template <class V, class C>
struct MemberOf<V C::*> {
  using Of = C;
  using Value = V;
};
template <auto M>
using Of = typename MemberOf<decltype(M)>::Of;

template <class V>
boost::json::value json_of(const V& value) {
  return boost::json::value(value);
}
inline boost::json::value json_of(const std::vector<std::string>& texts) {
  return boost::json::array(texts.begin(), texts.end());
}
template <class V>
boost::json::value json_of(const std::optional<V>& value) {
  return value ? json_of(*value) : boost::json::value();
}
template <auto M>
boost::json::value write(const Of<M>& from) {
  return json_of(from.*M);
}

// The value to be read into: of an optional, one that is now there. Null: the member is null, and so unset.
template <class V>
V* place_of(ObjectReader&, const ObjectMember&, V& value) {
  return &value;
}
template <class V>
V* place_of(ObjectReader& in, const ObjectMember& member, std::optional<V>& value) {
  const boost::json::value* there = in.value(member.name);
  if (there != nullptr && !there->is_null()) return &value.emplace();
  value.reset();
  return nullptr;
}
template <class V>
constexpr bool is_optional = false;
template <class V>
constexpr bool is_optional<std::optional<V>> = true;

template <auto M>
void read_text(ObjectReader& in, const ObjectMember& member, Of<M>& into) {
  std::string* out = place_of(in, member, into.*M);
  const auto least = static_cast<std::size_t>(member.least), most = static_cast<std::size_t>(member.most);
  if (out == nullptr) return;
  if (member.plain)
    in.plain(member.name, *out, least, most, member.lines);
  else
    in.text(member.name, *out, least, most);
}

template <auto M>
void read_texts(ObjectReader& in, const ObjectMember& member, Of<M>& into) {
  if (auto* out = place_of(in, member, into.*M))
    in.texts(member.name, *out, member.max_items, static_cast<std::size_t>(member.least),
             static_cast<std::size_t>(member.most));
}

template <auto M>
constexpr ObjectMember member_of(std::string_view name, ValueType type, Help help) {
  ObjectMember out;
  out.name = name;
  out.type = type;
  out.help = help;
  out.nullable = is_optional<typename MemberOf<decltype(M)>::Value>;
  return out;
}

// --- the kinds of rows; M is the member of the C++ object -------------------------------------------------

template <auto M>
constexpr ObjectRow<Of<M>> text(std::string_view name, std::int64_t min_bytes, std::int64_t max_bytes,
                                Help help) {
  ObjectMember member = member_of<M>(name, ValueType::kText, help);
  member.least = min_bytes;
  member.most = max_bytes;
  return {member, read_text<M>, write<M>};
}

template <auto M>
constexpr ObjectRow<Of<M>> plain(std::string_view name, std::int64_t min_bytes, std::int64_t max_bytes,
                                 bool lines, Help help) {
  ObjectRow<Of<M>> out = text<M>(name, min_bytes, max_bytes, help);
  out.member.plain = true;
  out.member.lines = lines;
  return out;
}

template <auto M>
constexpr ObjectRow<Of<M>> texts(std::string_view name, std::size_t max_items, std::int64_t min_bytes,
                                 std::int64_t max_bytes, Help help) {
  ObjectMember member = member_of<M>(name, ValueType::kTexts, help);
  member.max_items = max_items;
  member.least = min_bytes;
  member.most = max_bytes;
  return {member, read_texts<M>, write<M>};
}

template <auto M>
constexpr ObjectRow<Of<M>> boolean(std::string_view name, Help help) {
  return {member_of<M>(name, ValueType::kBoolean, help),
          [](ObjectReader& in, const ObjectMember& m, Of<M>& into) { in.boolean(m.name, into.*M); },
          write<M>};
}

template <auto M>
constexpr ObjectRow<Of<M>> integer(std::string_view name, std::int64_t min, std::int64_t max, Help help) {
  ObjectMember member = member_of<M>(name, ValueType::kInteger, help);
  member.least = min;
  member.most = max;
  return {member,
          [](ObjectReader& in, const ObjectMember& m, Of<M>& into) {
            in.integer(m.name, into.*M, m.least, m.most);
          },
          write<M>};
}

template <const auto& Choices>
constexpr auto kNames = []() {
  std::array<std::string_view, std::size(Choices)> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Choices[i].name;
  return out;
}();

template <class E>
std::string_view name_of(std::span<const Choice<E>> choices, E value) {
  for (const auto& choice : choices)
    if (choice.value == value) return choice.name;
  return "";
}

std::string one_of(std::span<const std::string_view> words);  // one of "udp", "tcp"

// One of `Choices`, an array of Choice<E>; `expected` for refusals, empty: the words.
template <auto M, const auto& Choices>
constexpr ObjectRow<Of<M>> word(std::string_view name, std::string_view expected, Help help) {
  using E = typename MemberOf<decltype(M)>::Value;
  ObjectMember member = member_of<M>(name, ValueType::kWord, help);
  member.words = kNames<Choices>;
  member.expected = expected;
  return {member,
          [](ObjectReader& in, const ObjectMember& m, Of<M>& into) {
            const auto parse = [](std::string_view text) -> std::optional<E> {
              for (const auto& choice : Choices)
                if (choice.name == text) return choice.value;
              return std::nullopt;
            };
            in.choice(m.name, into.*M, parse, m.expected.empty() ? one_of(m.words) : std::string(m.expected));
          },
          [](const Of<M>& from) { return boost::json::value(name_of<E>(Choices, from.*M)); }};
}

// Whatever no other row says; `schema` is JSON.
template <class T>
constexpr ObjectRow<T> other(std::string_view name, std::string_view schema,
                             void (*read)(ObjectReader&, const ObjectMember&, T&),
                             boost::json::value (*write)(const T&), Help help) {
  ObjectMember member;
  member.name = name;
  member.schema = schema;
  member.help = help;
  return {member, read, write};
}

// Members that the API adds to its answers.
template <class T>
constexpr ObjectRow<T> answered(std::string_view name, std::string_view schema, Help help) {
  return other<T>(name, schema, nullptr, nullptr, help).made_by(MadeBy::kServer);
}

}  // namespace rows

template <class T>
void read_row(ObjectReader& in, const ObjectRow<T>& row, T& into) {
  if (row.read == nullptr) {
    in.ignore(row.member.name);
    return;
  }
  row.read(in, row.member, into);
  if (in.ok() && row.check != nullptr) row.check(in, into);
}

template <class T, std::size_t N>
void read_rows(ObjectReader& in, const ObjectRow<T> (&rows)[N], T& into) {
  for (const ObjectRow<T>& row : rows) read_row(in, row, into);
}

// Whether the client gave the member; null is as if it were absent.
inline bool is_set(const boost::json::object& object, std::string_view name) {
  const boost::json::value* there = object.if_contains(name);
  return there != nullptr && !there->is_null();
}

// The same for an object with secrets, which nobody is shown: one that is not set stays as `into` has it.
template <class T, std::size_t N>
void read_rows_with_secrets(ObjectReader& in, const boost::json::object& object,
                            const ObjectRow<T> (&rows)[N], T& into) {
  for (const ObjectRow<T>& row : rows) {
    if (row.member.secret && !is_set(object, row.member.name))
      in.ignore(row.member.name);
    else
      read_row(in, row, into);
  }
}

// In an answer: `NAME_set` instead of the secret, which is text.
inline void hide_secret(boost::json::object& object, std::string_view name) {
  const boost::json::value* there = object.if_contains(name);
  const bool set = there != nullptr && there->is_string() && !there->get_string().empty();
  object.stable_erase(name);
  object[std::string(name) + "_set"] = set;
}

template <class T, std::size_t N>
boost::json::object write_rows(const ObjectRow<T> (&rows)[N], const T& from) {
  boost::json::object out;
  for (const ObjectRow<T>& row : rows)
    if (row.write != nullptr) out[row.member.name] = row.write(from);
  return out;
}

// For schema, types and documentation.
struct ObjectDescription {
  std::vector<ObjectMember> members;
  bool all_required = false;     // of the schema of answers: every member is always there
  boost::json::object defaults;  // as a new object is written
};

template <class T, std::size_t N>
ObjectDescription describe_rows(const ObjectRow<T> (&rows)[N], bool all_required) {
  ObjectDescription out{{}, all_required, write_rows(rows, T{})};
  for (const ObjectRow<T>& row : rows) out.members.push_back(row.member);
  return out;
}

}  // namespace wafd
