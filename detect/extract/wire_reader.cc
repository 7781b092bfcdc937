#include "detect/extract/wire_reader.h"

#include <array>
#include <string>

#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base64.h"
#include "detect/decode/content/inflate.h"
#include "detect/extract/body_type.h"

namespace wafd::detect {
namespace {

// `count` bytes at `at`, the most significant first.
std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8 | byte(bytes[at + i]);
  return number;
}

bool add_string(std::string_view text, Field field, FieldList& out) {
  field.raw = text;
  field.binary = !is_nearly_text(text);
  if (out.add(field)) return true;
  out.limit_reached = true;
  return false;
}

// --- Protocol Buffers --------------------------------------------------------------------------------------

// Of a varint at `at`, which then stands behind it. False: it is broken.
bool take_varint(std::string_view bytes, std::size_t& at, std::uint64_t& number) noexcept {
  number = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const unsigned char c = byte(bytes[at++]);
    number |= std::uint64_t{c & 0x7fu} << shift;
    if (c < 0x80) return true;
  }
  return false;
}

// A message of one string: what it would be judged by as text, besides the string, is a line end (the tag)
// and the length. A length that is a sign may belong to what follows.
bool is_one_string(std::string_view bytes) noexcept {
  return bytes.size() >= 2 && bytes[0] == '\n' && byte(bytes[1]) == bytes.size() - 2 &&
         (is_alnum(bytes[1]) || byte(bytes[1]) < 0x20);
}

// A length-delimited field may be a string, bytes or a message: it is read as a message if all of it parses
// as one. If it is text as well, it is judged as both, for `again` bytes at most. A string 1 beside a message
// 2 is the key of a map's entry (protobuf encoding, "Maps"), and the parent of all that stands in the
// message.
bool read_protobuf(std::string_view bytes, std::size_t depth, std::size_t& again, Field like,
                   FieldList& out) {
  const std::uint32_t parent = like.node;
  const std::string_view outer_key = like.parent;
  std::string_view key;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t tag = 0;
    std::uint64_t size = 0;
    if (!take_varint(bytes, at, tag) || (tag >> 3) == 0 || (tag >> 3) > 0x1fffffff) return false;
    switch (tag & 7) {
      case 0:
        if (!take_varint(bytes, at, size)) return false;
        continue;
      case 1:
        size = 8;
        break;
      case 5:
        size = 4;
        break;
      case 2: {
        if (!take_varint(bytes, at, size)) return false;
        if (size > bytes.size() - at) return false;
        const std::string_view inside = bytes.substr(at, size);
        like.node = out.add_node(parent, {}, static_cast<std::uint32_t>(tag >> 3));
        const std::size_t before = out.size();
        like.parent = (tag >> 3) == 2 && !key.empty() ? key : outer_key;
        const bool message =
            !inside.empty() && depth < kMaxWireDepth && read_protobuf(inside, depth + 1, again, like, out);
        if (!message) out.shrink(before);
        if (depth == kMaxWireDepth && !is_nearly_text(inside)) out.limit_reached |= !inside.empty();
        const bool both = message && is_text(inside) && !is_one_string(inside);
        if (both && inside.size() > again) out.limit_reached = true;
        if (!inside.empty() && (!message || (both && inside.size() <= again))) {
          if (both) again -= inside.size();
          if (!add_string(inside, like, out)) return false;
        }
        like.parent = outer_key;
        if (!message && (tag >> 3) == 1) key = inside;
        break;
      }
      default:
        return false;
    }
    if (size > bytes.size() - at) return false;
    at += size;
  }
  return true;
}

bool read_message(std::string_view bytes, const Field& like, FieldList& out) {
  std::size_t again = bytes.size();
  return read_protobuf(bytes, 1, again, like, out);
}

