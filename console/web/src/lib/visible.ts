// Hostile text made harmless to the eye: characters that draw nothing, or that reorder what stands beside them, become
// visible symbols. The result is still text and is only ever put into text nodes.

export interface Piece {
  text: string;
  symbol: boolean;  // stands for something that cannot be seen
}

// ASCII names rather than the pictures of U+2400: few fonts have those in a readable size.
const control_names = [
  'NUL', 'SOH', 'STX', 'ETX', 'EOT', 'ENQ', 'ACK', 'BEL', 'BS', 'TAB', 'LF', 'VT', 'FF', 'CR', 'SO', 'SI',
  'DLE', 'DC1', 'DC2', 'DC3', 'DC4', 'NAK', 'SYN', 'ETB', 'CAN', 'EM', 'SUB', 'ESC', 'FS', 'GS', 'RS', 'US',
];
export const line_feed_symbol = 'LF';

// The text shown in place of a code point; undefined: the character itself.
function symbol_of(code: number): string | undefined {
  if (code < 0x20) return control_names[code];
  if (code === 0x7f) return 'DEL';
  if (code >= 0x80 && code <= 0x9f) return `U+00${code.toString(16).toUpperCase()}`;
  if (is_invisible(code)) return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return undefined;
}

// Zero-width, direction-changing, separators that break lines, unassigned by design, lone surrogates, tags, fillers.
function is_invisible(code: number): boolean {
  return (
    code === 0xad || code === 0x34f || code === 0x61c || code === 0x115f || code === 0x1160 || code === 0x17b4 || code === 0x17b5 ||
    (code >= 0x180b && code <= 0x180f) || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) || code === 0x3164 || (code >= 0xd800 && code <= 0xdfff) || code === 0xfeff || code === 0xffa0 ||
    (code >= 0xfff0 && code <= 0xfffb) || code === 0xfffe || code === 0xffff || (code >= 0xe0000 && code <= 0xe0fff)
  );
}

export function pieces_of(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  for (const character of text) {
    const symbol = symbol_of(character.codePointAt(0) as number);
    if (symbol === undefined) {
      plain += character;
      continue;
    }
    if (plain) pieces.push({ text: plain, symbol: false });
    plain = '';
    pieces.push({ text: symbol, symbol: true });
  }
  if (plain) pieces.push({ text: plain, symbol: false });
  return pieces;
}

// The same as one string, for titles and names.
export function visible_text(text: string): string {
  let out = '';
  for (const character of text) {
    const symbol = symbol_of(character.codePointAt(0) as number);
    out += symbol === undefined ? character : `[${symbol}]`;
  }
  return out;
}

// As long as this a word stays in one piece; what is longer is no word, but a digest or a payload, and ends anywhere.
export const max_whole_word = 16;

// Where a line may end: behind what separates the parts of a path, a name, a list or an address, but not behind its first
// character, not in a number, a time or a version, and not before digits that end it (a port, the length of a network).
const joints = /(?<=[^][/\\,;&=?_|@])(?!\d+$)|(?<=[^][.:-])(?<!\*\.)(?!\d)|(?<= )|(?=\[)/;
// An IPv6 address: its lines end behind a colon, and its prefix length stays with it.
const address6 = /^(?=.*::|(?:[^:]*:){7})[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?:\/\d+)?$/i;
const humps = /(?<=[\p{Ll}\d])(?=\p{Lu})/u;

// The parts of a text between which its lines may end.
export function line_pieces(text: string): string[] {
  if (address6.test(text)) return text.split(/(?<=[\da-f]:)(?=[\da-f])/i);
  return text.split(joints).flatMap((part) => (part.length > max_whole_word ? part.split(humps) : part));
}
