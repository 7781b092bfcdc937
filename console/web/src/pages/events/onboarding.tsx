// An empty ring: how the first request gets here, and whether one has come.
import { useState } from 'preact/hooks';
import { status_api } from '../../api/settings';
import type { Status } from '../../api/types';
import { count_text } from '../../lib/format';
import { filled, gateways, place_of, test_attack, type Listener, type Place } from '../../lib/gateways';
import { use_load } from '../../state/load';
import { say, t } from '../../text';
import { Dot } from '../../ui/badge';
import { CopyButton } from '../../ui/button';
import { DocLink } from '../../ui/doc_link';
import { SelectField } from '../../ui/field';

const refresh_ms = 2_000;

function place_in(status: Status, listener: Listener): Place | undefined {
  const found = status.listeners.find((one) => one.name === listener);
  return found && place_of(found.address, location.hostname);
}

function Copyable({ text, label, testid }: { text: string; label: string; testid: string }) {
  return (
    <div class="snippet" data-testid={testid}>
      <div class="snippet-copy"><CopyButton label={t.common.copy} text={() => text} /></div>
      <pre class="raw" tabIndex={0} aria-label={label}>{text}</pre>
    </div>
  );
}

function GatewaySnippet({ status }: { status: Status }) {
  const [id, choose] = useState((gateways[0] as (typeof gateways)[0]).id);
  const gateway = gateways.find((one) => one.id === id);
  if (!gateway) return null;
  const place = place_in(status, gateway.listener);
  return (
    <>
      <SelectField label={t.onboarding.gateway} value={id} onChange={choose} options={gateways.map((one) => [one.id, t.onboarding.gateways[one.id] ?? one.id] as const)} data-testid="onboarding-gateway" />
      {place ? <Copyable text={filled(gateway, place)} label={gateway.file} testid="onboarding-snippet" /> : <p class="hint warn-text" data-testid="onboarding-off">{say(t.onboarding.off, { listener: gateway.listener })}</p>}
    </>
  );
}

export function Onboarding() {
  const { value: status } = use_load('onboarding', (signal) => status_api.read(signal), refresh_ms);
  if (!status || status.ring.end_seq > status.ring.oldest_seq) return null;
  const requests = status.listeners.reduce((n, listener) => n + listener.requests, 0);
  const http = place_in(status, 'http');
  const o = t.onboarding;
  return (
    <section class="onboarding card" aria-label={o.title} data-testid="onboarding">
      <h2>{o.title}</h2>
      <p role="status" data-testid="onboarding-state"><Dot tone={requests > 0 ? 'good' : 'quiet'} text={requests > 0 ? say(o.came, { n: count_text(requests) }) : o.waiting} /></p>
      <ol class="steps">
        <li>
          <h3>{o.listens}</h3>
          <dl class="pairs">{status.listeners.map((one) => <div key={one.name + one.address}><dt>{o.listeners[one.name] ?? one.name}</dt><dd class="mono">{one.address}</dd></div>)}</dl>
        </li>
        <li><h3>{o.connect}</h3><GatewaySnippet status={status} /><p><DocLink name="gateways" /></p></li>
        {http && <li><h3>{o.attack}</h3><p class="hint">{o.attack_hint}</p><Copyable text={test_attack(http)} label={o.attack} testid="onboarding-attack" /></li>}
      </ol>
    </section>
  );
}
