import { type FieldRule, type NamedFieldRule } from '@sluice/console-api';
import { type SubmitEvent, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button, IconButton } from '../../ui/button';
import { Card } from '../../ui/card';
import { Input, Select } from '../../ui/field';
import { useToast } from '../../ui/toast';
import { SaveRow } from './save-row';
import './source-privacy.css';
import { type KnownSource } from './known-source';

interface Props {
  source: KnownSource;
  mayEdit: boolean;
}

const ruleOptions = [
  { value: 'drop', label: 'Drop it' },
  { value: 'truncate', label: 'Keep the network of the IP address' },
  { value: 'hash', label: 'Hash it with the key of this installation' },
] as const satisfies readonly { value: FieldRule; label: string }[];

const toRule = (text: string): FieldRule => ruleOptions.find(({ value }) => value === text)?.value ?? 'drop';

/** Shows the rules for fields before they are stored, and the consent that a message must grant. */
export function SourcePrivacyCard({ source, mayEdit }: Props) {
  const toast = useToast();
  const [rules, setRules] = useState<readonly NamedFieldRule[]>(() =>
    Object.entries(source.pii ?? {}).map(([path, rule]) => ({ path, rule })),
  );
  const [purpose, setPurpose] = useState(source.requireConsent ?? '');
  const save = useAction('PUT /api/sources/:id/privacy', () =>
    toast('ok', 'Saved. It applies to new messages within a second.'),
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const requireConsent = purpose.trim() === '' ? null : purpose.trim();
    save.mutate({ path: { id: source.sourceIdentifier }, body: { rules: [...rules], requireConsent } });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Card title="Fields" note="What becomes of a field of new messages. What is stored already stays as it is">
        <RuleList rules={rules} onChange={setRules} mayEdit={mayEdit} />
      </Card>
      <Card title="Consent" note="A message without it is accepted and not stored; the answer says so">
        <Input
          label="Purpose that a message must grant"
          placeholder="Analytics"
          maxLength={64}
          disabled={!mayEdit}
          value={purpose}
          hint="As context.consent.categoryPreferences has it. Empty: all messages are stored."
          onChange={(event) => setPurpose(event.target.value)}
        />
      </Card>
      <SaveRow busy={save.isPending} error={save.error} mayEdit={mayEdit} />
    </form>
  );
}

interface RuleListProps {
  rules: readonly NamedFieldRule[];
  onChange: (rules: readonly NamedFieldRule[]) => void;
  mayEdit: boolean;
}

function RuleList({ rules, onChange, mayEdit }: RuleListProps) {
  const change = (index: number, changed: NamedFieldRule): void =>
    onChange(rules.map((rule, i) => (i === index ? changed : rule)));
  return (
    <div className="stack">
      {rules.length === 0 && <p className="soft">No rules: every field is stored as it is sent.</p>}
      {rules.map(({ path, rule }, index) => (
        // Keyed by index, because the path of a rule changes while typed.
        <div className="rule-row" key={index}>
          <Input
            label={`Field ${index + 1}`}
            hideLabel
            className="input mono"
            placeholder="context.ip"
            required
            maxLength={256}
            disabled={!mayEdit}
            value={path}
            onChange={(event) => change(index, { path: event.target.value, rule })}
          />
          <Select
            label={`Rule of field ${index + 1}`}
            hideLabel
            options={ruleOptions}
            disabled={!mayEdit}
            value={rule}
            onChange={(event) => change(index, { path, rule: toRule(event.target.value) })}
          />
          {mayEdit && (
            <IconButton
              icon="close"
              label={`Remove the rule of ${path || 'this field'}`}
              onClick={() => onChange(rules.filter((_, i) => i !== index))}
            />
          )}
        </div>
      ))}
      {mayEdit && (
        <div className="row">
          <Button onClick={() => onChange([...rules, { path: '', rule: 'drop' }])}>Add a field</Button>
        </div>
      )}
    </div>
  );
}
