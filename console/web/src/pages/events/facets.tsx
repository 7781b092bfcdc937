// Top lists of the present view: every value adds itself to the filter, or excludes itself.
import { useState } from 'preact/hooks';
import type { Action, Risk, TopList } from '../../api/types';
import { count_text } from '../../lib/format';
import { visible_text } from '../../lib/visible';
import { use_rule_names } from '../../state/rule_names';
import { load, save } from '../../state/prefs';
import { attack_words, say, t } from '../../text';
import { Address } from '../../ui/address';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';
import type { AddFilter } from './list';

const fields = ['type', 'src', 'path', 'rule', 'host', 'risk', 'location', 'country', 'province', 'city', 'method', 'ua'];
const open_at_first = ['type', 'src', 'path', 'rule', 'host'];

function words(field: string, value: string, rules: ReadonlyMap<string, string>): string {
  if (field === 'rule') return rules.get(value) ?? value;
  if (field === 'type') return attack_words(value);
  if (field === 'risk') return t.risk[value as Risk] ?? value;
  if (field === 'action') return t.action[value as Action] ?? value;
  if (field === 'location') return t.place[value] ?? value;
  return value === '' ? `(${t.detail.empty})` : value;
}

function Facet({ field, top, failed, filter, open, toggle }: { field: string; top: TopList | undefined; failed: boolean; filter: AddFilter; open: boolean; toggle: () => void }) {
  return (
    <section class="facet" data-testid={`facet-${field}`}>
      <h2><button type="button" aria-expanded={open ? 'true' : 'false'} onClick={toggle}><Icon name={open ? 'down' : 'right'} />{t.events.column[field]}</button></h2>
      {open && <FacetValues field={field} top={top} failed={failed} filter={filter} />}
    </section>
  );
}

function FacetValues({ field, top, failed, filter }: { field: string; top: TopList | undefined; failed: boolean; filter: AddFilter }) {
  const rules = use_rule_names(field === 'rule' && top !== undefined);
  if (!top) return <p class={failed ? 'facet-empty' : 'facet-empty waiting'}>{failed ? t.events.top_failed : '\u00a0'}</p>;
  if (top.values.length === 0) return <p class="facet-empty">{t.events.top_empty}</p>;
  const most = Math.max(...top.values.map((v) => v.count));
  return (
    <ul class="facet-values">
      {top.values.map((v) => {
        const text = words(field, v.value, rules);
        // Rules of one kind have similar names: the id tells them apart.
        const named = visible_text(field === 'rule' && text !== v.value ? `${text} (${v.value})` : text);
        return (
          <li key={v.value}>
            <button type="button" class="facet-value" title={say(t.events.include, { v: named })} onClick={() => filter(field, v.value, false)}>
              <span class="facet-bar" style={{ width: `${(v.count / most) * 100}%` }} aria-hidden="true" />
              <span class="facet-text">{field === 'src' ? <Address text={text} /> : <Hostile text={text} />}</span>
              <span class="facet-count">{count_text(v.count)}</span>
            </button>
            <button type="button" class="facet-exclude" aria-label={say(t.events.exclude, { v: named })} title={say(t.events.exclude, { v: named })} onClick={() => filter(field, v.value, true)}><Icon name="minus" /></button>
          </li>
        );
      })}
    </ul>
  );
}

function is_open_list(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((v) => typeof v === 'string');
}

// Which lists are open: remembered, and what is counted.
export function use_open_facets(): { open: string[]; toggle: (field: string) => void } {
  const [open, set_open] = useState<string[]>(() => load('facets.open', open_at_first, is_open_list));
  const toggle = (field: string): void => {
    const next = open.includes(field) ? open.filter((f) => f !== field) : [...open, field];
    set_open(next);
    save('facets.open', next);
  };
  return { open, toggle };
}

export function Facets({ tops, failed, filter, open, toggle }: { tops: TopList[] | undefined; failed: boolean; filter: AddFilter; open: string[]; toggle: (field: string) => void }) {
  return (
    <aside class="facets" aria-label={t.events.facets} data-testid="facets">
      {fields.map((field) => (
        <Facet key={field} field={field} top={tops?.find((top) => top.field === field)} failed={failed} filter={filter} open={open.includes(field)} toggle={() => toggle(field)} />
      ))}
    </aside>
  );
}
