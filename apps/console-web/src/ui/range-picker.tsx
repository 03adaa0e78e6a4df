import { type SubmitEvent, useState } from 'react';
import { serverNow } from '../data/clock';
import { type RangeName, buildRangeQuery, ranges, type Span } from '../data/range';
import { Button } from './button';
import { Dialog } from './dialog';
import { Input } from './field';
import { ChoiceButtons } from './choice-buttons';
import { fromDateTimeInput, shortTime, toDateTimeInput, useZone } from './zone';

interface Props {
  value: Span;
  onChange: (span: Span) => void;
}

interface PickerProps extends Props {
  /** Offers another choice before the periods, such as all times. */
  otherChoice?: { label: string; isOn: boolean; onChoose: () => void };
}

type Choice = RangeName | 'other' | 'custom';

/** Picks a period up to now, or a start and an end. */
export function RangePicker({ value, onChange, otherChoice }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const zone = useZone();
  const isCustom = typeof value !== 'string' && otherChoice?.isOn !== true;
  const custom = isCustom ? `${shortTime(value.from, zone, false)} – ${shortTime(value.to, zone, false)}` : 'Custom';
  const options: { value: Choice; label: string }[] = [
    ...(otherChoice ? [{ value: 'other' as const, label: otherChoice.label }] : []),
    ...ranges.map((range) => ({ value: range, label: range })),
    { value: 'custom', label: custom },
  ];
  return (
    <>
      <ChoiceButtons
        label="Time"
        options={options}
        value={otherChoice?.isOn ? 'other' : typeof value === 'string' ? value : 'custom'}
        onChange={(next) => {
          if (next === 'custom') setOpen(true);
          else if (next === 'other') otherChoice?.onChoose();
          else onChange(next);
        }}
      />
      {isOpen && (
        <CustomDialog
          value={value}
          onClose={() => setOpen(false)}
          onChange={(next) => {
            setOpen(false);
            onChange(next);
          }}
        />
      )}
    </>
  );
}

function CustomDialog({ value, onChange, onClose }: Props & { onClose: () => void }) {
  const zone = useZone();
  const [{ from, to }, setTimes] = useState(() => {
    const { from: start, to: end } = buildRangeQuery(value);
    return {
      from: toDateTimeInput(start ?? '', zone),
      to: toDateTimeInput(end ?? new Date(serverNow()).toISOString(), zone),
    };
  });
  const isOrdered = from !== '' && to !== '' && from < to;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isOrdered) onChange({ from: fromDateTimeInput(from, zone), to: fromDateTimeInput(to, zone) });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Custom time"
      note={`Times are ${zone === 'utc' ? 'UTC' : 'local'}. You can also drag on a chart.`}
    >
      <form className="stack" onSubmit={submit}>
        <Input
          label="From"
          type="datetime-local"
          step={1}
          required
          value={from}
          onChange={(event) => setTimes({ from: event.target.value, to })}
        />
        <Input
          label="To"
          type="datetime-local"
          step={1}
          required
          value={to}
          error={isOrdered ? undefined : 'The end must be after the start.'}
          onChange={(event) => setTimes({ from, to: event.target.value })}
        />
        <div className="row">
          <Button type="submit" look="primary" disabled={!isOrdered}>
            Show
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