// Frames of a flag, a length and a message; a set flag means that it is compressed, the highest one in
// gRPC-Web that headers follow.
bool read_grpc(std::string_view bytes, const Field& like, FieldList& out) {
  constexpr std::size_t kHeadBytes = 5;
  std::size_t at = 0;
  while (at + kHeadBytes <= bytes.size()) {
    const unsigned flags = byte(bytes[at]);
    const std::uint64_t size = big_endian(bytes, at + 1, 4);
    at += kHeadBytes;
    if ((flags & 0x7e) != 0 || size > bytes.size() - at) return false;
    std::string_view message = bytes.substr(at, size);
    at += size;
    Field field = like;
    std::string plain;
    const auto coding = (flags & 1) != 0 ? sniff_content_coding(message) : std::nullopt;
    if (coding) {
      if (inflate(message, *coding, {}, plain) == InflateEnd::kLimit) out.limit_reached = true;
      if (field.outer.data() == nullptr) field.outer = message;
      field.decode_path = out.arena.join(field.decode_path, '|', to_string(*coding));
      message = out.arena.copy(plain);
    }
    if (flags >= 0x80) {
      if (!message.empty() && !add_string(message, field, out)) return false;
    } else if (!read_message(message, field, out)) {
      return false;
    }
  }
  return at == bytes.size();
}

// Base64 of frames, padded wherever a frame or a write ended.
bool read_grpc_text(std::string_view text, Field like, FieldList& out) {
  std::string all;
  std::string plain;
  while (!text.empty()) {
    const std::size_t padding = std::min(text.find('='), text.size());
    const std::size_t next = std::min(text.find_first_not_of('=', padding), text.size());
    if (!base64_lenient(text.substr(0, padding), plain)) return false;
    all += plain;
    text.remove_prefix(next);
  }
  return read_grpc(out.arena.copy(all), like, out);
}

// --- MessagePack and CBOR ----------------------------------------------------------------------------------

enum class ItemKind : std::uint8_t { kScalar, kText, kBytes, kArray, kMap, kTag, kBreak, kBroken };

struct Item {
  ItemKind kind = ItemKind::kBroken;
  std::uint64_t count = 0;  // of bytes, elements, or pairs; kEndless: up to a break
  std::size_t next = 0;     // behind the head; of scalars behind all of it
};
constexpr std::uint64_t kEndless = ~std::uint64_t{0};

Item message_pack_item(std::string_view bytes, std::size_t at) noexcept {
  using enum ItemKind;
  const unsigned head = byte(bytes[at++]);
  if (head < 0x80 || head >= 0xe0) return {kScalar, 0, at};
  if (head < 0x90) return {kMap, head & 15u, at};
  if (head < 0xa0) return {kArray, head & 15u, at};
  if (head < 0xc0) return {kText, head & 31u, at};
  struct Row {
    ItemKind kind;
    std::uint8_t length_bytes;
    std::uint8_t more;  // bytes behind the head, or behind the length
  };
  static constexpr Row kRows[32] = {
      {kScalar, 0, 0},  {kBroken, 0, 0}, {kScalar, 0, 0}, {kScalar, 0, 0}, {kBytes, 1, 0},  {kBytes, 2, 0},
      {kBytes, 4, 0},   {kBytes, 1, 1},  {kBytes, 2, 1},  {kBytes, 4, 1},  {kScalar, 0, 4}, {kScalar, 0, 8},
      {kScalar, 0, 1},  {kScalar, 0, 2}, {kScalar, 0, 4}, {kScalar, 0, 8}, {kScalar, 0, 1}, {kScalar, 0, 2},
      {kScalar, 0, 4},  {kScalar, 0, 8}, {kScalar, 0, 2}, {kScalar, 0, 3}, {kScalar, 0, 5}, {kScalar, 0, 9},
      {kScalar, 0, 17}, {kText, 1, 0},   {kText, 2, 0},   {kText, 4, 0},   {kArray, 2, 0},  {kArray, 4, 0},
      {kMap, 2, 0},     {kMap, 4, 0}};
  const Row row = kRows[head - 0xc0];
  if (bytes.size() - at < std::size_t{row.length_bytes} + row.more) return {};
  return {row.kind, big_endian(bytes, at, row.length_bytes), at + row.length_bytes + row.more};
}

