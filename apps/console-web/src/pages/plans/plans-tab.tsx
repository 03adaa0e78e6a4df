import { type NewActivation, type PlanSummary, type SourcePlans } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Count } from '../../ui/number';
import { pageNote, Pages } from '../../ui/pages';
import { SearchField } from '../../ui/search-field';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { ActivationDialog } from './activation-dialog';
import { ImportDialog } from './import-dialog';
import { CoverageCard, ViolationsCard } from './plan-facts';
import { modeText, PlanState } from './plan-state';
import { PlanVersion } from './plan-version';

const route = getRouteApi('/shell/sources/$id');
/** Number of plans of a page. */
const pagePlans = 20;

interface Props {
  id: string;
  mayEdit: boolean;
}

/** The plans of a source, and how its messages fit them; one of its plans, when the address names it. */
export function SourcePlansTab({ id, mayEdit }: Props) {
  const { plan } = route.useSearch();
  return plan === undefined ? (
    <div className="stack">
      <PlanList {...{ id, mayEdit }} />
      <ViolationsCard id={id} />
      <CoverageCard id={id} />
    </div>
  ) : (
    <PlanVersion id={id} version={plan} mayEdit={mayEdit} />
  );
}

const describeMode = ({ mode, versions }: SourcePlans): string => {
  if (mode === null) return 'No plan is active: messages are not judged.';
  if (versions.length === 0) return 'No version is active; the candidate only observes.';
  return `Version ${versions.join(', ')} is active, in mode ${mode}. ${modeText[mode]}`;
};

function PlanList({ id, mayEdit }: Props) {
  const { text, page = 1 } = route.useSearch();
  const query = { ...(text && { text }), skip: (page - 1) * pagePlans, limit: pagePlans };
  const reading = useRead('GET /api/sources/:id/plans', { path: { id }, query }, { everyMs: 5000 });
  const [activation, setActivation] = useState<NewActivation>();
  const [isImporting, setImporting] = useState(false);
  const { data } = reading;
  const mode = data?.mode ?? null;
  return (
    <>
      {data && (data.all > pagePlans || text !== undefined) && <PlanFilter />}
      <Card
        title="Plans"
        note={data && describeMode(data)}
        flush
        actions={
          mayEdit && (
            <>
              {mode !== null && (
                <Button onClick={() => setActivation({ versions: [], mode, candidate: null })}>Stop judging</Button>
              )}
              <Button icon="plus" onClick={() => setImporting(true)}>
                Import a plan
              </Button>
            </>
          )
        }
      >
        <Loaded of={reading} lines={6}>
          {(plans) => <PlanTable {...{ plans, mayEdit }} onActivate={setActivation} />}
        </Loaded>
      </Card>
      {data && <PlanPages page={page} data={data} />}
      {activation && (
        <ActivationDialog
          id={id}
          activation={activation}
          onChange={setActivation}
          onClose={() => setActivation(undefined)}
        />
      )}
      {isImporting && <ImportDialog id={id} onClose={() => setImporting(false)} />}
    </>
  );
}

function PlanFilter() {
  const { text = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/sources/$id' });
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SearchField
        label="Version, description or event"
        value={text}
        onSearch={(typed) => {
          void navigate({ search: (now) => ({ ...now, text: typed || undefined, page: undefined }), replace: true });
        }}
      />
    </form>
  );
}

function PlanPages({ page, data }: { page: number; data: SourcePlans }) {
  const navigate = useNavigate({ from: '/sources/$id' });
  if (data.all <= pagePlans) return null;
  return (
    <div className="row row-apart">
      <span className="small soft">{pageNote(data.plans.length, (page - 1) * pagePlans, data)}</span>
      <Pages
        label="Pages of plans"
        page={page}
        matchCount={data.found}
        size={pagePlans}
        onPage={(to) => {
          void navigate({ search: (now) => ({ ...now, page: to === 1 ? undefined : to }) });
        }}
      />
    </div>
  );
}

interface TableProps {
  plans: SourcePlans;
  mayEdit: boolean;
  onActivate: (activation: NewActivation) => void;
}

function PlanTable({ plans: { plans, all, versions, mode, candidate }, mayEdit, onActivate }: TableProps) {
  const activate = ({ version, state }: PlanSummary): void =>
    onActivate({
      versions: state === 'active' ? [...versions] : [version],
      mode: mode ?? 'observe',
      candidate: candidate === version ? null : candidate,
    });
  return (
    <Table
      label="Plans of this source"
      rows={plans}
      rowKey={({ version }) => String(version)}
      columns={[
        { label: 'Version', cell: versionLink },
        { label: 'Description', grow: true, cell: ({ description }) => <Sent text={description} /> },
        { label: 'Events', end: true, cell: ({ events }) => <Count value={events} /> },
        { label: 'State', cell: ({ state }) => <PlanState state={state} /> },
        ...(mayEdit
          ? [
              {
                label: 'Change',
                end: true,
                isButton: true,
                cell: (plan: PlanSummary) => (
                  <Button onClick={() => activate(plan)}>
                    {plan.state === 'active' ? `Change mode of ${plan.version}` : `Activate ${plan.version}`}
                  </Button>
                ),
              },
            ]
          : []),
      ]}
      empty={
        all > 0 ? (
          <Empty kind="filtered" title="No plan matches" />
        ) : (
          <Empty kind="none-yet" title="There is no plan for this source">
            A plan says what its events must look like. Import one from a file, or by{' '}
            <code>operator plans import plan.json</code>.
          </Empty>
        )
      }
    />
  );
}

const versionLink = ({ version }: PlanSummary) => (
  <Link from="/sources/$id" to="." search={(now) => ({ ...now, plan: version, text: undefined, page: undefined })}>
    Version {version}
  </Link>
);
