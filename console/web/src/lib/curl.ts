// A recorded request as a curl command for a POSIX shell with $'…' (bash, zsh, ksh). Everything that came from the request
// is quoted; nothing in it can end a quote, start an option or name a file.
import { t } from '../text';

export interface CurlSource {
  scheme: string;
  method: string;
  host: string;
  dest_ip: string;
  dest_port: number;
  req_header_raw: string;
  body: string;
}

const cut_mark = /\u2026\[cut \d+\]$/;

// The record writes bytes that are not UTF-8 as \xnn: back to bytes. Everything else as UTF-8.
export function bytes_of(text: string): number[] {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const part of text.split(/(\\x[0-9a-f]{2})/)) {
    if (/^\\x[0-9a-f]{2}$/.test(part)) bytes.push(parseInt(part.slice(2), 16));
    else bytes.push(...encoder.encode(part));
  }
  return bytes;
}

export function shell_quote(bytes: number[]): string {
  const printable = bytes.every((o) => o >= 0x20 && o < 0x7f);
  if (printable) {
    const text = String.fromCharCode(...bytes);
    if (/^[A-Za-z0-9_.\/:=-]+$/.test(text) && !text.startsWith('-')) return text;
    return `'${text.replace(/'/g, "'\\''")}'`;
  }
  let out = "$'";
  for (const o of bytes) {
    if (o === 0x27 || o === 0x5c) out += `\\${String.fromCharCode(o)}`;
    else if (o >= 0x20 && o < 0x7f) out += String.fromCharCode(o);
    else out += `\\x${o.toString(16).padStart(2, '0')}`;
  }
  return `${out}'`;
}

function quote(text: string): string {
  return shell_quote(bytes_of(text));
}

// The host part of the URL: only what cannot mean anything else to curl.
function authority(source: CurlSource): string {
  const host = /^([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])$/.test(source.host) ? source.host : bracketed(source.dest_ip);
  const standard = source.scheme === 'https' ? 443 : 80;
  return source.dest_port && source.dest_port !== standard ? `${host}:${source.dest_port}` : host;
}

function bracketed(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip || '127.0.0.1';
}

export function curl_command(source: CurlSource): string {
  const lines = source.req_header_raw.replace(cut_mark, '').split(/\r?\n/);
  const target = (lines[0] ?? '').split(' ').slice(1, -1).join(' ') || '/';
  const scheme = source.scheme === 'https' ? 'https' : 'http';
  const plain_target = /^\/[A-Za-z0-9_.~!$&()*+,;=:@%\/?'-]*$/.test(target);
  const out = ['curl', '-g', '--path-as-is', '-X', quote(source.method)];
  const notes: string[] = [];
  if (cut_mark.test(source.req_header_raw)) notes.push(`# ${t.detail.curl_head_cut}`);
  if (cut_mark.test(source.body)) notes.push(`# ${t.detail.curl_body_cut}`);
  for (const line of lines.slice(1)) {
    if (line === '') break;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    // A name that starts with @ would make curl read a file; Content-Length and framing are curl's own business.
    if (colon < 1 || name.startsWith('@') || /^(content-length|transfer-encoding)$/i.test(name)) continue;
    const value = line.slice(colon + 1).trim();
    out.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`));
  }
  if (source.body !== '') out.push('--data-raw', quote(source.body.replace(cut_mark, '')));
  if (!plain_target) out.push('--request-target', quote(target));
  out.push('--url', quote(`${scheme}://${authority(source)}${plain_target ? target : '/'}`));
  return [...notes, out.join(' ')].join('\n');
}

// How a script reads the newest events with a token; without one a name stands in its place.
export function token_curl(origin: string, token: string | undefined): string {
  return `curl -H 'Authorization: Bearer ${token ?? 'TOKEN'}' '${origin}/api/v1/events?limit=10&q=action:deny'`;
}
