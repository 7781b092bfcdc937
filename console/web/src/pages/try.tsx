// A pasted request, judged and recorded nowhere.
import { useEffect, useState } from 'preact/hooks';
import { events_api } from '../api/events';
import { inspect_api } from '../api/settings';
import type { InspectDraft, InspectResult, Judgement } from '../api/types';
import { size_text } from '../lib/format';
import { reason_text, verdict_text } from '../lib/reasons';
import { use_load } from '../state/load';
import { href, use_route } from '../state/route';
import { attack_words, say, t } from '../text';
import { ActionBadge, RiskBadge } from '../ui/badge';
import { Button, Link } from '../ui/button';
import { AreaField, SelectField, TextField } from '../ui/field';
import { Hostile } from '../ui/hostile';
import { Card, ErrorNotice, Notice } from '../ui/panel';

const first_request = 'GET /products?id=1 HTTP/1.1\nHost: shop.example\nUser-Agent: Mozilla/5.0\n\n';

// `incomplete`: of what was judged only a part is known, so that finding nothing says nothing.
function Result({ result, title, incomplete, testid }: { result: Judgement & { microseconds?: number }; title?: string; incomplete: boolean; testid: string }) {
  const clean = result.findings.length === 0 && result.action === 'allow';
  return (
    <Card title={`${title ? `${title}: ` : ''}${clean ? (incomplete ? t.try_it.unknown : t.try_it.pass) : attack_words(result.attack_type ?? '')}`} testid={testid}
      aside={<span class="muted">{result.microseconds !== undefined && `${say(t.try_it.took, { us: result.microseconds.toFixed(1) })} · `}{say(t.try_it.inspected, { a: size_text(result.inspected_octets), b: size_text(result.total_octets) })}</span>}>
      {clean ? <p>{incomplete ? t.try_it.unknown_text : t.try_it.pass_text}</p> : (
        <>
          <p class="verdict-line"><ActionBadge action={result.action} />{result.risk && <RiskBadge risk={result.risk} />}<Hostile text={verdict_text(result.reason)} /></p>
          <table class="table">
            <thead><tr><th>{t.detail.rule}</th><th>{t.detail.where}</th><th>{t.detail.through}</th><th>{t.detail.matched}</th></tr></thead>
            <tbody>
              {result.findings.map((f, i) => (
                <tr key={i}>
                  <td><Hostile text={reason_text(f.rule_name) || f.rule_id} />{f.excepted && <div class="muted">{t.try_it.excepted}</div>}</td>
                  <td>{t.place[f.location] ?? f.location} {f.name && <code><Hostile text={f.name} /></code>}</td>
                  <td><code>{f.decode_path || t.detail.plain}</code></td>
                  <td class="breakable"><code><Hostile text={f.payload} /></code></td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Card>
  );
}

export function TryPage() {
  const [request, set_request] = useState(first_request);
  const [sensitivity, set_sensitivity] = useState('');
  const [rule, set_rule] = useState('');
  const [path, set_path] = useState('');
  const [name, set_name] = useState('');
  const draft = (): InspectDraft | undefined => {
    const exception = { ...(path ? { path } : {}), ...(name ? { name } : {}) };
    const made = { ...(rule.trim() ? { rule } : {}), ...(path || name ? { exception } : {}) };
    return Object.keys(made).length > 0 ? made : undefined;
  };
  // Taken from an event: as it was recorded, which may be masked or cut.
  const { params } = use_route();
  const event_id = params.get('event');
  const taken = use_load(event_id ?? '', (signal) => (event_id ? events_api.one(event_id, signal) : Promise.resolve(undefined)));
  const event = taken.value;
  useEffect(() => { if (event) set_request(event.record.req_header_raw + event.record.body); }, [event]);
  const incomplete = event !== undefined && (event.detail.masked === true || event.record.req_http_body_is_truncate === 1 || event.record.http_body_is_abandoned === 1 || /\u2026\[cut \d+\]/.test(event.record.req_header_raw + event.record.body));
  const of_recorded = incomplete && event !== undefined && request === event.record.req_header_raw + event.record.body;
  const [state, set_state] = useState<{ incomplete?: boolean; busy: boolean; result?: InspectResult; error?: unknown }>({ busy: false });
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    set_state((s) => ({ ...s, busy: true }));
    try {
      set_state({ busy: false, incomplete: of_recorded, result: await inspect_api.run(request, sensitivity || undefined, draft()) });
    } catch (error) {
      set_state({ busy: false, error });
    }
  };
  return (
    <div class="page narrow">
      <h1>{t.try_it.title}</h1>
      <p class="lead">{t.try_it.lead}</p>
      {taken.error !== undefined && <ErrorNotice error={taken.error} />}
      {event && <p class="taken" data-testid="taken-from"><Link to={href('events', { event: event.record.event_id, range: 'all' })}>{say(t.try_it.taken, { id: event.record.event_id.slice(0, 8) })}</Link> <ActionBadge action={event.record.action} /></p>}
      {incomplete && <Notice tone="warn" testid="taken-incomplete">{t.try_it.incomplete}</Notice>}
      <form class="form" onSubmit={run} data-testid="inspect-form">
        <AreaField label={t.try_it.request} value={request} onChange={set_request} rows={10} data-testid="inspect-request" />
        <div class="form-row">
          <SelectField label={t.try_it.sensitivity} value={sensitivity} onChange={set_sensitivity}
            options={[['', t.try_it.site_default], ...Object.entries(t.sites.sensitivities)]} />
          <Button type="submit" kind="primary" busy={state.busy} data-testid="inspect-run">{t.try_it.run}</Button>
        </div>
        <details class="advanced">
          <summary>{t.try_it.draft}</summary>
          <p class="hint">{t.try_it.draft_hint}</p>
          <AreaField label={t.try_it.draft_rule} value={rule} onChange={set_rule} rows={4} data-testid="inspect-rule" />
          <div class="form-row">
            <TextField label={t.try_it.draft_path} value={path} onChange={set_path} mono />
            <TextField label={t.try_it.draft_name} value={name} onChange={set_name} mono />
          </div>
        </details>
      </form>
      {state.error !== undefined && <ErrorNotice error={state.error} />}
      {state.result && <Result result={state.result} incomplete={state.incomplete ?? false} testid="inspect-result" />}
      {state.result?.draft && <Result result={state.result.draft} title={t.try_it.with_draft} incomplete={state.incomplete ?? false} testid="inspect-draft" />}
    </div>
  );
}