Item cbor_item(std::string_view bytes, std::size_t at) noexcept {
  using enum ItemKind;
  static constexpr ItemKind kMajor[] = {kScalar, kScalar, kBytes, kText, kArray, kMap, kTag, kScalar};
  const unsigned head = byte(bytes[at++]);
  const ItemKind kind = kMajor[head >> 5];
  const unsigned info = head & 31;
  if (info < 24) return {kind, info, at};
  if (info == 31)
    return {head == 0xff ? kBreak : kind == kScalar || kind == kTag ? kBroken : kind, kEndless, at};
  const std::size_t length_bytes = std::size_t{1} << (info - 24);
  if (info > 27 || bytes.size() - at < length_bytes) return {};
  return {kind, big_endian(bytes, at, length_bytes), at + length_bytes};
}

class ItemWalk {
 public:
  ItemWalk(std::string_view bytes, WireFormat format, const Field& like, FieldList& out) noexcept
      : bytes_(bytes),
        read_(format == WireFormat::kCbor ? cbor_item : message_pack_item),
        like_(like),
        out_(out) {}

  // True if all is a row of items.
  bool run() {
    while (at_ < bytes_.size()) {
      if (!step()) return false;
    }
    return depth_ == 0;
  }
  // True if all is one map or array.
  bool run_one() {
    const ItemKind first = read_(bytes_, 0).kind;
    if (first != ItemKind::kMap && first != ItemKind::kArray) return false;
    do {
      if (at_ == bytes_.size() || !step()) return false;
    } while (depth_ != 0);
    return at_ == bytes_.size();
  }

 private:
  struct Frame {
    std::uint64_t left = 0;
    bool map = false;
    bool key = false;     // the next item of a map is a key
    bool pieces = false;  // of a string
    std::uint32_t node = 0;
    std::uint32_t value_node = 0;
    std::uint32_t index = 0;
    std::string_view parent;  // key that a map stands under
    std::string_view name;    // the last key, also of the map around an array
  };

  bool in_map() const noexcept { return depth_ != 0 && frames_[depth_ - 1].map; }
  bool at_key() const noexcept { return in_map() && frames_[depth_ - 1].key; }
  std::string_view name() const noexcept { return depth_ == 0 ? like_.name : frames_[depth_ - 1].name; }
  std::string_view parent() const noexcept { return depth_ == 0 ? like_.parent : frames_[depth_ - 1].parent; }
  std::uint32_t node() {
    if (depth_ == 0) return like_.node;
    Frame& frame = frames_[depth_ - 1];
    return frame.map ? frame.value_node : out_.add_node(frame.node, {}, frame.index++);
  }
  // An item of what is open was read.
  void count() noexcept {
    while (depth_ != 0) {
      Frame& frame = frames_[depth_ - 1];
      if (frame.map) frame.key = !frame.key;
      if (frame.left == kEndless || (frame.map && !frame.key) || --frame.left != 0) return;
      --depth_;
    }
  }
  bool open(const Item& item, bool pieces) {
    if (item.count == 0) return count(), true;
    if (depth_ == kMaxWireDepth) return out_.limit_reached = true, false;
    Frame frame;
    frame.left = item.count;
    frame.map = frame.key = item.kind == ItemKind::kMap;
    frame.pieces = pieces;
    frame.name = name();
    frame.parent = frame.map ? frame.name : parent();
    frame.node = at_key() ? like_.node : node();
    frames_[depth_++] = frame;
    return true;
  }
  bool string(std::string_view text) {
    Field field = like_;
    field.in_name = at_key();
    if (field.in_name) {
      Frame& frame = frames_[depth_ - 1];
      frame.name = text;
      frame.value_node = field.node = out_.add_node(frame.node, text, 0);
    } else {
      field.node = node();
    }
    field.name = name();
    field.parent = parent();
    return text.empty() || add_string(text, field, out_);
  }
  bool close_pieces() {
    --depth_;
    if (like_.outer.data() == nullptr) like_.outer = bytes_;
    return string(joined_);
  }
  bool step() {
    const Item item = read_(bytes_, at_);
    at_ = item.next;
    switch (item.kind) {
      case ItemKind::kBroken:
        return false;
      case ItemKind::kTag:
        return at_ < bytes_.size();
      case ItemKind::kBreak: {
        if (depth_ == 0 || frames_[depth_ - 1].left != kEndless || (in_map() && !at_key())) return false;
        if (!frames_[depth_ - 1].pieces)
          --depth_;
        else if (!close_pieces())
          return false;
        break;
      }
      case ItemKind::kArray:
      case ItemKind::kMap:
        return open(item, false);
      case ItemKind::kText:
      case ItemKind::kBytes:
        if (item.count == kEndless) {
          joined_ = {};
          return open(item, true);
        }
        if (item.count > bytes_.size() - at_) return false;
        at_ += item.count;
        if (depth_ != 0 && frames_[depth_ - 1].pieces) {
          joined_ = out_.arena.append(joined_, bytes_.substr(at_ - item.count, item.count));
          return true;
        }
        if (!string(bytes_.substr(at_ - item.count, item.count))) return false;
        break;
      case ItemKind::kScalar:
        if (in_map() && !at_key()) break;
        if (depth_ != 0 && !in_map()) ++frames_[depth_ - 1].index;
        break;
    }
    count();
    return true;
  }

