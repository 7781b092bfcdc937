// A network address where room is short: what tells one long address from its neighbours is mostly its end, so the middle gives way.
import { Hostile } from './hostile';

const whole = 16;  // as long as an IPv4 address and a port's colon
const max_tail = 10;

// Where the end begins: with a group, if the groups are not too long.
function tail_of(text: string): number {
  for (let at = text.length - max_tail; at < text.length - 2; at += 1) if (text[at] === ':') return at;
  return text.length - max_tail;
}

export function Address({ text }: { text: string }) {
  if (text.length < whole || !/^[0-9a-fA-F:.]+$/.test(text)) return <Hostile text={text} title />;
  const at = tail_of(text);
  return (
    <span class="address" title={text}>
      <span class="address-head" style={{ maxWidth: `calc(100% - ${text.length - at}ch)` }}>{text.slice(0, at)}</span><span>{text.slice(at)}</span>
    </span>
  );
}
