import { type Problem, type RefusedRequest } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge';
import { Facts } from '../../ui/card';
import { Sent } from '../../ui/sent';
import { Time } from '../../ui/zone';
import { meaningOf } from './reasons';
import './refusal.css';

/** The kind of a refusal and the code of its reason. */
export const ReasonCode = ({ kind, reason }: { kind: string; reason: string }) => (
  <span className="row small">
    <Badge state={kind} />
    <Sent className="mono soft" text={reason} />
  </span>
);

/** What was wrong, field by field. */
export const Problems = ({ problems }: { problems: readonly Problem[] }) => (
  <ul className="problems">
    {problems.map(({ field, message }, index) => (
      <li key={`${field} ${index}`}>
        {field && (
          <code className="mono">
            <Sent text={field} />
          </code>
        )}
        <Sent text={meaningOf(message) ?? message} />
      </li>
    ))}
  </ul>
);

export const RefusalFacts = ({ refusal }: { refusal: RefusedRequest }) => (
  <div className="stack">
    {refusal.problems.length > 0 && <Problems problems={refusal.problems} />}
    <Facts
      facts={[
        ['Outcome', <Badge key="kind" state={refusal.kind} text={`${refusal.status} ${refusal.reason}`} />],
        ['Time', <Time key="at" at={refusal.at} millis />],
        ['Route', <code key="route">{`${refusal.method} ${refusal.route}`}</code>],
        ['Source', refusal.sourceIdentifier ? <SourceLink key="source" id={refusal.sourceIdentifier} /> : 'unknown'],
        ['Request', <RequestLink key="id" id={refusal.requestId} />],
        ['User agent', <Sent key="agent" text={refusal.userAgent || '–'} />],
      ]}
    />
  </div>
);

const SourceLink = ({ id }: { id: string }) => (
  <Link to="/sources/$id" params={{ id }}>
    <code>{id}</code>
  </Link>
);

export const RequestLink = ({ id }: { id: string }) => (
  <Link to="/requests/$id" params={{ id }}>
    <code className="mono">{id}</code>
  </Link>
);
