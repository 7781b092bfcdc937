// What people seldom touch: the console's certificate, source locations, and what the configuration file decides.
import { useState } from 'preact/hooks';
import { reason_text } from '../../lib/reasons';
import { config_api, status_api } from '../../api/settings';
import type { ConfigKey, Me, Status } from '../../api/types';
import { time_text } from '../../lib/format';
import { use_load } from '../../state/load';
import { may } from '../../state/session';
import { t } from '../../text';
import { TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Card, Empty, Notice, Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { CertificateCard } from './certificate';
import { SectionHead } from './crud';
import { NodeCard } from './node';

const refresh_ms = 5_000;

function Places({ geoip }: { geoip: Status['geoip'] }) {
  return (
    <Card title={t.system.places} testid="system-places">
      {geoip.error !== '' && <Notice tone="bad"><Hostile text={geoip.error} /></Notice>}
      {geoip.database === ''
        ? <p class="lead">{t.system.no_places}</p>
        : (
          <dl class="pairs">
            <div><dt>{t.system.file}</dt><dd class="mono">{geoip.database}</dd></div>
            <div><dt>{t.system.database}</dt><dd><Hostile text={geoip.type} /></dd></div>
            <div><dt>{t.system.built}</dt><dd>{time_text(geoip.built_s * 1000)}</dd></div>
          </dl>
        )}
      <p class="hint">{t.system.places_how} <code>packaging/geoip</code></p>
    </Card>
  );
}

function ConfigValue({ item }: { item: ConfigKey }) {
  const changed = item.value !== item.default;
  return (
    <>
      {item.value === '' ? <span class="muted">{t.system.empty}</span> : changed ? <strong><Hostile text={item.value} /></strong> : <Hostile text={item.value} />}
      {changed && <div class="muted">{t.system.of_default}: {item.default === '' ? t.system.empty : item.default}</div>}
    </>
  );
}

function Configuration({ keys }: { keys: ConfigKey[] }) {
  const [text, set_text] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = keys.filter((item) => `${item.key} ${item.value} ${item.help} ${reason_text(item.help)}`.toLowerCase().includes(wanted));
  return (
    <>
      <h3>{t.system.config}</h3>
      <p class="hint">{t.system.config_how}</p>
      <TextField label={t.system.search} value={text} onChange={set_text} data-testid="config-search" />
      {found.length === 0
        ? <Empty title={t.system.no_key} />
        : <Table testid="config" row_testid="config-key" rows={found} key_of={(item) => item.key} row_data={(item) => ({ 'data-key': item.key })} columns={[
          { id: 'key', title: t.system.columns.key, kind: 'code', draw: (item) => item.key, sort: (item) => item.key },
          { id: 'value', title: t.system.columns.value, kind: 'code', draw: (item) => <ConfigValue item={item} /> },
          { id: 'help', title: t.system.columns.meaning, draw: (item) => <span class="config-help">{reason_text(item.help)}</span> },
        ]} />}
    </>
  );
}

export function SystemSection({ me }: { me: Me }) {
  const status = use_load('status', (signal) => status_api.read(signal), refresh_ms);
  const config = use_load('config', (signal) => config_api.read(signal));
  return (
    <div class="section">
      <SectionHead title={t.settings.section.system as string} lead={t.system.lead} />
      <Pending of={status} />
      <NodeCard me={me} changed={() => { status.reload(); config.reload(); }} />
      <CertificateCard admin={may(me, 'admin')} />
      {status.value && <Places geoip={status.value.geoip} />}
      <Pending of={config} />
      {config.value && <Configuration keys={config.value} />}
    </div>
  );
}
