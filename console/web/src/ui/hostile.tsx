// Text that came from outside. The only way such text reaches the page: text nodes, with symbols for what cannot be seen.
import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { line_pieces, max_whole_word, visible_text, pieces_of } from '../lib/visible';

// Inside of a table texts have little room: they break where their parts end, and the whole text is their title.
export const InTable = createContext(false);

function with_breaks(text: string): ComponentChildren {
  const parts = line_pieces(text);
  if (parts.length === 1 && text.length <= max_whole_word) return text;
  return parts.flatMap((part, i) => [
    ...(i === 0 ? [] : [<wbr key={`b${i}`} />]),
    part.length > max_whole_word ? <span key={i} class="breakable">{part}</span> : part,
  ]);
}

export function Hostile({ text, title, breaks }: { text: string; title?: boolean; breaks?: boolean }) {
  const in_table = useContext(InTable);
  const pieces = pieces_of(text);
  return (
    <bdi class="hostile" {...(title || (in_table && text.length > max_whole_word) ? { title: visible_text(text).slice(0, 2000) } : {})}>
      {pieces.map((piece, i) => (piece.symbol ? <span key={i} class="symbol">{piece.text}</span> : breaks || in_table ? with_breaks(piece.text) : piece.text))}
    </bdi>
  );
}
