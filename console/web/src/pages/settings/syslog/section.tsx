// Syslog targets: the list, or the form of one of them.
import { useState } from 'preact/hooks';
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
import { Empty, ErrorNotice, Notice } from '../../../ui/panel';
import { Ago } from '../../../ui/time';
import { TargetForm } from './form';

const refresh_ms = 3_000;

const short_host = 20;  // stays on one line
export const list_address = href('settings', { section: 'syslog' });
const form_address = (id: string): string => href('settings', { section: 'syslog', target: id });

function Warnings({ target }: { target: Target }) {
  return <>{target.warnings?.map((text) => <p key={text} class="hint" data-testid="target-warning"><Hostile text={text} /></p>)}</>;
}

function Row({ target }: { target: Target }) {
  const status = target.status ?? undefined;
  const state = target_state(status, target.transport, target.enabled);
  return (
    <tr data-testid="target-row" data-target-id={target.id}>
      <td><Link to={form_address(target.id ?? '')} class="row-link"><Hostile text={target.name} /></Link><Warnings target={target} /></td>
      <td><Dot tone={state.tone} text={t.target_state[state.key] ?? state.key} /></td>
      <td class={`mono${target.host.length <= short_host ? ' nowrap' : ''}`}>{t.syslog.transports[target.transport]} {target.host}:{target.port}</td>
      <td class="num">{status ? count_text(status.lag_events) : '–'}</td>
      <td class="num" data-testid="target-sent">{status ? count_text(status.sent) : '–'}</td>
      <td class={`num${status && status.lost > 0 ? ' bad' : ''}`}>{status ? count_text(status.lost) : '–'}</td>
      <td class="breakable">{status?.last_error ? <><Hostile text={status.last_error} /> <span class="muted"><Ago ms={status.last_error_ms} now={Date.now()} /></span></> : <span class="muted">{t.common.none}</span>}</td>
    </tr>
  );
}

function Targets({ targets, admin }: { targets: Target[]; admin: boolean }) {
  if (targets.length === 0) {
    return <Empty title={t.syslog.empty}><p>{t.syslog.empty_text}</p>{admin && <Link to={form_address('new')} class="button primary"><span>{t.syslog.add}</span></Link>}</Empty>;
  }
  return (
    <table class="table" data-testid="targets">
      <thead><tr><th>{t.syslog.name}</th><th>{t.overview.state}</th><th>{t.overview.address}</th><th class="num">{t.overview.lag}</th><th class="num">{t.overview.sent}</th><th class="num">{t.overview.lost}</th><th>{t.overview.last_error}</th></tr></thead>
      <tbody>{targets.map((target) => <Row key={target.id} target={target} />)}</tbody>
    </table>
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
      {list.error !== undefined && <ErrorNotice error={list.error} retry={list.reload} />}
      {list.value && <Targets targets={list.value} admin={admin} />}
    </div>
  );
}
