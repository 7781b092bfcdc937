// The request as recorded, with the matched parts marked. Text nodes only; line ends keep their symbols.
import type { ComponentChildren } from 'preact';
import type { AttackRecord, FindingDetail } from '../../api/types';
import { find_payload, merge_spans, narrow_span, type Span } from '../../lib/highlight';
import { line_feed_symbol, pieces_of } from '../../lib/visible';
import { t } from '../../text';

function spans_in(part: 'head' | 'body', text: string, findings: FindingDetail[]): Span[] {
  const spans: Span[] = [];
  for (const finding of findings) {
    const home = finding.span?.part ?? (/^(body|file)/.test(finding.location) ? 'body' : 'head');
    if (home !== part) continue;
    const span = finding.span ? narrow_span(text, finding.span, finding.payload) : find_payload(text, finding.payload);
    if (span && span.end > span.begin) spans.push(span);
  }
  return merge_spans(spans);
}

// Pieces of text where every line end is followed by a real one.
function drawn(text: string): ComponentChildren[] {
  return pieces_of(text).map((piece, i) => {
    if (!piece.symbol) return piece.text;
    const line_end = piece.text === line_feed_symbol || piece.text === 'CR';
    return <span key={i} class={line_end ? 'symbol faint' : 'symbol'}>{piece.text}{piece.text === line_feed_symbol ? '\n' : ''}</span>;
  });
}

function Marked({ text, spans }: { text: string; spans: Span[] }) {
  const out: ComponentChildren[] = [];
  let at = 0;
  spans.forEach((span, i) => {
    out.push(<span key={`p${i}`}>{drawn(text.slice(at, span.begin))}</span>);
    out.push(<mark key={`m${i}`} data-testid="match">{drawn(text.slice(span.begin, span.end))}</mark>);
    at = span.end;
  });
  out.push(<span key="end">{drawn(text.slice(at))}</span>);
  return <pre class="raw" tabIndex={0}><bdi>{out}</bdi></pre>;
}

export function RequestView({ record, findings }: { record: AttackRecord; findings: FindingDetail[] }) {
  const head = spans_in('head', record.req_header_raw, findings);
  const body = spans_in('body', record.body, findings);
  return (
    <div class="request" data-testid="raw-request">
      <Marked text={record.req_header_raw} spans={head} />
      {record.body !== '' && <><h4>{t.detail.body}</h4><Marked text={record.body} spans={body} /></>}
      {findings.length > 0 && head.length + body.length === 0 && <p class="muted">{t.detail.not_located}</p>}
    </div>
  );
}
