// The commonest values of a field, with bars; each leads to its events.
import type { ComponentChildren } from 'preact';
import { events_api } from '../api/events';
import type { TopList } from '../api/types';
import { count_text } from '../lib/format';
import { term } from '../lib/query';
import { use_load } from '../state/load';
import { use_rule_names } from '../state/rule_names';
import { href } from '../state/route';
import { attack_words, t } from '../text';
import { Address } from '../ui/address';
import { Link } from '../ui/button';
import { Hostile } from '../ui/hostile';
import { Card } from '../ui/panel';

export const top_values = 6;
const refresh_ms = 15_000;
const day_ms = 86_400_000;

// `list`: what was counted of the events of the query `q`; `range`: the span in which a link shows them.
export function TopValues({ list, field, title, q, range, none, aside }: { list: TopList | undefined; field: string; title: string; q: string; range?: string; none?: string; aside?: ComponentChildren }) {
  const rules = use_rule_names(field === 'rule');
  const words = (value: string): string => (field === 'type' ? attack_words(value) : field === 'rule' ? rules.get(value) ?? value : value || `(${t.detail.empty})`);
  const values = list?.values ?? [];
  const most = Math.max(1, values[0]?.count ?? 1);
  const behind = (value: string): string => href('events', { q: [q, term(field, value)].filter(Boolean).join(' '), range });
  return (
    <Card title={title} kind="top-card" testid={`top-${field}`} aside={aside}>
      {values.length === 0 ? <p class="muted">{list ? t.events.top_empty : '\u00a0'}</p>
        : none && values.every((v) => v.value === '') ? <p class="muted">{none}</p> : (
        <ol class="top-list">
          {values.map((v) => (
            <li key={v.value}><i class="top-bar" aria-hidden="true" style={{ width: `${(v.count / most) * 100}%` }} /><Link to={behind(v.value)}>{field === 'src' ? <Address text={v.value} /> : <Hostile text={words(v.value)} title />}</Link><span class="num">{count_text(v.count)}</span></li>
          ))}
        </ol>
      )}
    </Card>
  );
}

// Of the last day, counted by the card itself. `none`: said where the field is empty in all events.
export function TopCard({ field, title, none }: { field: string; title: string; none?: string }) {
  const top = use_load(field, (signal) => events_api.top(field, { q: '', from: Date.now() - day_ms }, top_values, signal), refresh_ms);
  return <TopValues list={top.value} field={field} title={title} q="" {...(none ? { none } : {})} aside={<span class="muted">{t.overview.day}</span>} />;
}
