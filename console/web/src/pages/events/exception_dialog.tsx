// "This is legitimate": an exception prefilled from the event, with what it would change beside it.
import { useEffect, useState } from 'preact/hooks';
import { ApiError, is_abort } from '../../api/client';
import { exceptions_api, type ExceptionPreview } from '../../api/exceptions';
import type { EventDetail } from '../../api/types';
import { reason_text } from '../../lib/reasons';
import { body_of, draft_from, host_pattern, name_pattern, nameable_path, path_pattern, type ExceptionDraft } from '../../lib/exception_draft';
import { count_text, time_text } from '../../lib/format';
import { term } from '../../lib/query';
import { href } from '../../state/route';
import { attack_words, say, t } from '../../text';
import { Button, Link } from '../../ui/button';
import { Segments, SelectField, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';
import { Dialog, ErrorNotice, member_error, Notice } from '../../ui/panel';
import { ExpiryField } from '../settings/crud';

const pause_ms = 200;
const places = ['urlpath', 'query', 'header', 'cookie', 'body', 'file'];

interface Told {
  value: ExceptionPreview | undefined;
  error: unknown;
  stale: boolean;  // of a draft that has changed since
}

function use_preview(draft: ExceptionDraft, event_id: string): Told {
  const { comment: _comment, expires_s: _expires, ...conditions } = draft;
  const key = JSON.stringify(conditions);
  const [told, tell] = useState<Told>({ value: undefined, error: undefined, stale: true });
  useEffect(() => {
    const abort = new AbortController();
    tell((old) => ({ ...old, stale: true }));
    const timer = setTimeout(() => {
      exceptions_api.preview({ ...conditions, event_id }, abort.signal).then(
        (value) => tell({ value, error: undefined, stale: false }),
        (error: unknown) => { if (!is_abort(error)) tell((old) => ({ ...old, error, stale: false })); },
      );
    }, pause_ms);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [key]);
  return told;
}

// Other ways to say it, one click away.
function Choices({ options, value, choose }: { options: [text: string, label: string][]; value: string; choose: (text: string) => void }) {
  const offered = options.filter(([text], i) => text !== value && options.findIndex(([other]) => other === text) === i);
  if (offered.length === 0) return null;
  return <span class="choices">{offered.map(([text, label]) => <button key={text} type="button" class="choice" onClick={() => choose(text)}><Hostile text={label} /></button>)}</span>;
}

function Count({ n, label, tone, testid }: { n: number | undefined; label: string; tone: string; testid: string }) {
  return <div class={`preview-count preview-${tone}`} data-testid={testid}><strong>{n === undefined ? '–' : count_text(n)}</strong><span>{label}</span></div>;
}
function looked_at_text(p: ExceptionPreview): string {
  const words = t.exception_preview;
  const open = { n: p.looked_at, since: p.oldest_ms ? time_text(p.oldest_ms) : '' };
  if (p.complete) return say(p.oldest_ms ? words.of_since : words.of, open);
  return say(p.oldest_ms ? words.of_partly_since : words.of_partly, open);
}

function Preview({ told }: { told: Told }) {
  const p = told.value;
  const words = t.exception_preview;
  return (
    <section class={`exception-preview${told.stale ? ' stale' : ''}`} aria-label={words.title} aria-busy={told.stale ? 'true' : 'false'} data-testid="exception-preview">
      <h3>{words.title}</h3>
      <div class="preview-counts">
        <Count n={p?.would_pass} label={words.would_pass} tone="pass" testid="preview-pass" />
        <Count n={p?.still_denied} label={words.still_denied} tone="deny" testid="preview-denied" />
        <Count n={p?.unknown} label={words.unknown} tone="unknown" testid="preview-unknown" />
      </div>
      {p && <p class={p.event === 'passes' ? 'preview-event good' : 'preview-event'} data-testid="preview-event"><Icon name={p.event === 'passes' ? 'check' : 'warning'} />{words.event[p.event ?? 'gone']}</p>}
      {p && <p class="hint">{looked_at_text(p)}</p>}
      {p && p.sources.length > 0 && (
        <>
          {p.attacking_sources > 0 && <Notice tone="warn" testid="preview-attackers">{say(words.attackers, { n: p.attacking_sources })}</Notice>}
          <h4>{say(words.others, { n: p.other_sources })}</h4>
          <ul class="preview-sources">
            {p.sources.map((s) => (
              <li key={s.src} class={s.other_events > 0 ? 'attacker' : ''}>
                {s.other_events > 0 ? <Icon name="warning" /> : <span class="icon" />}
                <Link to={href('events', { q: term('src', s.src), range: 'all' })} class="mono"><Hostile text={s.src} /></Link>
                <span>{say(words.source_pass, { n: s.would_pass })}</span>
                <span class="muted">{s.other_events > 0 ? say(words.source_other, { n: s.other_events }) : ''}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {p && p.sources.length === 0 && p.would_pass > 0 && <p class="hint">{words.no_others}</p>}
    </section>
  );
}

export function ExceptionDialog({ event, done, close }: { event: EventDetail; done: () => void; close: () => void }) {
  const first = draft_from(event);
  const [draft, set_draft] = useState<ExceptionDraft>(first);
  const [busy, set_busy] = useState(false);
  const [refused, set_refused] = useState<unknown>();
  const change = (patch: Partial<ExceptionDraft>): void => { set_draft((d) => ({ ...d, ...patch })); set_refused(undefined); };
  const told = use_preview(draft, event.record.event_id);
  const error = refused ?? told.error;
  const member = error instanceof ApiError ? error.problem.member : undefined;
  const error_of = (name: string): string | undefined => (member === name ? member_error(error, member) : undefined);
  const at_field = member !== undefined && member in draft;
  const { record, detail } = event;
  const finding = detail.findings?.[detail.weightiest ?? 0];
  const type = finding?.attack_type ?? record.attack_type;
  const kind = draft.rule_id !== '' ? 'rule' : draft.attack_type !== null ? 'type' : 'any';
  const choose_kind = (next: string): void => change({ rule_id: next === 'rule' ? first.rule_id : '', attack_type: next === 'type' ? type : null });
  const submit = async (submitted: Event): Promise<void> => {
    submitted.preventDefault();
    set_busy(true);
    try {
      await exceptions_api.add({ enabled: true, ...body_of(draft, record.event_id) });
      done();
    } catch (caught) {
      set_refused(caught);
      set_busy(false);
    }
  };
  const x = t.exceptions;
  return (
    <Dialog title={x.from_event} onClose={close} testid="event-exception" wide>
      <form class="exception-columns" onSubmit={submit} noValidate>
        <div class="form">
          <p class="hint">{x.narrow}</p>
          <TextField label={x.host} value={draft.host} onChange={(host) => change({ host })} error={error_of('host')} mono data-testid="ex-host"
            hint={<Choices value={draft.host} choose={(host) => change({ host })} options={[[host_pattern(record.host), host_pattern(record.host)], ['', x.any_host]]} />} />
          <TextField label={x.path} value={draft.path} onChange={(path) => change({ path })} error={error_of('path')} mono data-testid="ex-path"
            hint={<Choices value={draft.path} choose={(path) => change({ path })}
              options={nameable_path(record.urlpath) ? [[path_pattern(record.urlpath), path_pattern(record.urlpath)], [record.urlpath, record.urlpath], ['', x.any_path]] : [['', x.any_path]]} />} />
          <div class="form-row">
            <SelectField label={x.location} value={draft.location} onChange={(location) => change({ location })} error={error_of('location')}
              options={[['', x.any], ...[...new Set([first.location, ...places])].filter(Boolean).map((p) => [p, t.place[p] ?? p] as const)]} />
            <TextField label={x.name} value={draft.name} onChange={(name) => change({ name })} error={error_of('name')} mono data-testid="ex-name"
              hint={<Choices value={draft.name} choose={(name) => change({ name })} options={finding?.name ? [[name_pattern(finding.name), name_pattern(finding.name)], [finding.name, finding.name], ['', x.any_name]] : [['', x.any_name]]} />} />
          </div>
          <div class="field">
            <span class="field-label">{x.what}</span>
            <Segments label={x.what} value={kind} onChange={choose_kind} options={[['rule', x.this_rule], ['type', say(x.all_of, { type: attack_words(type) })], ['any', x.anything]]} />
            <p class="hint">{kind === 'rule' ? <><Hostile text={reason_text(finding?.rule_name ?? '')} /> <code>{draft.rule_id}</code></> : kind === 'type' ? attack_words(type) : x.anything_hint}</p>
          </div>
          <ExpiryField value={draft.expires_s} onChange={(expires_s) => change({ expires_s })} error={error_of('expires_s')} />
          <TextField label={x.comment} value={draft.comment} onChange={(comment) => change({ comment })} error={error_of('comment')} placeholder={x.why} wide data-testid="ex-comment" />
          {error !== undefined && !at_field && <ErrorNotice error={error} />}
          <footer class="dialog-foot">
            <span class="muted at-once">{x.at_once}</span>
            <Button onClick={close}>{t.common.cancel}</Button>
            <Button type="submit" kind="primary" busy={busy} data-testid="save">{x.allow}</Button>
          </footer>
        </div>
        <Preview told={told} />
      </form>
    </Dialog>
  );
}
