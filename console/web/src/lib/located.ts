// Where in the recorded request the findings are: marks, and which mark is whose. Pure.
import type { AttackRecord, FindingDetail } from '../api/types';
import { find_payload, merge_spans, narrow_span, type Span } from './highlight';

export type Part = 'head' | 'body';

export interface Located {
  head: Span[];               // what is marked there, in order, without overlaps
  body: Span[];
  mark_of: (string | undefined)[];  // of each finding: the name of its mark; none: it could not be found in the text
}

export const mark_name = (part: Part, index: number): string => `${part}-${index}`;

function span_of(part: Part, text: string, finding: FindingDetail): Span | undefined {
  const home = finding.span?.part ?? (/^(body|file)/.test(finding.location) ? 'body' : 'head');
  if (home !== part) return undefined;
  const span = finding.span ? narrow_span(text, finding.span, finding.payload) : find_payload(text, finding.payload);
  return span && span.end > span.begin ? span : undefined;
}

export function located(record: Pick<AttackRecord, 'req_header_raw' | 'body'>, findings: FindingDetail[]): Located {
  const mark_of: (string | undefined)[] = findings.map(() => undefined);
  const marks = (part: Part, text: string): Span[] => {
    const spans = findings.map((finding) => span_of(part, text, finding));
    const merged = merge_spans(spans.filter((span) => span !== undefined));
    spans.forEach((span, i) => {
      const at = span ? merged.findIndex((mark) => mark.begin <= span.begin && span.end <= mark.end) : -1;
      if (at >= 0) mark_of[i] = mark_name(part, at);
    });
    return merged;
  };
  return { head: marks('head', record.req_header_raw), body: marks('body', record.body), mark_of };
}

export interface Place { location: string; name: string; findings: number[] }  // indexes

// Findings by the parameter they are in; where the weightiest is comes first, and it first there.
export function by_place(findings: FindingDetail[], weightiest: number): Place[] {
  const order = findings.map((_, i) => i).sort((a, b) => Number(b === weightiest) - Number(a === weightiest));
  const places: Place[] = [];
  for (const i of order) {
    const { location, name } = findings[i] as FindingDetail;
    const place = places.find((one) => one.location === location && one.name === name);
    if (place) place.findings.push(i);
    else places.push({ location, name, findings: [i] });
  }
  return places;
}
