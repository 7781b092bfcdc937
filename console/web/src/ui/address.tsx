// A network address where room is short: what tells one long address from its neighbours is mostly its end, so the middle gives way.
import { Hostile } from './hostile';

const whole = 18;  // every IPv4 address, and an IPv6 one that is as short
const tail = 14;

export function Address({ text }: { text: string }) {
  if (text.length <= whole || !/^[0-9a-fA-F:.]+$/.test(text)) return <Hostile text={text} title />;
  return <span class="address" title={text}><span class="address-head">{text.slice(0, -tail)}</span><span>{text.slice(-tail)}</span></span>;
}
