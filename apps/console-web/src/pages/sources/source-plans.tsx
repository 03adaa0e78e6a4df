import {
  type EventCoverage,
  type NewActivation,
  type PlanMode,
  type PlanSummary,
  type PlanViolation,
  type SourcePlans,
} from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Span } from '../../data/range';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Count } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age } from '../../ui/zone';
import { ActivationDialog } from './activation-dialog';

interface Props {
  id: string;
  span: Span;
  mayEdit: boolean;
}

/** The plans of a source, and how its messages fit them. */
export function SourcePlansTab({ id, span, mayEdit }: Props) {
  const reading = useRead('GET /api/sources/:id/plans', { path: { id }, query: {} }, { everyMs: 5000, span });
  return (
    <Loaded of={reading} lines={6}>
      {(plans) => (
        <div className="stack">
          <PlansCard id={id} plans={plans} mayEdit={mayEdit} />
          <Card title="Violations" note="A rule and a path, with the newest request that has it" flush>
            <Violations violations={plans.violations} />
          </Card>
          <Card title="Coverage" note="Events that the source sent, and how many of them the plan names" flush>
            <Coverage coverage={plans.coverage} />
          </Card>
        </div>
      )}
    </Loaded>
  );
}

const modeText: Record<PlanMode, string> = {
  observe: 'Messages that do not fit are stored as sent.',
  drop: 'Properties that do not fit are left out.',
  refuse: 'Messages that do not fit are refused, and kept.',
};

function PlansCard({ id, plans, mayEdit }: { id: string; plans: SourcePlans; mayEdit: boolean }) {
  const [asked, setAsked] = useState<NewActivation>();
  const { versions, mode, candidate } = plans;
  const kept: NewActivation = { versions: [...versions], mode: mode ?? 'observe', candidate };
  const note = mode === null ? 'No plan is active: messages are not judged.' : `Mode ${mode}. ${modeText[mode]}`;
  return (
    <Card
      title="Plans"
      note={note}
      flush
      actions={
        mayEdit && mode !== null ? (
          <Button onClick={() => setAsked({ versions: [], mode, candidate: null })}>Stop judging</Button>
        ) : undefined
      }
    >
      <Table
        label="Plans of this source"
        rows={plans.plans}
        rowKey={({ version }) => String(version)}
        columns={[
          { label: 'Version', cell: ({ version }) => String(version) },
          { label: 'Description', grow: true, cell: ({ description }) => <Sent text={description} /> },
          { label: 'Events', end: true, cell: ({ events }) => <Count value={events} /> },
          { label: 'State', cell: (plan) => <State plan={plan} /> },
          ...(mayEdit
            ? [
                {
                  label: 'Change',
                  end: true,
                  isButton: true,
                  cell: ({ version }: PlanSummary) => (
                    <Button onClick={() => setAsked({ ...kept, versions: [version] })}>Activate {version}</Button>
                  ),
                },
              ]
            : []),
        ]}
        empty={
          <Empty kind="well" title="There is no plan for this source">
            <code>operator plans import plan.json</code> adds one: see docs/plans.md.
          </Empty>
        }
      />
      {asked && <ActivationDialog id={id} asked={asked} onChange={setAsked} onClose={() => setAsked(undefined)} />}
    </Card>
  );
}

const State = ({ plan: { state } }: { plan: PlanSummary }) => {
  if (state === 'active') return <Badge state="active" />;
  return <Badge state="unknown" text={state === 'candidate' ? 'Candidate' : 'Not active'} />;
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
/** Traits of identify have no event. */
const eventText = (event: string): string => (event === '' ? '(identify)' : event);

const Violations = ({ violations }: { violations: PlanViolation[] | null }) =>
  violations === null ? (
    <Empty kind="unreachable" title="Violations cannot be loaded right now" />
  ) : (
    <Table
      label="Violations"
      rows={violations}
      rowKey={({ event, rule, path }) => `${event} ${rule} ${path}`}
      columns={[
        { label: 'Event', cell: ({ event }) => <Sent text={eventText(event)} /> },
        {
          label: 'Violation',
          grow: true,
          cell: ({ rule, path }) => (
            <code>
              <Sent text={path === '' ? rule : `${rule}:${path}`} />
            </code>
          ),
        },
        { label: 'Messages', end: true, cell: ({ messages }) => <Count value={messages} /> },
        { label: 'Share', end: true, cell: ({ share }) => percent(share) },
        { label: 'People', end: true, cell: ({ people }) => <Count value={people} /> },
        { label: 'First', end: true, cell: ({ firstSeen }) => <Age at={firstSeen} /> },
        { label: 'Last', end: true, cell: ({ lastSeen }) => <Age at={lastSeen} /> },
        {
          label: 'Request',
          end: true,
          cell: ({ requestId }) => (
            <Link to="/requests/$id" params={{ id: requestId }}>
              Newest
            </Link>
          ),
        },
      ]}
      empty={<Empty kind="well" title="Nothing violated the plan in this time" />}
    />
  );

const Coverage = ({ coverage }: { coverage: EventCoverage[] | null }) =>
  coverage === null ? (
    <Empty kind="unreachable" title="Coverage cannot be loaded right now" />
  ) : (
    <Table
      label="Coverage"
      rows={coverage}
      rowKey={({ event }) => event}
      columns={[
        { label: 'Event', grow: true, cell: ({ event }) => <Sent text={eventText(event)} /> },
        { label: 'Messages', end: true, cell: ({ messages }) => <Count value={messages} /> },
        { label: 'Planned', end: true, cell: ({ planned }) => <Count value={planned} /> },
        { label: 'With violations', end: true, cell: ({ violating }) => <Count value={violating} /> },
      ]}
      empty={<Empty kind="well" title="The source sent nothing in this time" />}
    />
  );
