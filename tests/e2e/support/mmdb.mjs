// A MaxMind DB file for tests (format 2.0): IPv4, some /24 networks, a value for each.

const string = (text) => {
  const bytes = Buffer.from(text);
  if (bytes.length > 284) throw new Error('texts of at most 284 bytes');
  const size = bytes.length < 29 ? [(2 << 5) | bytes.length] : [(2 << 5) | 29, bytes.length - 29];
  return Buffer.concat([Buffer.from(size), bytes]);
};
const unsigned = (type, size, n) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(n, 0, size);
  return Buffer.concat([Buffer.from(type < 8 ? [(type << 5) | size] : [size, type - 7]), bytes]);
};
// An unsigned number of a type of the format, as encode() takes it beside texts, arrays and objects.
const number = (type, size, n) => ({ bytes: unsigned(type, size, n) });
function encode(value) {
  if (typeof value === 'string') return string(value);
  if (typeof value === 'number') return unsigned(6, 4, value);
  if (value.bytes) return value.bytes;
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([Buffer.from([(7 << 5) | entries.length]), ...entries.flatMap(([key, one]) => [string(key), encode(one)])]);
}

// networks: {'203.0.113': {country: …}, …}
export function database(type, networks) {
  const nodes = [[null, null]];
  const data = [];
  let offset = 0;
  for (const [prefix, value] of Object.entries(networks)) {
    const bits = prefix.split('.').flatMap((part) => [...Number(part).toString(2).padStart(8, '0')].map(Number));
    let node = 0;
    bits.forEach((bit, depth) => {
      if (depth === bits.length - 1) {
        nodes[node][bit] = { offset };
      } else {
        nodes[node][bit] ??= nodes.push([null, null]) - 1;
        node = nodes[node][bit];
      }
    });
    data.push(encode(value));
    offset += data.at(-1).length;
  }
  const record = (child) => (child === null ? nodes.length : typeof child === 'number' ? child : nodes.length + 16 + child.offset);
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach((pair, n) => pair.forEach((child, side) => tree.writeUIntBE(record(child), n * 6 + side * 3, 3)));
  const metadata = encode({
    node_count: number(6, 4, nodes.length), record_size: number(5, 2, 24), ip_version: number(5, 2, 4), database_type: type, languages: ['en'],
    binary_format_major_version: number(5, 2, 2), binary_format_minor_version: number(5, 2, 0), build_epoch: number(9, 6, 1_700_000_000), description: { en: 'a test' },
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('abcdef', 'hex'), Buffer.from('MaxMind.com'), metadata]);
}
