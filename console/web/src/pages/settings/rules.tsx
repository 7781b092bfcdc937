import { useState } from 'preact/hooks';
import { exceptions_api, rules_api } from '../../api/settings';
import type { ExceptionRule, Me, OwnRule, RuleInfo } from '../../api/types';
import { term } from '../../lib/query';
import { reason_text } from '../../lib/reasons';
import { use_load } from '../../state/load';
import { href } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, say, t } from '../../text';
import { RiskBadge, risk_rank } from '../../ui/badge';
import { Button, Link } from '../../ui/button';
import { TextField } from '../../ui/field';
import { HitsCell } from '../../ui/hits';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice, Notice, Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { SectionHead } from './crud';
import { OwnRuleDialog, OwnRules } from './own_rules';

const max_shown = 300;

// A rule is off where an exception accepts it everywhere: what it finds is still recorded as accepted.
function off_everywhere(exceptions: ExceptionRule[], rule_id: string): ExceptionRule | undefined {
  return exceptions.find((e) => e.enabled && e.rule_id === rule_id && !e.host && !e.path && !e.location && !e.name && !e.attack_type);
}

function BuiltIn({ rules, exceptions, operator, changed }: { rules: RuleInfo[]; exceptions: ExceptionRule[]; operator: boolean; changed: (error?: unknown) => void }) {
  const off = (rule: RuleInfo): ExceptionRule | undefined => off_everywhere(exceptions, rule.id);
  const turn = (rule: RuleInfo): void => {
    const present = off(rule);
    const call: Promise<unknown> = present ? exceptions_api.remove(present.id, present.etag) : exceptions_api.add({ rule_id: rule.id, comment: say(t.rules.off_comment, { name: rule.name }) });
    void call.then(() => changed(), changed);
  };
  return (
    <Table testid="rules" row_testid="rule" rows={rules} key_of={(rule) => rule.id} row_class={(rule) => (off(rule) ? 'off' : '')} row_data={(rule) => ({ 'data-rule': rule.id })} columns={[
      { id: 'name', title: t.rules.name, draw: (rule) => <>{reason_text(rule.name)}{off(rule) && <span class="muted"> · {t.rules.is_off}</span>}</>, sort: (rule) => reason_text(rule.name) },
      { id: 'type', title: t.rules.type, draw: (rule) => attack_words(rule.attack_type), sort: (rule) => attack_words(rule.attack_type) },
      { id: 'risk', title: t.rules.risk, kind: 'short', draw: (rule) => <RiskBadge risk={rule.risk} />, sort: (rule) => risk_rank[rule.risk] },
      { id: 'hits', title: t.hits.title, draw: (rule) => <HitsCell hits={rule.hits} />, sort: (rule) => rule.hits?.count ?? 0 },
      { id: 'number', title: t.rules.number, kind: 'number', draw: (rule) => rule.number, sort: (rule) => rule.number },
      { id: 'id', title: t.rules.id, kind: 'code', draw: (rule) => <Link to={href('events', { q: term('rule', rule.id), range: 'all' })}><Hostile text={rule.id} /></Link>, sort: (rule) => rule.id },
      { id: 'act', title: '', kind: 'act', draw: (rule) => operator && <Button small onClick={() => turn(rule)} data-testid="rule-switch">{off(rule) ? t.rules.on : t.rules.off}</Button> },
    ]} />
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
  const found = (list.value?.rules ?? []).filter((r) => !own_ids.has(r.id) && `${r.name} ${reason_text(r.name)} ${r.id} ${r.attack_type} ${r.number}`.toLowerCase().includes(wanted));
  const changed = (problem?: unknown): void => { set_error(problem); list.reload(); exceptions.reload(); };
  return (
    <div class="section">
      <SectionHead title={t.settings.section.rules as string} lead={t.rules.lead} action={operator && <Button kind="primary" icon="plus" onClick={() => set_editing('new')} data-testid="rule-add">{t.rules.add}</Button>} />
      <Pending of={list} />
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
      {found.length > 0 && <BuiltIn rules={found.slice(0, max_shown)} exceptions={exceptions.value ?? []} operator={operator} changed={changed} />}
      {found.length > max_shown && <p class="muted">… {found.length - max_shown}</p>}
      {editing && <OwnRuleDialog {...(editing === 'new' ? {} : { rule: editing })} done={() => { set_editing(undefined); changed(); }} close={() => set_editing(undefined)} />}
    </div>
  );
}
