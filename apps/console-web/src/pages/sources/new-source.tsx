import { type CreatedSource, type SourceType } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { type SubmitEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useAction, useRead } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Card, Facts, Page } from '../../ui/card';
import { CodeBlock } from '../../ui/copy';
import { Notice } from '../../ui/empty';
import { Checkbox, Input, Select } from '../../ui/field';
import { Loaded } from '../../ui/loaded';
import { Sent } from '../../ui/sent';
import { useLeaveGuard, useShownOnce } from '../../ui/shown-once';
import { Setup } from './setup';
import { listKinds, type SnippetKind } from './snippets';
import { formatWriteKey } from './source-segment';

const types: readonly { value: SourceType; label: string }[] = [
  { value: 'tracking-api', label: 'Server (tracking-api), secret key' },
  { value: 'web-sdk', label: 'Website (web-sdk), public key' },
  { value: 'android-sdk', label: 'Android app (android-sdk), public key' },
  { value: 'ios-sdk', label: 'iOS app (ios-sdk), public key' },
  { value: 'catalog-api', label: 'Catalog (catalog-api), secret key' },
];

/** Creates a source, shows its key once, and waits for its first event, all in one place. */
export function NewSourcePage() {
  // Only this state has the key, not the address or the cache of answers.
  const [created, setCreated] = useState<CreatedSource | null>(null);
  /** The source before, whose settings the next one begins with. */
  const [before, setBefore] = useState<CreatedSource['source']>();
  return (
    <Page
      title={created ? <Sent text={created.source.name} /> : 'New source'}
      question={created ? 'Save the key, send an event, watch it arrive.' : 'What will send events?'}
      actions={<Link to="/sources">All sources</Link>}
    >
      {created ? (
        <Created
          created={created}
          onAnother={() => {
            setBefore(created.source);
            setCreated(null);
          }}
        />
      ) : (
        <NewSourceForm before={before} onCreated={setCreated} />
      )}
    </Page>
  );
}

interface FormProps {
  before: CreatedSource['source'] | undefined;
  onCreated: (created: CreatedSource) => void;
}

function NewSourceForm({ before, onCreated }: FormProps) {
  const [name, setName] = useState('');
  const [type, setType] = useState<SourceType>(before?.type ?? 'tracking-api');
  const [origins, setOrigins] = useState(before?.origins?.join(', ') ?? '');
  const [segment, setSegment] = useState(before?.segment === 'on');
  const nameInput = useFocus();
  const create = useAction('POST /api/sources', onCreated);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const takesSegment = segment && type !== 'catalog-api' && { segment: 'on' as const };
    create.mutate({ body: { name: name.trim(), type, ...listOrigins(origins), ...takesSegment } });
  };
  return (
    <Card>
      <form className="stack form" onSubmit={submit}>
        <Input
          ref={nameInput}
          label="Name"
          placeholder="My shop"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label="Type"
          options={types}
          value={type}
          onChange={(event) => setType(event.target.value as SourceType)}
        />
        {type === 'web-sdk' && (
          <Input
            label="Origins whose pages may send (optional)"
            placeholder="https://shop.example, https://*.shop.example"
            hint="Any page may send when this is empty."
            value={origins}
            onChange={(event) => setOrigins(event.target.value)}
          />
        )}
        {type !== 'catalog-api' && (
          <Checkbox
            label="Clients of Segment and RudderStack may send as well"
            checked={segment}
            onChange={(event) => setSegment(event.target.checked)}
          />
        )}
        {create.error && (
          <Notice tone="bad" live>
            {create.error.message}
          </Notice>
        )}
        <div className="row">
          <Button type="submit" look="primary" busy={create.isPending}>
            Create source
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** A field that has the focus when its form appears. */
function useFocus() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return input;
}

function listOrigins(text: string): { origins?: string[] } {
  const origins = text.split(/[\s,]+/).filter((origin) => origin !== '');
  return origins.length > 0 ? { origins } : {};
}

function Created({ created: { source, apiKey, keyId }, onAnother }: { created: CreatedSource; onAnother: () => void }) {
  const [kind, setKind] = useState<SnippetKind>(listKinds(source.type)[0]);
  const detail = useRead('GET /api/sources/:id', { path: { id: source.sourceIdentifier }, query: {} });
  const onCopied = useKeptKey(source.name, apiKey);
  return (
    <div className="stack">
      <Card title="1. Save the key">
        <div className="stack">
          <Notice tone="attention">This key is shown only once. Copy it to a safe place now.</Notice>
          <CodeBlock label="API key" text={apiKey} copy="Copy key" onCopied={onCopied} />
          <Facts
            facts={[
              ['Source', <code key="source">{source.sourceIdentifier}</code>],
              ['Key id', <code key="key">{keyId}</code>],
              ...(source.segment === 'on'
                ? [['Write key', <code key="write">{formatWriteKey(source.sourceIdentifier, apiKey)}</code>] as const]
                : []),
            ]}
          />
        </div>
      </Card>
      <Card title="2. Send the first event">
        <Loaded of={detail} lines={8}>
          {({ setup }) => (
            <Setup {...{ source, setup, apiKey, kind, onCopied }} onKind={setKind} since={source.createdAt} />
          )}
        </Loaded>
      </Card>
      <div className="row">
        <Link to="/sources/$id" params={{ id: source.sourceIdentifier }} className="button button-plain">
          Go to this source
        </Link>
        <Button icon="plus" onClick={onAnother}>
          Create another source
        </Button>
      </div>
    </div>
  );
}

/** Shows the key once more if the page is left before it was copied. @returns a function to call when it was copied */
function useKeptKey(name: string, apiKey: string): () => void {
  const [isKept, setKept] = useState(false);
  const show = useShownOnce();
  const wasKept = useRef(isKept);
  wasKept.current = isKept;
  useLeaveGuard(!isKept);
  useEffect(
    () => () => {
      if (wasKept.current) return;
      const note = 'You have not copied this key yet, and it is not shown again. Save it in a safe place now.';
      show({ title: <NewKeyTitle name={name} />, label: 'API key', text: apiKey, copy: 'Copy key', note });
    },
    [show, name, apiKey],
  );
  return useCallback(() => setKept(true), []);
}

const NewKeyTitle = ({ name }: { name: string }) => (
  <>
    The key of <Sent text={name} />
  </>
);
