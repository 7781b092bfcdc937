// Signature rules of one's own: upload, change, switch, remove; mistakes come with line, rule and reason.
import { useRef, useState } from 'preact/hooks';
import { own_rules_api } from '../../api/settings';
import type { OwnRule } from '../../api/types';
import { term } from '../../lib/query';
import { href } from '../../state/route';
import { attack_words, say, t } from '../../text';
import { RiskBadge, risk_rank } from '../../ui/badge';
import { Button, Link } from '../../ui/button';
import { AreaField, Check } from '../../ui/field';
import { HitsCell } from '../../ui/hits';
import { Hostile } from '../../ui/hostile';
import { Table } from '../../ui/table';
import { EditDialog, RemoveButton } from './crud';

const example = `{
  "id": "staging-login",
  "name": "Login of the staging area",
  "attack_type": "custom",
  "risk": "medium",
  "location": "urlpath",
  "expression": "^/staging/login"
}`;

export function OwnRuleDialog({ rule, done, close }: { rule?: OwnRule; done: () => void; close: () => void }) {
  const [text, set_text] = useState(rule ? JSON.stringify(rule.rule, null, 2) : '');
  const [enabled, set_enabled] = useState(rule?.enabled ?? true);
  const file = useRef<HTMLInputElement>(null);
  const read = async (): Promise<void> => {
    const chosen = file.current?.files?.[0];
    if (chosen) set_text(await chosen.text());
  };
  const save = (): Promise<unknown> => (rule ? own_rules_api.change(rule.id, { text, enabled }, rule.etag) : own_rules_api.add({ text, enabled }));
  return (
    <EditDialog title={rule ? say(t.rules.change, { name: rule.name }) : t.rules.new} save={save} done={done} onClose={close} testid="rule-dialog">
      {(error_of) => (
        <>
          {!rule && (
            <div class="button-row">
              <Button onClick={() => file.current?.click()}>{t.rules.file}</Button>
              <input ref={file} type="file" accept=".json,application/json" class="unseen" aria-label={t.rules.file} tabIndex={-1} onChange={() => void read()} data-testid="rule-file" />
            </div>
          )}
          <AreaField label={t.rules.text} hint={t.rules.text_hint} value={text} onChange={set_text} rows={14} placeholder={example} error={error_of('text')} data-testid="rule-text" />
          <Check label={t.rules.enabled} checked={enabled} onChange={set_enabled} />
        </>
      )}
    </EditDialog>
  );
}

export function OwnRules({ rules, operator, edit, changed }: { rules: OwnRule[]; operator: boolean; edit: (rule: OwnRule) => void; changed: (error?: unknown) => void }) {
  const turn = (rule: OwnRule): void => void own_rules_api.change(rule.id, { enabled: !rule.enabled }, rule.etag).then(() => changed(), changed);
  return (
    <Table testid="own-rules" row_testid="own-rule" rows={rules} key_of={(rule) => rule.id} row_class={(rule) => (rule.enabled ? '' : 'off')} row_data={(rule) => ({ 'data-rule': rule.id })} columns={[
      { id: 'name', title: t.rules.name, draw: (rule) => <><Hostile text={rule.name} />{!rule.enabled && <span class="muted"> · {t.rules.is_off}</span>}</>, sort: (rule) => rule.name },
      { id: 'type', title: t.rules.type, draw: (rule) => attack_words(rule.attack_type), sort: (rule) => attack_words(rule.attack_type) },
      { id: 'risk', title: t.rules.risk, kind: 'short', draw: (rule) => <RiskBadge risk={rule.risk} />, sort: (rule) => risk_rank[rule.risk] },
      { id: 'hits', title: t.hits.title, draw: (rule) => <HitsCell hits={rule.hits} />, sort: (rule) => rule.hits.count },
      { id: 'number', title: t.rules.number, kind: 'number', draw: (rule) => rule.number, sort: (rule) => rule.number },
      { id: 'id', title: t.rules.id, kind: 'code', draw: (rule) => <Link to={href('events', { q: term('rule', rule.rule_id), range: 'all' })}>{rule.rule_id}</Link>, sort: (rule) => rule.rule_id },
      { id: 'act', title: '', kind: 'act', draw: (rule) => operator && (
        <>
          <Button small onClick={() => turn(rule)} data-testid="rule-switch">{rule.enabled ? t.rules.off : t.rules.on}</Button>
          <Button small onClick={() => edit(rule)} data-testid="rule-edit">{t.common.edit}</Button>
          <RemoveButton title={t.rules.delete_title} text={<Hostile text={rule.name} />} remove={() => own_rules_api.remove(rule.id, rule.etag)} done={() => changed()} />
        </>
      ) },
    ]} />
  );
}
