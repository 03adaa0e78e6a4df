import { type SubmitEvent, useState } from 'react';
import { type Range, rangeQueryOf, ranges, type Span } from '../data/range';
import { Button } from './button';
import { Dialog } from './dialog';
import { Input } from './field';
import { Segmented } from './segmented';
import { fromInput, shortTime, toInput, useZone } from './zone';

interface Props {
  value: Span;
  onChange: (span: Span) => void;
}

interface PickerProps extends Props {
  /** Offers what arrives now, too. */
  live?: { isOn: boolean; onChoose: () => void };
}

type Choice = Range | 'live' | 'custom';

/** Picks a period up to now, or a start and an end. */
export function RangePicker({ value, onChange, live }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const zone = useZone();
  const isCustom = typeof value !== 'string' && live?.isOn !== true;
  const custom = isCustom ? `${shortTime(value.from, zone, false)} – ${shortTime(value.to, zone, false)}` : 'Custom';
  const options: { value: Choice; label: string }[] = [
    ...(live ? [{ value: 'live' as const, label: 'Live' }] : []),
    ...ranges.map((range) => ({ value: range, label: range })),
    { value: 'custom', label: custom },
  ];
  return (
    <>
      <Segmented
        label="Time"
        options={options}
        value={live?.isOn ? 'live' : typeof value === 'string' ? value : 'custom'}
        onChange={(next) => {
          if (next === 'custom') setOpen(true);
          else if (next === 'live') live?.onChoose();
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
    const { from: start, to: end } = rangeQueryOf(value);
    return { from: toInput(start ?? '', zone), to: toInput(end ?? new Date().toISOString(), zone) };
  });
  const isOrdered = from !== '' && to !== '' && from < to;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isOrdered) onChange({ from: fromInput(from, zone), to: fromInput(to, zone) });
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
