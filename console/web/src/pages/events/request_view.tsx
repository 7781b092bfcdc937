// The request as recorded, with the matched parts marked. Text nodes only; line ends keep their symbols.
import type { ComponentChildren } from 'preact';
import type { AttackRecord } from '../../api/types';
import type { Span } from '../../lib/highlight';
import { mark_name, type Located, type Part } from '../../lib/located';
import { line_feed_symbol, pieces_of } from '../../lib/visible';
import { t } from '../../text';

// Pieces of text where every line end is followed by a real one.
function drawn(text: string): ComponentChildren[] {
  return pieces_of(text).map((piece, i) => {
    if (!piece.symbol) return piece.text;
    const line_end = piece.text === line_feed_symbol || piece.text === 'CR';
    return <span key={i} class={line_end ? 'symbol faint' : 'symbol'}>{piece.text}{piece.text === line_feed_symbol ? '\n' : ''}</span>;
  });
}

function Marked({ part, text, spans }: { part: Part; text: string; spans: Span[] }) {
  const out: ComponentChildren[] = [];
  let at = 0;
  spans.forEach((span, i) => {
    out.push(<span key={`p${i}`}>{drawn(text.slice(at, span.begin))}</span>);
    out.push(<mark key={`m${i}`} id={`mark-${mark_name(part, i)}`} tabIndex={-1} data-testid="match">{drawn(text.slice(span.begin, span.end))}</mark>);
    at = span.end;
  });
  out.push(<span key="end">{drawn(text.slice(at))}</span>);
  return <pre class="raw" tabIndex={0}><bdi>{out}</bdi></pre>;
}

export function show_mark(name: string): void {
  const mark = document.getElementById(`mark-${name}`);
  mark?.scrollIntoView({ block: 'center' });
  mark?.focus({ preventScroll: true });
}

export function RequestView({ record, marks, found }: { record: AttackRecord; marks: Located; found: boolean }) {
  return (
    <div class="request" data-testid="raw-request">
      <Marked part="head" text={record.req_header_raw} spans={marks.head} />
      {record.body !== '' && <><h4>{t.detail.body}</h4><Marked part="body" text={record.body} spans={marks.body} /></>}
      {found && marks.head.length + marks.body.length === 0 && <p class="muted">{t.detail.not_located}</p>}
    </div>
  );
}
