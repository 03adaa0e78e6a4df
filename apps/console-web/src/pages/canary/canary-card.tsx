import { type CanaryState, describeCanary } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Loaded } from '../../ui/loaded';
import { exactText } from '../../ui/number';
import { Time } from '../../ui/zone';

const everyMs = 60_000;

/** Whether everything that gateways have sent to themselves was stored once. */
export function CanaryCard() {
  const canary = useRead('GET /api/canary', {}, { everyMs });
  return (
    <Card
      title="Canary"
      note="Messages that each gateway sends to itself, the way of events"
      actions={
        <Link to="/runbooks/$id" params={{ id: 'canarylost' }}>
          Runbook
        </Link>
      }
    >
      {canary.data === undefined && canary.error ? (
        <p className="small soft">Cannot be read right now: {canary.error.message}</p>
      ) : (
        <Loaded of={canary} lines={2}>
          {(state) => <Canary state={state} />}
        </Loaded>
      )}
    </Card>
  );
}

const Canary = ({ state }: { state: CanaryState }) => (
  <div className="stack stack-tight">
    <p>
      {state.since !== null && <Badge state={state.lost + state.doubled > 0 ? 'attention' : 'ok'} />} {sentence(state)}
    </p>
    {state.judgedUntil !== null && (
      <p className="small soft">
        Judged up to <Time at={state.judgedUntil} />
        {formatRest(state)}
      </p>
    )}
    {state.faults[0] && (
      <p className="small">
        The newest: number {exactText(state.faults[0].number)} of {state.faults[0].series}, {state.faults[0].kind},
        called <Time at={state.faults[0].called} />
        {state.faults[0].arrived !== null && ', arrived after all'}
      </p>
    )}
  </div>
);

const sentence = (state: CanaryState): string => {
  const text = describeCanary(state);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
};

const formatRest = ({ refused, inDoubt, late }: CanaryState): string =>
  [
    ...(refused > 0 ? [`; ${exactText(refused)} more were refused`] : []),
    ...(inDoubt > 0 ? [`; ${exactText(inDoubt)} more had no answer`] : []),
    ...(late > 0 ? [`; ${exactText(late)} came late`] : []),
  ].join('');
