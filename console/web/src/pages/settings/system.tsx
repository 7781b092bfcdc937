// What the configuration file and the command line decide: shown here, with the key that changes it.
import type { ComponentChildren } from 'preact';
import { status_api } from '../../api/settings';
import { time_text } from '../../lib/format';
import { use_load } from '../../state/load';
import { t } from '../../text';
import { Hostile } from '../../ui/hostile';
import { Card, ErrorNotice, Notice } from '../../ui/panel';
import { SectionHead } from './crud';

const refresh_ms = 5_000;

function Pair({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

export function SystemSection() {
  const status = use_load('status', (signal) => status_api.read(signal), refresh_ms);
  const now = status.value;
  return (
    <div class="section">
      <SectionHead title={t.settings.section.system as string} lead={t.system.lead} />
      {status.error !== undefined && <ErrorNotice error={status.error} retry={status.reload} />}
      {now && (
        <>
          <Card title={t.system.places} testid="system-places">
            {now.geoip.error !== '' && <Notice tone="bad"><Hostile text={now.geoip.error} /></Notice>}
            {now.geoip.database === ''
              ? <p class="lead">{t.system.no_places}</p>
              : (
                <dl class="pairs">
                  <Pair name={t.system.file}><span class="mono breakable">{now.geoip.database}</span></Pair>
                  <Pair name={t.system.database}><Hostile text={now.geoip.type} /></Pair>
                  <Pair name={t.system.built}>{time_text(now.geoip.built_s * 1000)}</Pair>
                </dl>
              )}
            <p class="hint">{t.system.places_how} <code>geoip.database</code>, <code>packaging/geoip</code></p>
          </Card>
          <Card title={t.system.certificate} testid="system-certificate">
            <dl class="pairs">
              <Pair name="SHA-256"><span class="mono breakable">{now.console.fingerprint_sha256}</span></Pair>
            </dl>
            <p class="hint">{t.system.certificate_how} <code>console.certificate</code>, <code>console.key</code></p>
          </Card>
          <Card title={t.system.other} testid="system-other">
            <dl class="pairs">
              {t.system.keys.map(([key, text]) => <Pair key={key} name={text}><code>{key}</code></Pair>)}
            </dl>
            <p class="hint">{t.system.other_how} <code>wafd config defaults</code></p>
          </Card>
        </>
      )}
    </div>
  );
}
