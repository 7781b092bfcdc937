// The connection test: the form as it stands, in stages, with a verdict of honest strength.
import { useState } from 'preact/hooks';
import { ApiError } from '../../../api/client';
import { targets_api } from '../../../api/settings';
import type { TestResult, TestStage } from '../../../api/types';
import { time_text } from '../../../lib/format';
import type { TargetDraft } from '../../../lib/target_form';
import { problem_text } from '../../../lib/reasons';
import { say, t } from '../../../text';
import { Button, CopyButton } from '../../../ui/button';
import { Hostile } from '../../../ui/hostile';
import { Icon } from '../../../ui/icon';
import { Card, ErrorNotice, Notice } from '../../../ui/panel';

// Only an acknowledgement is green. "Sent" is what UDP can say at best, and looks like it.
const verdict_tones: Record<TestResult['verdict'], 'good' | 'info' | 'bad'> = {
  acknowledged: 'good', accepted: 'good', sent: 'info', closed: 'bad', failed: 'bad',
};

function detail_text(name: string, value: unknown): string {
  if (name === 'not_after' && typeof value === 'number') return time_text(value * 1000);
  if (typeof value === 'boolean') return value ? t.common.yes : t.common.no;
  if (name === 'framing' && typeof value === 'string') return t.syslog.framings[value] ?? value;
  if (Array.isArray(value)) return value.map((one) => detail_text(name, one)).join(', ');
  if (value !== null && typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

export function Stage({ stage, udp }: { stage: TestStage; udp: boolean }) {
  // On UDP nothing from the socket on proves anything: no tick for it.
  const proves = !udp || stage.name === 'resolve';
  const icon = !stage.ok ? 'close' : proves ? 'check' : 'minus';
  const details = Object.entries(stage.detail).filter(([, value]) => value !== '' && value !== null);
  return (
    <li class={`stage stage-${stage.ok ? (proves ? 'ok' : 'open') : 'bad'}`} data-testid={`stage-${stage.name}`} data-ok={stage.ok ? 'true' : 'false'}>
      <span class="stage-icon"><Icon name={icon} /></span>
      <span class="stage-name">{t.syslog.stage[stage.name] ?? stage.name}</span>
      <span class="stage-ms">{say(t.syslog.stage_ms, { ms: stage.ms < 10 ? stage.ms.toFixed(2) : String(Math.round(stage.ms)) })}</span>
      {stage.error && <p class="stage-error"><Hostile text={problem_text(stage.error)} /></p>}
      {details.length > 0 && (
        <dl class="stage-detail">
          {details.map(([name, value]) => <div key={name}><dt>{t.syslog.stage_detail[name] ?? name.replace(/_/g, ' ')}</dt><dd><Hostile text={detail_text(name, value)} /></dd></div>)}
        </dl>
      )}
    </li>
  );
}

// What to search for at the receiver: only a sample has it.
function event_id_of(result: TestResult): string {
  const id = result.stages.find((stage) => stage.name === 'write')?.detail['event_id'];
  return typeof id === 'string' ? id : '';
}

// What the receiver showed of itself in a stage of TLS that it was not believed in.
function untrusted_of(result: TestResult): string {
  const detail = result.stages.find((stage) => stage.name === 'tls')?.detail;
  const shown = detail?.['fingerprint_sha256'];
  return typeof shown === 'string' && detail?.['verified'] === false ? shown : '';
}

// A connection that was made and ended by the other side: its port is open.
function was_open(result: TestResult): boolean {
  return result.verdict === 'closed' && result.stages.some((stage) => stage.name === 'after' && 'how' in stage.detail);
}

function Result({ result, udp, stale, trust }: { result: TestResult; udp: boolean; stale: boolean; trust: (fingerprint: string) => void }) {
  const event_id = event_id_of(result);
  const untrusted = untrusted_of(result);
  const written = result.stages.some((stage) => stage.name === 'write' && stage.ok);
  return (
    <div class={`test-result${stale ? ' stale' : ''}`}>
      <Notice tone={verdict_tones[result.verdict]} testid="test-verdict">
        <strong data-verdict={result.verdict}>{t.syslog.verdict[was_open(result) ? 'ended' : result.verdict] ?? result.verdict}</strong>
        <p><Hostile text={problem_text(result.text)} /></p>
      </Notice>
      {stale && <p class="hint">{t.syslog.test_stale}</p>}
      <ol class="stages">{result.stages.map((stage) => <Stage key={stage.name} stage={stage} udp={udp} />)}</ol>
      {untrusted !== '' && (
        <Notice tone="warn" testid="test-trust">
          {t.syslog.trust_text}
          <p><Button small onClick={() => trust(untrusted)} data-testid="trust">{t.syslog.trust}</Button></p>
        </Notice>
      )}
      {result.message !== '' && <><h3>{written ? t.syslog.test_message : t.syslog.test_unsent}</h3><pre class="raw" tabIndex={0} data-testid="test-message"><Hostile text={result.message} /></pre></>}
      {event_id !== '' && (
        <p class="test-id">{t.syslog.test_search}: <code data-testid="test-event-id">{event_id}</code> <CopyButton label={t.common.copy} text={() => event_id} /></p>
      )}
    </div>
  );
}

export function TestPanel({ draft, object, id, on_problem, trust }: {
  draft: TargetDraft; object: () => Record<string, unknown>; id: string | undefined; on_problem: (error: unknown) => void;
  trust: (fingerprint: string) => void;
}) {
  const [state, set_state] = useState<{ busy: 'connectivity' | 'sample' | ''; result?: TestResult; error?: unknown; tested?: string; udp?: boolean }>({ busy: '' });
  const run = async (send: 'connectivity' | 'sample'): Promise<void> => {
    const tested = JSON.stringify(draft);
    const udp = draft.transport === 'udp';
    set_state((s) => ({ ...s, busy: send, error: undefined }));
    on_problem(undefined);
    try {
      const result = await targets_api.test({ ...object(), ...(id ? { id } : {}) }, send);
      set_state({ busy: '', result, tested, udp });
    } catch (error) {
      if (error instanceof ApiError && error.problem.status === 422) on_problem(error);
      set_state({ busy: '', error });
    }
  };
  return (
    <Card title={t.syslog.test} testid="test-panel">
      <p class="lead">{t.syslog.test_lead}</p>
      <div class="button-row">
        <Button kind="primary" icon="bolt" busy={state.busy === 'connectivity'} disabled={state.busy !== ''} onClick={() => void run('connectivity')} data-testid="test-connection">{t.syslog.test}</Button>
        <Button busy={state.busy === 'sample'} disabled={state.busy !== ''} onClick={() => void run('sample')} data-testid="test-sample">{t.syslog.test_sample}</Button>
      </div>
      <div aria-live="polite">
        {state.busy !== '' && <p class="muted">{t.syslog.testing}…</p>}
        {state.error !== undefined && <ErrorNotice error={state.error} />}
        {state.result && state.busy === '' && <Result result={state.result} udp={state.udp ?? false} stale={state.tested !== JSON.stringify(draft)} trust={trust} />}
      </div>
    </Card>
  );
}
