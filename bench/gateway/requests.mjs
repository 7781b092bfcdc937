// Requests as a gateway hands them over by T1K, for the benches of the whole program.
import { requestMessage } from '../../tests/e2e/support/t1k.mjs';

export const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';
export const ATTACK = "1' union select password from users-- ";

// `address`: of the client. `headers`: further lines, each with its end.
export function ask(address, method, target, { host = 'shop.example', type, body = null, headers = '' } = {}) {
  const of_body = body === null ? '' : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
  return requestMessage(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n${headers}${of_body}\r\n`, body, { 0x13: address });
}
