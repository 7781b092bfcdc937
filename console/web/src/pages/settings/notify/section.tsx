// Notifications: who is told, when, and how it went.
import { useState } from 'preact/hooks';
import { alerts_api, channels_api, notify_status, type Alert, type Channel, type NotifyStatus } from '../../../api/notify';
import type { Me } from '../../../api/types';
import { time_text } from '../../../lib/format';
import { problem_text } from '../../../lib/reasons';
import { use_load } from '../../../state/load';
import { may } from '../../../state/session';
import { say, t } from '../../../text';
import { Dot } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Hostile } from '../../../ui/hostile';
import { Empty, Notice, Pending } from '../../../ui/panel';
import { Table } from '../../../ui/table';
import { RemoveButton, SectionHead } from '../crud';
import { AlertDialog } from './alert_dialog';
import { ChannelDialog } from './channel_dialog';

const status_every_ms = 5000;

const where_of = (channel: Channel): string => (channel.kind === 'mail' ? channel.recipients.join(', ') : channel.origin);

// One sentence of what the rule looks at.
export function condition_of(alert: Alert): string {
  const { count, minutes, hours } = alert;
  const of = t.notify.ofs[alert.of] ?? alert.of;
  return say(t.notify.conditions[alert.when] ?? alert.when, { n: count, minutes, hours, of, query: alert.query || t.notify.every_event });
}

function ChannelState({ channel, status }: { channel: Channel; status: NotifyStatus | undefined }) {
  const state = status?.channels.find(({ id }) => id === channel.id);
  const last = status?.history.find((sending) => sending.channel === channel.id);
  if (!channel.enabled) return <Dot tone="quiet" text={t.notify.off} />;
  if (last && !last.sent) return <Dot tone="bad" text={state && state.waiting > 0 ? say(t.notify.failing, { n: state.waiting }) : t.notify.failed} />;
  if (state && state.waiting > 0) return <Dot tone="warn" text={say(t.notify.waiting, { n: state.waiting })} />;
  return <Dot tone="good" text={last ? t.notify.well : t.notify.ready} />;
}

function Channels({ list, status, admin, edit, reload }: { list: readonly Channel[]; status: NotifyStatus | undefined; admin: boolean; edit: (channel: Channel) => void; reload: () => void }) {
  return (
    <Table testid="channels" row_testid="channel-row" rows={list} key_of={(channel) => channel.id} row_class={(channel) => (channel.enabled ? '' : 'off')} columns={[
      { id: 'name', title: t.notify.name, draw: (channel) => <Hostile text={channel.name} />, sort: (channel) => channel.name },
      { id: 'kind', title: t.notify.kind, kind: 'short', draw: (channel) => (channel.kind === 'mail' ? t.notify.kinds[channel.kind] : t.notify.formats[channel.format]) ?? channel.kind },
      { id: 'where', title: t.notify.where, draw: (channel) => <Hostile text={where_of(channel)} /> },
      { id: 'state', title: t.notify.state, draw: (channel) => <ChannelState channel={channel} status={status} /> },
      { id: 'act', title: '', kind: 'act', draw: (channel) => admin && (
        <>
          <Button small onClick={() => edit(channel)} data-testid="channel-edit">{t.common.edit}</Button>
          <RemoveButton title={t.common.remove} text={channel.name} remove={() => channels_api.remove(channel.id, channel.etag)} done={reload} />
        </>
      ) },
    ]} />
  );
}

function Alerts({ list, channels, status, operator, edit, reload }: { list: readonly Alert[]; channels: readonly Channel[]; status: NotifyStatus | undefined; operator: boolean; edit: (alert: Alert) => void; reload: () => void }) {
  const told = (alert: Alert): string => (alert.channels.length === 0 ? t.notify.all_channels : alert.channels.map((id) => channels.find((channel) => channel.id === id)?.name ?? id).join(', '));
  const state = (alert: Alert) => {
    if (!alert.enabled) return <Dot tone="quiet" text={t.notify.off} />;
    return status?.active.includes(alert.id) ? <Dot tone="bad" text={t.notify.active} /> : <Dot tone="good" text={t.notify.calm} />;
  };
  return (
    <Table testid="alerts" row_testid="alert-row" rows={list} key_of={(alert) => alert.id} row_class={(alert) => (alert.enabled ? '' : 'off')} columns={[
      { id: 'name', title: t.notify.name, draw: (alert) => <Hostile text={alert.name} />, sort: (alert) => alert.name },
      { id: 'when', title: t.notify.when, draw: (alert) => <Hostile text={condition_of(alert)} /> },
      { id: 'channels', title: t.notify.channels, draw: (alert) => <Hostile text={told(alert)} /> },
      { id: 'state', title: t.notify.state, kind: 'short', draw: state },
      { id: 'act', title: '', kind: 'act', draw: (alert) => operator && (
        <>
          <Button small onClick={() => edit(alert)} data-testid="alert-edit">{t.common.edit}</Button>
          <RemoveButton title={t.common.remove} text={alert.name} remove={() => alerts_api.remove(alert.id, alert.etag)} done={reload} />
        </>
      ) },
    ]} />
  );
}

