// Syslog targets: the list, or the form of one of them.
import { useState } from 'preact/hooks';
import { problem_text } from '../../../lib/reasons';
import { targets_api } from '../../../api/settings';
import type { Me, Target } from '../../../api/types';
import { count_text } from '../../../lib/format';
import { target_state } from '../../../lib/target_words';
import { use_load } from '../../../state/load';
import { go, href, use_route } from '../../../state/route';
import { may } from '../../../state/session';
import { t } from '../../../text';
import { Dot } from '../../../ui/badge';
import { Button, Link } from '../../../ui/button';
import { Hostile } from '../../../ui/hostile';
import { Empty, Notice, Pending } from '../../../ui/panel';
import { Table } from '../../../ui/table';
import { Ago } from '../../../ui/time';
import { TargetForm } from './form';

const refresh_ms = 3_000;

export const list_address = href('settings', { section: 'syslog' });
const form_address = (id: string): string => href('settings', { section: 'syslog', target: id });

function Warnings({ target }: { target: Target }) {
  return <>{target.warnings?.map((text) => <p key={text} class="hint" data-testid="target-warning"><Hostile text={problem_text(text)} /></p>)}</>;
}

const state_of = (target: Target): ReturnType<typeof target_state> => target_state(target.status, target.transport, target.enabled);

function Targets({ targets, admin }: { targets: Target[]; admin: boolean }) {
  if (targets.length === 0) {
    return <Empty title={t.syslog.empty}><p>{t.syslog.empty_text}</p>{admin && <Link to={form_address('new')} class="button primary"><span>{t.syslog.add}</span></Link>}</Empty>;
  }
  return (
    <Table testid="targets" row_testid="target-row" rows={targets} key_of={(target) => target.id ?? ''} row_data={(target) => ({ 'data-target-id': target.id })} columns={[
      { id: 'name', title: t.syslog.name, draw: (target) => <><Link to={form_address(target.id ?? '')} class="row-link"><Hostile text={target.name} /></Link><Warnings target={target} /></>, sort: (target) => target.name },
      { id: 'state', title: t.overview.state, draw: (target) => { const state = state_of(target); return <Dot tone={state.tone} text={t.target_state[state.key] ?? state.key} />; }, sort: (target) => state_of(target).key },
      { id: 'address', title: t.overview.address, kind: 'code', draw: (target) => `${t.syslog.transports[target.transport]} ${target.host}:${target.port}`, sort: (target) => target.host },
      { id: 'events', title: t.syslog.filter, draw: (target) => (target.filter ? <code class="breakable"><Hostile text={target.filter} breaks /></code> : <span class="muted">{t.syslog.all_events}</span>) },
      { id: 'lag', title: t.overview.lag, kind: 'number', draw: (target) => (target.status ? count_text(target.status.lag_events) : '–'), sort: (target) => target.status?.lag_events ?? -1 },
      { id: 'sent', title: t.overview.sent, kind: 'number', testid: 'target-sent', draw: (target) => (target.status ? count_text(target.status.sent) : '–'), sort: (target) => target.status?.sent ?? -1 },
      { id: 'lost', title: t.overview.lost, kind: 'number', draw: (target) => <span class={target.status && target.status.lost > 0 ? 'bad' : ''}>{target.status ? count_text(target.status.lost) : '–'}</span>, sort: (target) => target.status?.lost ?? -1 },
      { id: 'error', title: t.overview.last_error, draw: (target) => (target.status?.last_error ? <><Hostile text={target.status.last_error} /> <span class="muted"><Ago ms={target.status.last_error_ms} now={Date.now()} /></span></> : <span class="muted">{t.common.none}</span>) },
    ]} />
  );
}

export function SyslogSection({ me }: { me: Me }) {
  const { params } = use_route();
  const wanted = params.get('target');
  const list = use_load('targets', targets_api.list, refresh_ms);
  const [saved, set_saved] = useState(false);
  const admin = may(me, 'admin');
  const target = list.value?.find((item) => item.id === wanted);

  const leave = (did_save: boolean): void => {
    set_saved(did_save);
    list.reload();
    go(list_address);
  };
  if (wanted === 'new') return <TargetForm me={me} leave={leave} />;
  if (wanted && target) return <TargetForm key={wanted} me={me} stored={target} leave={leave} />;
  return (
    <div class="section">
      <header class="section-head">
        <div><h2>{t.settings.section.syslog}</h2><p class="lead">{t.syslog.lead}</p></div>
        {admin && <Button kind="primary" icon="plus" onClick={() => { set_saved(false); go(form_address('new')); }} data-testid="target-add">{t.syslog.add}</Button>}
      </header>
      {saved && <Notice tone="good" testid="saved">{t.syslog.saved}</Notice>}
      <Pending of={list} />
      {list.value && <Targets targets={list.value} admin={admin} />}
    </div>
  );
}
