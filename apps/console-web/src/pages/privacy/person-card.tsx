import { type NamedId, type Person, type PersonIdKind } from '@sluice/console-api';
import { type SubmitEvent, useCallback, useEffect, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button, IconButton } from '../../ui/button';
import { Card } from '../../ui/card';
import { Checkbox, Input, Select } from '../../ui/field';
import { SourcePicker } from '../../ui/source-picker';
import { PersonFound } from './person-found';
import './privacy.css';

const kinds = [
  { value: 'user', label: 'User id' },
  { value: 'anonymous', label: 'Anonymous id' },
  { value: 'seller', label: 'Seller id' },
] as const satisfies readonly { value: PersonIdKind; label: string }[];

const parseKind = (text: string): PersonIdKind => kinds.find(({ value }) => value === text)?.value ?? 'user';

const nobody: Person = { source: null, ids: [{ kind: 'user', id: '' }], isReverse: false };

/** Finds a person by their ids, and says what can be done for them. */
export function PersonCard() {
  const [person, setPerson] = useState<Person>(nobody);
  const look = useLook();
  // A result belongs to the ids that were looked for, so a change of ids removes it.
  const change = (changed: Partial<Person>): void => {
    setPerson({ ...person, ...changed });
    look.stop();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    look.start(person);
  };
  return (
    <Card title="A person" note="Ids stay out of addresses, logs and the audit log">
      <div className="stack">
        <form className="stack" onSubmit={submit}>
          <SourcePicker value={person.source ?? ''} onChange={(source) => change({ source: source || null })} />
          <Ids ids={person.ids} onChange={(ids) => change({ ids })} />
          <Checkbox
            label="Other users of their devices are the same person"
            checked={person.isReverse ?? false}
            onChange={({ target }) => change({ isReverse: target.checked })}
          />
          {look.error && (
            <p role="alert" className="field-error">
              {look.error.message}
            </p>
          )}
          <div className="row">
            <Button type="submit" look="primary" icon="search" busy={look.isPending}>
              Look for the person
            </Button>
            {look.isPending && <Button onClick={look.stop}>Stop</Button>}
          </div>
        </form>
        {look.data && <PersonFound person={person} preview={look.data} onChanged={() => look.start(person)} />}
      </div>
    </Card>
  );
}

/** The look-up of a person. The server ends it when it is stopped, or when the page is left. */
function useLook() {
  const { data, error, isPending, mutate, reset } = useAction('POST /api/privacy/preview');
  const [open] = useState(() => new Set<AbortController>());
  const leave = useCallback((): void => {
    for (const look of open) look.abort();
    open.clear();
  }, [open]);
  useEffect(() => leave, [leave]);
  const start = (body: Person): void => {
    leave();
    const look = new AbortController();
    open.add(look);
    mutate({ body, signal: look.signal });
  };
  const stop = (): void => {
    leave();
    reset();
  };
  return { data, error, isPending, start, stop };
}

interface IdsProps {
  ids: readonly NamedId[];
  onChange: (ids: NamedId[]) => void;
}

const maxIds = 20;

function Ids({ ids, onChange }: IdsProps) {
  const change = (index: number, changed: NamedId): void => onChange(ids.map((id, i) => (i === index ? changed : id)));
  return (
    <div className="stack">
      {ids.map(({ kind, id }, index) => (
        // Keyed by index, because an id changes while typed.
        <div className="id-row" key={index}>
          <Select
            label={`Kind of id ${index + 1}`}
            hideLabel
            options={kinds}
            value={kind}
            onChange={({ target }) => change(index, { kind: parseKind(target.value), id })}
          />
          <Input
            label={`Id ${index + 1}`}
            hideLabel
            className="input mono"
            placeholder="Id as clients send it"
            required
            maxLength={256}
            value={id}
            onChange={({ target }) => change(index, { kind, id: target.value })}
          />
          {ids.length > 1 && (
            <IconButton
              icon="close"
              label={`Remove id ${index + 1}`}
              onClick={() => onChange(ids.filter((_, i) => i !== index))}
            />
          )}
        </div>
      ))}
      {ids.length < maxIds && (
        <div className="row">
          <Button icon="plus" onClick={() => onChange([...ids, { kind: 'user', id: '' }])}>
            Another id of the same person
          </Button>
        </div>
      )}
    </div>
  );
}