function History({ status }: { status: NotifyStatus }) {
  return (
    <Table testid="sendings" row_testid="sending" rows={status.history} key_of={(sending) => `${sending.time_ms} ${sending.channel} ${sending.attempt}`} columns={[
      { id: 'time', title: t.notify.time, kind: 'short', draw: (sending) => time_text(sending.time_ms), sort: (sending) => sending.time_ms },
      { id: 'name', title: t.notify.channel, draw: (sending) => <Hostile text={sending.name} />, sort: (sending) => sending.name },
      { id: 'subject', title: t.notify.subject, draw: (sending) => <Hostile text={sending.subject} /> },
      { id: 'result', title: t.notify.result, draw: (sending) => <Dot tone={sending.sent ? 'good' : 'bad'} text={problem_text(sending.text)} />, sort: (sending) => Number(sending.sent) },
    ]} />
  );
}

export function NotifySection({ me }: { me: Me }) {
  const channels = use_load('channels', channels_api.list);
  const alerts = use_load('alerts', alerts_api.list);
  const status = use_load('notify_status', notify_status, status_every_ms);
  const [channel, edit_channel] = useState<Channel | 'new'>();
  const [alert, edit_alert] = useState<Alert | 'new'>();
  const admin = may(me, 'admin');
  const operator = may(me, 'operator');
  const of = <T,>(editing: T | 'new'): T | undefined => (editing === 'new' ? undefined : editing);
  return (
    <div class="section" data-testid="notify">
      <SectionHead title={t.settings.section.notify as string} lead={t.notify.lead} action={admin && <Button kind="primary" icon="plus" onClick={() => edit_channel('new')} data-testid="channel-add">{t.notify.add_channel}</Button>} />
      {status.value?.notice && <Notice tone="warn">{status.value.notice}</Notice>}
      {status.value && status.value.overtaken > 0 && <Notice tone="warn">{say(t.notify.overtaken, { n: status.value.overtaken })}</Notice>}
      <Pending of={channels} />
      {channels.value?.length === 0 && <Empty title={t.notify.no_channels}><p>{t.notify.no_channels_text}</p></Empty>}
      {channels.value && channels.value.length > 0 && <Channels list={channels.value} status={status.value} admin={admin} edit={edit_channel} reload={() => { channels.reload(); status.reload(); }} />}
      <header class="section-head"><div><h2>{t.notify.alerts}</h2><p class="lead">{t.notify.alerts_lead}</p></div>
        {operator && <Button icon="plus" onClick={() => edit_alert('new')} data-testid="alert-add">{t.notify.add_alert}</Button>}</header>
      <Pending of={alerts} />
      {alerts.value?.length === 0 && <Empty title={t.notify.no_alerts}><p>{t.notify.no_alerts_text}</p></Empty>}
      {alerts.value && alerts.value.length > 0 && <Alerts list={alerts.value} channels={channels.value ?? []} status={status.value} operator={operator} edit={edit_alert} reload={() => { alerts.reload(); status.reload(); }} />}
      {status.value && status.value.history.length > 0 && <><header class="section-head"><div><h2>{t.notify.history}</h2><p class="lead">{t.notify.history_lead}</p></div></header><History status={status.value} /></>}
      {channel && <ChannelDialog channel={of(channel)} done={() => { edit_channel(undefined); channels.reload(); }} close={() => edit_channel(undefined)} />}
      {alert && <AlertDialog alert={of(alert)} channels={channels.value ?? []} done={() => { edit_alert(undefined); alerts.reload(); }} close={() => edit_alert(undefined)} />}
    </div>
  );
}
