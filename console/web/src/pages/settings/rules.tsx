import { useState } from 'preact/hooks';
import { exceptions_api, rules_api } from '../../api/settings';
import type { ExceptionRule, Me, OwnRule, RuleInfo } from '../../api/types';
import { term } from '../../lib/query';
import { use_load } from '../../state/load';
import { href } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, t } from '../../text';
import { RiskBadge } from '../../ui/badge';
import { Button, Link } from '../../ui/button';
import { TextField } from '../../ui/field';
import { HitsCell } from '../../ui/hits';
import { Empty, ErrorNotice, Notice } from '../../ui/panel';
import { SectionHead } from './crud';
import { OwnRuleDialog, OwnRules } from './own_rules';

const max_shown = 300;

// A rule is off where an exception accepts it everywhere: what it finds is still recorded as accepted.
function off_everywhere(exceptions: ExceptionRule[], rule_id: string): ExceptionRule | undefined {
  return exceptions.find((e) => e.enabled && e.rule_id === rule_id && !e.host && !e.path && !e.location && !e.name && !e.attack_type);
}

function Row({ rule, off, operator, changed }: { rule: RuleInfo; off: ExceptionRule | undefined; operator: boolean; changed: (error?: unknown) => void }) {
  const turn = (): void => {
    const call: Promise<unknown> = off ? exceptions_api.remove(off.id, off.etag) : exceptions_api.add({ rule_id: rule.id, comment: t.rules.off_comment(rule.name) });
    void call.then(() => changed(), changed);
  };
  return (
    <tr class={off ? 'off' : ''} data-testid="rule" data-rule={rule.id}>
      <td class="num">{rule.number}</td>
      <td>{rule.name}{off && <span class="muted"> · {t.rules.is_off}</span>}</td>
      <td>{attack_words(rule.attack_type)}</td>
      <td><RiskBadge risk={rule.risk} /></td>
      <td><HitsCell hits={rule.hits} /></td>
      <td class="mono breakable whole-id"><Link to={href('events', { q: term('rule', rule.id), range: 'all' })}>{rule.id}</Link></td>
      <td class="table-act">{operator && <Button small onClick={turn} data-testid="rule-switch">{off ? t.rules.on : t.rules.off}</Button>}</td>
    </tr>
  );
}

export function RulesSection({ me }: { me: Me }) {
  const list = use_load('rules', rules_api.list);
  const exceptions = use_load('exceptions', exceptions_api.list);
  const [text, set_text] = useState('');
  const [error, set_error] = useState<unknown>();
  const [editing, set_editing] = useState<OwnRule | 'new' | undefined>();
  const operator = may(me, 'operator');
  const own_ids = new Set(list.value?.own.map((rule) => rule.rule_id));
  const wanted = text.trim().toLowerCase();
  const found = (list.value?.rules ?? []).filter((r) => !own_ids.has(r.id) && `${r.name} ${r.id} ${r.attack_type} ${r.number}`.toLowerCase().includes(wanted));
  const changed = (problem?: unknown): void => { set_error(problem); list.reload(); exceptions.reload(); };
  return (
    <div class="section">
      <SectionHead title={t.settings.section.rules as string} lead={t.rules.lead} action={operator && <Button kind="primary" icon="plus" onClick={() => set_editing('new')} data-testid="rule-add">{t.rules.add}</Button>} />
      {list.error !== undefined && <ErrorNotice error={list.error} retry={list.reload} />}
      {error !== undefined && <ErrorNotice error={error} />}
      {list.value && list.value.own.length > 0 && (
        <>
          <h3>{t.rules.own}</h3>
          <OwnRules rules={list.value.own} operator={operator} edit={set_editing} changed={changed} />
          <Notice tone="info">{t.rules.soon}</Notice>
          <h3>{t.rules.built_in}</h3>
        </>
      )}
      <TextField label={t.rules.search} value={text} onChange={set_text} data-testid="rule-search" />
      {list.value && found.length === 0 && <Empty title={t.rules.empty} />}
      {found.length > 0 && (
        <table class="table" data-testid="rules">
          <thead><tr><th class="num">{t.rules.number}</th><th>{t.rules.name}</th><th>{t.rules.type}</th><th>{t.rules.risk}</th><th>{t.hits.title}</th><th>{t.rules.id}</th><td /></tr></thead>
          <tbody>{found.slice(0, max_shown).map((r) => <Row key={r.id} rule={r} off={off_everywhere(exceptions.value ?? [], r.id)} operator={operator} changed={changed} />)}</tbody>
        </table>
      )}
      {found.length > max_shown && <p class="muted">… {found.length - max_shown}</p>}
      {editing && <OwnRuleDialog {...(editing === 'new' ? {} : { rule: editing })} done={() => { set_editing(undefined); changed(); }} close={() => set_editing(undefined)} />}
    </div>
  );
}
