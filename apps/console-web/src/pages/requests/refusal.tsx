import { type Problem, type RefusedRequest } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge';
import { Facts } from '../../ui/card';
import { Sent } from '../../ui/sent';
import { Time } from '../../ui/zone';
import { explainCode } from './reasons';
import './refusal.css';

/** The kind of a refusal and the code of its reason. */
export const ReasonCode = ({ kind, reason }: { kind: string; reason: string }) => (
  <span className="row small">
    <Badge state={kind} />
    <Sent className="mono soft" text={reason} />
  </span>
);

/** Titles by the outcome of a request: one that was accepted is not called refused. */
const titles: Record<RefusedRequest['kind'], string> = {
  refused: 'Refused',
  dropped: 'Accepted, with values left out',
  rejected: 'Accepted, with items refused',
};

export const titleOfKind = (kind: RefusedRequest['kind']): string => titles[kind];

/** Lists the problems of a refused request, field by field. */
export const FieldProblems = ({ problems }: { problems: readonly Problem[] }) => (
  <ul className="problems">
    {problems.map(({ field, message }, index) => (
      <li key={`${field} ${index}`}>
        {field && (
          <code className="mono">
            <Sent text={field} />
          </code>
        )}
        <Sent text={explainCode(message) ?? message} />
      </li>
    ))}
  </ul>
);

export const RefusalFacts = ({ refusal }: { refusal: RefusedRequest }) => (
  <div className="stack">
    {refusal.problems.length > 0 && <FieldProblems problems={refusal.problems} />}
    {refusal.origin && <OriginToAdd origin={refusal.origin} source={refusal.sourceIdentifier} />}
    <Facts
      facts={[
        ['Outcome', <Badge key="kind" state={refusal.kind} text={`${refusal.status} ${refusal.reason}`} />],
        ['Time', <Time key="at" at={refusal.at} millis />],
        ['Route', <code key="route">{`${refusal.method} ${refusal.route}`}</code>],
        ['Source', <RefusedSource key="source" refusal={refusal} />],
        ['Request', <RequestLink key="id" id={refusal.requestId} />],
        ['User agent', <Sent key="agent" text={refusal.userAgent || '–'} />],
      ]}
    />
  </div>
);

/** The website that was refused, ready to be added. */
const OriginToAdd = ({ origin, source }: { origin: string; source: string }) => (
  <p>
    Sent by the website <Sent className="mono" text={origin} />.{' '}
    <Link to="/sources/$id" params={{ id: source }} search={(now) => ({ ...now, tab: 'limits', origin })}>
      {`Add ${origin} to the source’s origins`}
    </Link>
  </p>
);

function RefusedSource({ refusal }: { refusal: RefusedRequest }) {
  const { sourceIdentifier, sourceName, claimedSource, claimedName } = refusal;
  if (sourceIdentifier !== '') return <SourceLink id={sourceIdentifier} name={sourceName} />;
  if (claimedSource === undefined) return 'unknown';
  return (
    <>
      claims to be <SourceLink id={claimedSource} name={claimedName} />, without a valid key;{' '}
      <Link to="/sources/$id" params={{ id: claimedSource }} search={(now) => ({ ...now, tab: 'keys' })}>
        its keys
      </Link>
    </>
  );
}

const SourceLink = ({ id, name = '' }: { id: string; name: string | undefined }) => (
  <Link to="/sources/$id" params={{ id }}>
    {name === '' ? <code>{id}</code> : <Sent className="any-length" text={name} />}
  </Link>
);

export const RequestLink = ({ id }: { id: string }) => (
  <Link to="/requests/$id" params={{ id }}>
    <code className="mono">{id}</code>
  </Link>
);