  std::string_view bytes_;
  Item (*read_)(std::string_view, std::size_t) noexcept;
  Field like_;
  FieldList& out_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::string_view joined_;  // of a string in pieces
  std::array<Frame, kMaxWireDepth> frames_;
};

}  // namespace

WireFormat wire_format_of(std::string_view content_type) noexcept {
  struct Row {
    std::string_view part;  // of the media type
    WireFormat format;
  };
  static constexpr Row kRows[] = {{"grpc-web-text", WireFormat::kGrpcText},
                                  {"grpc", WireFormat::kGrpc},
                                  {"protobuf", WireFormat::kProtobuf},
                                  {"x-proto", WireFormat::kProtobuf},
                                  {"msgpack", WireFormat::kMessagePack},
                                  {"messagepack", WireFormat::kMessagePack},
                                  {"cbor", WireFormat::kCbor}};
  const std::string_view media = media_type_of(content_type);
  for (const Row& row : kRows) {
    if (ifind(media, row.part) != std::string_view::npos) return row.format;
  }
  return WireFormat::kNone;
}

bool read_wire(std::string_view bytes, WireFormat format, const Field& like, FieldList& out) {
  switch (format) {
    case WireFormat::kNone:
      return false;
    case WireFormat::kProtobuf:
      return read_message(bytes, like, out);
    case WireFormat::kGrpc:
      return read_grpc(bytes, like, out);
    case WireFormat::kGrpcText: {
      Field inside = like;
      if (inside.outer.data() == nullptr) inside.outer = bytes;
      return read_grpc_text(bytes, inside, out);
    }
    case WireFormat::kMessagePack:
    case WireFormat::kCbor:
      return ItemWalk(bytes, format, like, out).run();
  }
  return false;
}

WireFormat read_any_wire(std::string_view bytes, const Field& like, FieldList& out) {
  const std::size_t before = out.size();
  for (const WireFormat format : {WireFormat::kMessagePack, WireFormat::kCbor, WireFormat::kProtobuf}) {
    Field inside = like;
    inside.decode_path = out.arena.join(like.decode_path, '|', to_string(format));
    const bool whole = format == WireFormat::kProtobuf ? read_message(bytes, inside, out)
                                                       : ItemWalk(bytes, format, inside, out).run_one();
    if (whole && out.size() != before) return format;
    out.shrink(before);
  }
  return WireFormat::kNone;
}

std::string_view to_string(WireFormat format) noexcept {
  constexpr std::string_view kNames[] = {"", "protobuf", "grpc", "grpc", "msgpack", "cbor"};
  return kNames[static_cast<std::size_t>(format)];
}

}  // namespace wafd::detect
