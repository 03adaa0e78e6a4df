import { type LimitChanges } from '@sluice/console-api';
import { getRouteApi } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Card } from '../../ui/card';
import { Input, Select } from '../../ui/field';
import { exactText } from '../../ui/number';
import { useToast } from '../../ui/toast';
import { SaveRow } from './save-row';
import { type KnownSource } from './known-source';

const route = getRouteApi('/shell/sources/$id');

interface Props {
  source: KnownSource;
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
  ['dailyQuota', 'Events per UTC day', ''],
  ['dailyPeopleQuota', 'People and devices per UTC day', 'identify, push tokens; empty: as many as events'],
  ['namesPerDay', 'Names of properties, traits and context', 'Values of further new names of a day are kept as text'],
] as const;

const placeholders: Partial<Record<string, string>> = {
  namesPerDay: 'SOURCE_MAX_NAMES_PER_DAY',
  dailyPeopleQuota: 'as events',
};

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
  const usage = usageTexts(source);
  return (
    <form className="stack" onSubmit={submit}>
      {fields.map(([name, label, hint]) => (
        <Input
          key={name}
          label={label}
          type="number"
          min={0}
          placeholder={placeholders[name] ?? 'no limit'}
          disabled={!mayEdit}
          value={texts[name] ?? ''}
          hint={usage[name] ?? hint}
          onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
        />
      ))}
      <SaveRow busy={save.isPending} error={save.error} mayEdit={mayEdit} />
    </form>
  );
}

/** Texts of the used share of each quota today; none for a source without quotas, or while the numbers are unknown. */
function usageTexts({ limits, messagesToday, peopleToday }: KnownSource): Partial<Record<string, string>> {
  const { dailyQuota, dailyPeopleQuota = dailyQuota } = limits ?? {};
  if (messagesToday === null || peopleToday === null) return {};
  const text = (used: number, quota: number) => `${exactText(used)} of ${exactText(quota)} used today`;
  return {
    ...(dailyQuota !== undefined && { dailyQuota: text(messagesToday - peopleToday, dailyQuota) }),
    ...(dailyPeopleQuota !== undefined && { dailyPeopleQuota: text(peopleToday, dailyPeopleQuota) }),
  };
}

function OriginForm({ source, mayEdit }: Props) {
  const toast = useToast();
  const { origin } = route.useSearch();
  const [text, setText] = useState(() => withOrigin(source.origins ?? [], origin).join('\n'));
  const save = useAction('PUT /api/sources/:id/origins', () =>
    toast('ok', 'Saved. The origins apply within a second.'),
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const origins = text.split(/[\s,]+/).filter((origin) => origin !== '');
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

/** Origins with one that someone chose to add. Without any, all are accepted, and one would shut the others out. */
const withOrigin = (origins: readonly string[], origin: string | undefined): readonly string[] =>
  origin === undefined || origins.length === 0 || origins.includes(origin) ? origins : [...origins, origin];

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
