import { type LimitChanges, type SourceDetail } from '@sluice/console-api';
import { type SubmitEvent, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Card } from '../../ui/card';
import { Input, Select } from '../../ui/field';
import { exactText } from '../../ui/number';
import { useToast } from '../../ui/toast';
import { SaveRow } from './save-row';

interface Props {
  source: SourceDetail;
  mayEdit: boolean;
}

export const SourceLimitsCard = ({ source, mayEdit }: Props) => (
  <div className="grid-2">
    <Card title="Limits" note="Requests beyond a limit are refused with 429">
      <LimitForm source={source} mayEdit={mayEdit} />
    </Card>
    <Card title="Origins" note="Websites that may send. Servers and apps send no origin and are not affected.">
      <OriginForm source={source} mayEdit={mayEdit} />
    </Card>
    <Card title="User agent" note="Stored with each event, so that browsers, devices and bots can be distinguished">
      <UserAgentForm source={source} mayEdit={mayEdit} />
    </Card>
  </div>
);

const fields = [
  ['ratePerSecond', 'Requests per second', '0 or empty: no limit'],
  ['burst', 'Requests at once', 'How many may arrive at the same moment'],
  ['dailyQuota', 'Messages per UTC day', ''],
  ['namesPerDay', 'Names of properties, traits and context', 'Values of further new names of a day are kept as text'],
] as const;

function LimitForm({ source, mayEdit }: Props) {
  const toast = useToast();
  const [texts, setTexts] = useState(() =>
    Object.fromEntries(fields.map(([name]) => [name, source.limits?.[name]?.toString() ?? ''])),
  );
  const save = useAction('PUT /api/sources/:id/limits', () => toast('ok', 'Saved. The limits apply within a second.'));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const body: LimitChanges = Object.fromEntries(
      fields.map(([name]) => [name, texts[name] ? Number(texts[name]) : null]),
    );
    save.mutate({ path: { id: source.sourceIdentifier }, body });
  };
  const quota = source.limits?.dailyQuota;
  return (
    <form className="stack" onSubmit={submit}>
      {fields.map(([name, label, hint]) => (
        <Input
          key={name}
          label={label}
          type="number"
          min={0}
          placeholder={name === 'namesPerDay' ? 'SOURCE_MAX_NAMES_PER_DAY' : 'no limit'}
          disabled={!mayEdit}
          value={texts[name] ?? ''}
          hint={
            name === 'dailyQuota' && quota !== undefined && source.messagesToday !== null
              ? `${exactText(source.messagesToday)} of ${exactText(quota)} used today`
              : hint
          }
          onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
        />
      ))}
      <SaveRow busy={save.isPending} error={save.error} mayEdit={mayEdit} />
    </form>
  );
}

function OriginForm({ source, mayEdit }: Props) {
  const toast = useToast();
  const [text, setText] = useState(source.origins?.join('\n') ?? '');
  const save = useAction('PUT /api/sources/:id/origins', () =>
    toast('ok', 'Saved. The origins apply within a second.'),
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const origins = text.split(/[\s,]+/).filter((one) => one !== '');
    save.mutate({ path: { id: source.sourceIdentifier }, body: { origins: origins.length > 0 ? origins : null } });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field">
        <span className="field-label">One origin per line; empty allows any</span>
        <textarea
          className="input mono"
          rows={7}
          placeholder="https://shop.example"
          disabled={!mayEdit}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <SaveRow busy={save.isPending} error={save.error} mayEdit={mayEdit} />
    </form>
  );
}

function UserAgentForm({ source, mayEdit }: Props) {
  const toast = useToast();
  const [userAgent, setUserAgent] = useState<'keep' | 'drop'>(source.userAgent ?? 'keep');
  const save = useAction('PUT /api/sources/:id/user-agent', () => {
    toast('ok', 'Saved. It applies to new events within a second.');
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    save.mutate({ path: { id: source.sourceIdentifier }, body: { userAgent } });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Select
        label="User agent of new events"
        disabled={!mayEdit}
        value={userAgent}
        options={userAgentOptions}
        onChange={({ target }) => setUserAgent(target.value === 'drop' ? 'drop' : 'keep')}
      />
      <SaveRow busy={save.isPending} error={save.error} mayEdit={mayEdit} />
    </form>
  );
}

const userAgentOptions = [
  { value: 'keep', label: 'Keep it' },
  { value: 'drop', label: 'Drop it before it is stored' },
];
