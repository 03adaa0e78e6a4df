import { type MaskedJson } from '@sluice/console-api';
import { useState } from 'react';
import { Button } from './button';
import { Icon } from './icon';
import { Sent } from './sent';
import './json-view.css';

/** Max number of entries of one object or list that are shown at once. */
const maxEntries = 100;
/** Objects and lists above this depth are open at first. */
const openDepth = 2;
/** Max number of characters of one text that are shown at once. */
const maxTextLength = 400;

interface Props {
  payload: MaskedJson;
  label: string;
  /** Whether nothing is open at first, for a view that is one of many. */
  isClosed?: boolean;
}

/** What a client sent, as a tree. All of it becomes text nodes. */
export function JsonView({ payload, label, isClosed = false }: Props) {
  const parsed = parse(payload.json);
  return (
    <div className="json" role="group" aria-label={label} tabIndex={0}>
      {parsed.ok ? (
        <Node value={parsed.value} depth={isClosed ? openDepth : 0} />
      ) : (
        <pre className="json-raw">
          <Sent text={payload.json} keepLines />
        </pre>
      )}
      {(payload.isCut || payload.isMasked) && (
        <p className="small soft">
          {payload.isMasked && 'Some values are masked: ‹type, length, tag›; equal tags are equal values. '}
          {payload.isCut && 'Cut off: the whole is larger than what is shown here.'}
        </p>
      )}
    </div>
  );
}

interface Context {
  source?: string;
}

function parse(json: string): { ok: true; value: unknown } | { ok: false } {
  try {
    // A number that a double cannot hold is shown as it was written.
    const exact = (_: string, value: unknown, context?: Context): unknown =>
      typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
        ? new ExactNumber(context.source)
        : value;
    return { ok: true, value: JSON.parse(json, exact) };
  } catch {
    return { ok: false };
  }
}

class ExactNumber {
  constructor(readonly text: string) {}
}

function Node({ value, name, depth }: { value: unknown; name?: string; depth: number }) {
  const isBranch = typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
  if (isBranch) return <Branch value={value} name={name} depth={depth} />;
  return (
    <div className="json-line">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <span className="json-name">
      <Sent text={name} />:{' '}
    </span>
  );

function Branch({ value, name, depth }: { value: object; name: string | undefined; depth: number }) {
  const [isOpen, setOpen] = useState(depth < openDepth);
  const [most, setMax] = useState(maxEntries);
  const entries = Object.entries(value) as [string, unknown][];
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const toggle = (): void => setOpen(!isOpen);
  return (
    <div>
      <button type="button" className="json-toggle" aria-expanded={isOpen} onClick={toggle}>
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        <Name name={name} />
        <span className="soft">{size}</span>
      </button>
      {isOpen && (
        <div className="json-inside">
          {entries.slice(0, most).map(([key, one]) => (
            <Node key={key} name={key} value={one} depth={depth + 1} />
          ))}
          {entries.length > most && (
            <Button look="quiet" onClick={() => setMax(most + 10 * maxEntries)}>
              {`${entries.length - most} more`}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') {
    const text = value instanceof ExactNumber ? value.text : String(value);
    return <span className="json-other">{text}</span>;
  }
  if (value === '') return <span className="json-masked">empty text</span>;
  const isLong = value.length > maxTextLength && !isWhole;
  return (
    <>
      <Sent
        className={value.startsWith('‹') ? 'json-masked' : 'json-text'}
        text={isLong ? `${value.slice(0, maxTextLength)}…` : value}
      />
      {isLong && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          {`all ${value.length} characters`}
        </Button>
      )}
    </>
  );
}
