// Text that came from outside. The only way such text reaches the page: text nodes, with symbols for what cannot be seen.
import { pieces_of, visible_text } from '../lib/visible';

export function Hostile({ text, title }: { text: string; title?: boolean }) {
  const pieces = pieces_of(text);
  return (
    <bdi class="hostile" {...(title ? { title: visible_text(text).slice(0, 2000) } : {})}>
      {pieces.map((piece, i) => (piece.symbol ? <span key={i} class="symbol">{piece.text}</span> : piece.text))}
    </bdi>
  );
}
