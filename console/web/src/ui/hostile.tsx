// Text that came from outside. The only way such text reaches the page: text nodes, with symbols for what cannot be seen.
import type { ComponentChildren } from 'preact';
import { pieces_of, visible_text } from '../lib/visible';

// Lines end behind what separates the parts of a path, a name or a list, before they end anywhere.
function with_breaks(text: string): ComponentChildren {
  const parts = text.split(/(?<=[/,;&=?_])/);
  return parts.length === 1 ? text : parts.flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, part]));
}

export function Hostile({ text, title, breaks }: { text: string; title?: boolean; breaks?: boolean }) {
  const pieces = pieces_of(text);
  return (
    <bdi class="hostile" {...(title ? { title: visible_text(text).slice(0, 2000) } : {})}>
      {pieces.map((piece, i) => (piece.symbol ? <span key={i} class="symbol">{piece.text}</span> : breaks ? with_breaks(piece.text) : piece.text))}
    </bdi>
  );
}
