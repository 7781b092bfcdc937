// What is set for the whole node: time zone, trusted proxies, database of source locations. What is not set is as the configuration has it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { system_api } from '../../api/settings';
import type { Me, NodeSettings, NodeValues, Role } from '../../api/types';
import { problem_text } from '../../lib/reasons';
import { zones } from '../../lib/zones';
import { use_load } from '../../state/load';
import { may, refresh_session } from '../../state/session';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { AreaField, Check, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Card, Notice, Pending } from '../../ui/panel';
import { EditDialog, lines_of } from './crud';

function Part({ title, configured, own, set_own, testid, children }: { title: string; configured: string; own: boolean; set_own: (own: boolean) => void; testid: string; children: ComponentChildren }) {
  return (
    <fieldset class="part">
      <legend>{title}</legend>
      <Check label={say(t.node.as_configured, { value: configured })} checked={!own} onChange={(kept) => set_own(!kept)} data-testid={testid} />
      {own && children}
    </fieldset>
  );
}

function NodeDialog({ now, done, close }: { now: NodeSettings; done: () => void; close: () => void }) {
  const { configured } = now;
  const [own, set_own] = useState({ zone: now.time_zone !== null, proxies: now.trusted_proxies !== null, places: now.geoip_database !== null });
  const [zone, set_zone] = useState(now.time_zone ?? configured.time_zone);
  const [proxies, set_proxies] = useState((now.trusted_proxies ?? configured.trusted_proxies).join('\n'));
  const [places, set_places] = useState(now.geoip_database ?? configured.geoip_database);
  const [roles, set_roles] = useState(now.second_factor_roles ?? []);
  const save = (): Promise<unknown> => system_api.change({
    time_zone: own.zone ? zone.trim() : null,
    trusted_proxies: own.proxies ? lines_of(proxies) : null,
    geoip_database: own.places ? places.trim() : null,
    second_factor_roles: roles.length > 0 ? roles : null,
  }, now.etag);
  return (
    <EditDialog title={t.node.title} save={save} done={done} onClose={close} testid="node-dialog">
      {(error_of) => (
        <>
          <Part title={t.node.time_zone} configured={configured.time_zone} own={own.zone} set_own={(zone) => set_own({ ...own, zone })} testid="node-zone-configured">
            <TextField label={t.node.time_zone_label} value={zone} onChange={set_zone} hint={t.node.time_zone_hint} error={error_of('time_zone')} list="time-zones" wide data-testid="node-zone" />
            <datalist id="time-zones">{zones().map((name) => <option key={name} value={name} />)}</datalist>
          </Part>
          <Part title={t.node.trusted_proxies} configured={configured.trusted_proxies.join(', ') || t.node.loopback} own={own.proxies} set_own={(proxies) => set_own({ ...own, proxies })} testid="node-proxies-configured">
            <AreaField label={t.node.trusted_proxies_label} value={proxies} onChange={set_proxies} hint={t.node.trusted_proxies_hint} error={error_of('trusted_proxies')} data-testid="node-proxies" />
          </Part>
          <Part title={t.node.geoip_database} configured={configured.geoip_database || t.node.none} own={own.places} set_own={(places) => set_own({ ...own, places })} testid="node-places-configured">
            <TextField label={t.node.geoip_database_label} value={places} onChange={set_places} hint={t.node.geoip_database_hint} error={error_of('geoip_database')} mono wide data-testid="node-places" />
          </Part>
          <fieldset class="part">
            <legend>{t.node.second_factor}</legend>
            <p class="hint">{t.node.second_factor_hint}</p>
            {(Object.keys(t.role) as Role[]).map((role) => (
              <Check key={role} label={t.role[role]} checked={roles.includes(role)} onChange={(on) => set_roles(on ? [...roles, role] : roles.filter((one) => one !== role))} data-testid={`factor-role-${role}`} />
            ))}
          </fieldset>
        </>
      )}
    </EditDialog>
  );
}

function Value({ name, texts, set, testid }: { name: string; texts: readonly string[]; set: boolean; testid: string }) {
  return <div><dt>{name}</dt><dd data-testid={testid}>{texts.map((text) => <span key={text} class="one-of"><Hostile text={text} /> </span>)}<span class="muted">{set ? t.node.set_here : t.node.configured}</span></dd></div>;
}

export function NodeCard({ me, changed }: { me: Me; changed: () => void }) {
  const editable = may(me, 'admin') && me.settings_file === '';
  const loaded = use_load('system', (signal) => system_api.read(signal));
  const [open, set_open] = useState(false);
  const now = loaded.value;
  const values: NodeValues | undefined = now && {
    time_zone: now.time_zone ?? now.configured.time_zone,
    trusted_proxies: now.trusted_proxies ?? now.configured.trusted_proxies,
    geoip_database: now.geoip_database ?? now.configured.geoip_database,
  };
  return (
    <Card title={t.node.title} testid="system-node">
      <Pending of={loaded} />
      {now && values && (
        <dl class="pairs">
          <Value name={t.node.time_zone} texts={[values.time_zone]} set={now.time_zone !== null} testid="node-value-zone" />
          <Value name={t.node.trusted_proxies} texts={values.trusted_proxies.length === 0 ? [t.node.loopback] : values.trusted_proxies} set={now.trusted_proxies !== null} testid="node-value-proxies" />
          <div><dt>{t.node.second_factor}</dt><dd data-testid="node-value-factor">{(now.second_factor_roles ?? []).map((role) => t.role[role as Role]).join(t.common.list_separator) || t.node.none}</dd></div>
          <Value name={t.node.geoip_database} texts={[values.geoip_database || t.node.none]} set={now.geoip_database !== null} testid="node-value-places" />
        </dl>
      )}
      {now?.warnings.map((text) => <Notice key={text} tone="warn" testid="node-warning"><Hostile text={problem_text(text)} /></Notice>)}
      {me.settings_file !== '' && <p class="hint" data-testid="node-of-file">{t.settings.of_file} <code>{me.settings_file}</code>. {t.settings.of_file_how}</p>}
      {now && editable && <div class="button-row"><Button onClick={() => set_open(true)} data-testid="node-edit">{t.common.edit}</Button></div>}
      {now && open && <NodeDialog now={now} done={() => { set_open(false); loaded.reload(); changed(); void refresh_session(); }} close={() => { set_open(false); loaded.reload(); }} />}
    </Card>
  );
}
