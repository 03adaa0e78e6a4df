import { type MaskedJson } from '@sluice/console-api';
import { useState } from 'react';
import { Button } from './button';
import { Icon } from './icon';
import { readPayloadTime } from './payload-time';
import { Sent } from './sent';
import { fullTime, useZone } from './zone';
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
  /** Whether it is a row of a table, whose columns have times in UTC. */
  isRow?: boolean;
}

/** Shows JSON that a client sent as a tree. All of it becomes text nodes. */
export function JsonView({ payload, label, isClosed = false, isRow = false }: Props) {
  const parsed = parse(payload.json);
  return (
    <div className="json" role="group" aria-label={label} tabIndex={0}>
      {parsed.ok ? (
        <Node value={parsed.value} depth={isClosed ? openDepth : 0} isRow={isRow} />
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

interface NodeProps {
  value: unknown;
  name?: string | undefined;
  depth: number;
  /** Whether the value itself is a row. */
  isRow?: boolean;
  /** Name of the column whose value it is. */
  column?: string | undefined;
}

function Node({ value, name, depth, isRow = false, column }: NodeProps) {
  const isBranch = typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
  if (isBranch) return <Branch value={value} name={name} depth={depth} isRow={isRow} />;
  return (
    <div className="json-line">
      <Name name={name} />
      <Leaf value={value} column={column} />
    </div>
  );
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <span className="json-name">
      <Sent text={name} />:{' '}
    </span>
  );

function Branch({ value, name, depth, isRow }: NodeProps & { value: object }) {
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
          {entries.slice(0, most).map(([key, member]) => (
            <Node key={key} name={key} value={member} depth={depth + 1} column={isRow ? key : undefined} />
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

function Leaf({ value, column }: Pick<NodeProps, 'value' | 'column'>) {
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
      <ZonedTime text={value} column={column} />
      {isLong && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          {`all ${value.length} characters`}
        </Button>
      )}
    </>
  );
}

/** The zone of a time that was sent, or the time in the zone of the page. */
function ZonedTime({ text, column }: { text: string; column: string | undefined }) {
  const zone = useZone();
  const payloadTime = readPayloadTime(text, column);
  if (!payloadTime || (zone === 'utc' && payloadTime.saysUtc)) return null;
  const isWritten = zone === 'utc' && column !== undefined && !text.includes('T');
  return <span className="json-time">{isWritten ? ' UTC' : ` = ${fullTime(payloadTime.time, zone)}`}</span>;
}
