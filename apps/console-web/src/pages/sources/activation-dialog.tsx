import { type NewActivation, type PlanChange, type PlanMode, type PlanPreview } from '@sluice/console-api';
import { useAction, useRead } from '../../data/use-api';
import { Confirm } from '../../ui/dialog';
import { Input, Select } from '../../ui/field';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Skeleton } from '../../ui/skeleton';
import { useToast } from '../../ui/toast';
import { Time } from '../../ui/zone';

interface Props {
  id: string;
  asked: NewActivation;
  onChange: (asked: NewActivation) => void;
  onClose: () => void;
}

const modes: { value: PlanMode; label: string }[] = [
  { value: 'observe', label: 'observe: store as sent' },
  { value: 'drop', label: 'drop: leave out what does not fit' },
  { value: 'refuse', label: 'refuse: answer 400 and keep the message' },
];

/** Shows what a change of the active plans would do, and does it. */
export function ActivationDialog({ id, asked, onChange, onClose }: Props) {
  const toast = useToast();
  const isNothing = asked.versions.length === 0;
  const preview = useRead('GET /api/sources/:id/plans/preview', {
    path: { id },
    query: {
      versions: asked.versions.join(','),
      mode: asked.mode,
      ...(asked.candidate !== null && { candidate: String(asked.candidate) }),
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
      title={isNothing ? 'Stop judging messages?' : `Activate version ${asked.versions.join(', ')}?`}
      action={isNothing ? 'Stop judging' : 'Activate'}
      look={asked.mode === 'refuse' || isNothing ? 'danger' : 'primary'}
      busy={activate.isPending}
      error={activate.error?.message ?? preview.error?.message}
      onConfirm={() => activate.mutate({ path: { id }, body: asked })}
    >
      {!isNothing && <Choices asked={asked} onChange={onChange} />}
      {preview.data ? <Preview asked={asked} preview={preview.data} /> : <Skeleton lines={3} />}
    </Confirm>
  );
}

const Choices = ({ asked, onChange }: Pick<Props, 'asked' | 'onChange'>) => (
  <div className="grid-2">
    <Select
      label="Mode"
      value={asked.mode}
      options={modes}
      onChange={({ target }) =>
        onChange({ ...asked, mode: modes.find(({ value }) => value === target.value)?.value ?? 'observe' })
      }
    />
    <Input
      label="Candidate, observed only"
      type="number"
      min={1}
      placeholder="none"
      value={asked.candidate ?? ''}
      onChange={({ target }) => onChange({ ...asked, candidate: target.value === '' ? null : Number(target.value) })}
    />
  </div>
);

const Preview = ({ asked, preview }: { asked: NewActivation; preview: PlanPreview }) => (
  <>
    {preview.observation && <Observed observation={preview.observation} />}
    {asked.mode === 'drop' && <p>Values that do not fit are not stored from then on, and cannot be restored.</p>}
    <Differences of="The plan" from="the active one" differences={preview.differences} />
    {asked.candidate !== null && (
      <Differences of="The candidate" from="this plan" differences={preview.candidateDifferences} />
    )}
  </>
);

const Differences = ({ of, from, differences }: { of: string; from: string; differences: readonly PlanChange[] }) =>
  differences.length === 0 ? (
    <p className="soft">
      {of} does not differ from {from}.
    </p>
  ) : (
    <section>
      <p className="soft">
        {of} differs from {from}:
      </p>
      <ul className="stack stack-tight mono small" aria-label={`Differences of ${of.toLowerCase()} from ${from}`}>
        {differences.map((one) => (
          <li key={one.path}>
            <Sent text={textOf(one)} />
          </li>
        ))}
      </ul>
    </section>
  );

function Observed({ observation }: { observation: NonNullable<PlanPreview['observation']> }) {
  const { since, judged, violating, share, isLongEnough } = observation;
  return (
    <p role={isLongEnough ? 'status' : 'alert'} className={isLongEnough ? undefined : 'field-error'}>
      {exactText(violating)} of {exactText(judged)} messages of the last 7 days ({(100 * share).toFixed(2)} %) would be
      refused. {since === null ? 'The plan has judged nothing yet.' : <Since since={since} />}{' '}
      {!isLongEnough && 'A plan may refuse after seven days of observation.'}
    </p>
  );
}

const Since = ({ since }: { since: string }) => (
  <>
    Observed since <Time at={since} />.
  </>
);

function textOf({ path, before, after }: PlanChange): string {
  if (before === null) return `+ ${path}: ${after ?? ''}`;
  return after === null ? `- ${path}: ${before}` : `~ ${path}: ${before} → ${after}`;
}
