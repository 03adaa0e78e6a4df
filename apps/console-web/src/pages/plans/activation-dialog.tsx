import { type NewActivation, type PlanMode, type PlanPreview } from '@sluice/console-api';
import { useAction, useRead } from '../../data/use-api';
import { Confirm } from '../../ui/dialog';
import { Select } from '../../ui/field';
import { exactText } from '../../ui/number';
import { Skeleton } from '../../ui/skeleton';
import { useToast } from '../../ui/toast';
import { Time } from '../../ui/zone';
import { Compared } from './comparison';

interface Props {
  id: string;
  activation: NewActivation;
  onChange: (activation: NewActivation) => void;
  onClose: () => void;
}

const modes: { value: PlanMode; label: string }[] = [
  { value: 'observe', label: 'observe: store as sent' },
  { value: 'drop', label: 'drop: leave out what does not fit' },
  { value: 'refuse', label: 'refuse: answer 400 and keep the message' },
];

/** Shows what a change of the active plans would do, and does it. */
export function ActivationDialog({ id, activation, onChange, onClose }: Props) {
  const toast = useToast();
  const isNothing = activation.versions.length === 0;
  const preview = useRead('GET /api/sources/:id/plans/preview', {
    path: { id },
    query: {
      versions: activation.versions.join(','),
      mode: activation.mode,
      ...(activation.candidate !== null && { candidate: String(activation.candidate) }),
    },
  });
  const activate = useAction('PUT /api/sources/:id/plans', () => {
    toast('ok', 'Saved. It is in force within two seconds.');
    onClose();
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={isNothing ? 'Stop judging messages?' : `Activate version ${activation.versions.join(', ')}?`}
      action={isNothing ? 'Stop judging' : 'Activate'}
      look={activation.mode === 'observe' && !isNothing ? 'primary' : 'danger'}
      busy={activate.isPending}
      isPossible={activation.mode !== 'refuse' || preview.data?.observation?.isLongEnough !== false}
      error={activate.error?.message ?? preview.error?.message}
      onConfirm={() => activate.mutate({ path: { id }, body: activation })}
    >
      {!isNothing && <Choices id={id} activation={activation} onChange={onChange} />}
      {preview.data ? <Preview {...{ id, activation }} preview={preview.data} /> : <Skeleton lines={3} />}
    </Confirm>
  );
}

function Choices({ id, activation, onChange }: Pick<Props, 'id' | 'activation' | 'onChange'>) {
  const plans = useRead('GET /api/sources/:id/plans', { path: { id }, query: { limit: 100 } });
  const listed = (plans.data?.plans ?? []).map(({ version }) => version);
  const { candidate } = activation;
  const otherVersions = listed.filter((version) => version === candidate || !activation.versions.includes(version));
  const versions = candidate === null || listed.includes(candidate) ? otherVersions : [candidate, ...otherVersions];
  return (
    <div className="grid-2">
      <Select
        label="Mode"
        value={activation.mode}
        options={modes}
        onChange={({ target }) =>
          onChange({ ...activation, mode: modes.find(({ value }) => value === target.value)?.value ?? 'observe' })
        }
      />
      <Select
        label="Candidate, observed only"
        hint="Another version, whose violations are counted as well, and which changes nothing."
        value={String(candidate ?? '')}
        options={[
          { value: '', label: 'none' },
          ...versions.map((version) => ({ value: String(version), label: `Version ${version}` })),
        ]}
        onChange={({ target }) =>
          onChange({ ...activation, candidate: target.value === '' ? null : Number(target.value) })
        }
      />
    </div>
  );
}

function Preview({ id, activation, preview }: { id: string; activation: NewActivation; preview: PlanPreview }) {
  const plans = useRead('GET /api/sources/:id/plans', { path: { id }, query: { limit: 100 } });
  const newest = Math.max(...activation.versions);
  const active = plans.data && Math.max(0, ...plans.data.versions);
  return (
    <>
      {preview.observation && <Observed observation={preview.observation} mode={activation.mode} />}
      {activation.mode === 'drop' && <p>Values that do not fit are not stored from then on, and cannot be restored.</p>}
      {active !== undefined && activation.versions.length > 0 && (
        <Differences id={id} of="The plan" before={active} after={newest} isEqual={preview.differences.length === 0} />
      )}
      {activation.candidate !== null && activation.versions.length > 0 && (
        <Differences
          id={id}
          of="The candidate"
          before={newest}
          after={activation.candidate}
          isEqual={preview.candidateDifferences.length === 0}
        />
      )}
    </>
  );
}

interface DifferencesProps {
  id: string;
  of: 'The plan' | 'The candidate';
  /** Version that it is compared with; 0 for none. */
  before: number;
  after: number;
  isEqual: boolean;
}

function Differences({ id, of, before, after, isEqual }: DifferencesProps) {
  if (before === 0) return <p className="soft">No plan is active now: until this one is, nothing is judged.</p>;
  if (isEqual)
    return (
      <p className="soft">
        {of} does not differ from version {before}.
      </p>
    );
  return (
    <section aria-label={of} className="stack stack-tight">
      {of === 'The candidate' && <p className="soft">The candidate:</p>}
      <Compared {...{ id, before, after }} note={of === 'The plan' ? ', which is active' : ''} />
    </section>
  );
}

function Observed({ observation, mode }: { observation: NonNullable<PlanPreview['observation']>; mode: PlanMode }) {
  const { since, judged, violating, share, isLongEnough } = observation;
  const isTooEarly = mode === 'refuse' && !isLongEnough;
  return (
    <p role={isTooEarly ? 'alert' : 'status'} className={isTooEarly ? 'field-error' : undefined}>
      {exactText(violating)} of {exactText(judged)} messages of the last 7 days ({(100 * share).toFixed(2)} %){' '}
      {mode === 'drop' ? 'would lose values' : 'would be refused'}
      {mode === 'drop' && since !== null && ': the violations of the plan name them'}.{' '}
      {since === null ? 'The plan has judged nothing yet.' : <Since since={since} />}{' '}
      {isTooEarly && 'A plan may refuse after seven days of observation.'}
    </p>
  );
}

const Since = ({ since }: { since: string }) => (
  <>
    Observed since <Time at={since} />.
  </>
);
