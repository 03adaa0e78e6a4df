import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from './button';
import type { CanvasProps, ChartLine, Mark } from './chart-canvas';
import { CopyButton } from './copy';
import { rateText } from './number';
import { Table } from './table';
import { fullTime, Time, useZone, type Zone } from './zone';
import './chart.css';

interface Props {
  label: string;
  /** Starts of the steps, seconds since 1970. */
  times: readonly number[];
  lines: readonly ChartLine[];
  /** Unit of the values in the table, such as `per second`. */
  unit: string;
  /** Writes a value in the legend and in the table; rounded as rates are by default. */
  format?: (value: number | null) => string;
  marks?: readonly Mark[];
  /** End of the last step, seconds since 1970, where its whole length is shown. */
  until?: number;
  sql?: string;
  /** Called with a time that was chosen by dragging, seconds since 1970. */
  onZoom?: ((from: number, to: number) => void) | undefined;
  children?: ReactNode;
}

const NoCanvas = ({ instead }: CanvasProps) => <>{instead}</>;

/** The lines with their library, fetched after the page. Without it the numbers stand in the table. */
const Canvas = lazy(() => import('./chart-canvas').catch(() => ({ default: NoCanvas })));

const noMarks: readonly Mark[] = [];

/** Lines over time. The same numbers stand in a table, for screen readers and for copying. */
export function Chart({
  label,
  times,
  lines,
  unit,
  format = rateText,
  marks = noMarks,
  until,
  sql,
  onZoom,
  children,
}: Props) {
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const zone = useZone();
  const table = <ChartTable {...{ label, times, lines, unit, format, zone }} />;
  return (
    <div className="chart">
      <div className="chart-head">
        <Legend {...{ times, lines, format, zone, at }} />
        <div className="row">
          {children}
          {sql && <CopyButton text={sql} label="Copy SQL" />}
          <Button icon="table" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Chart' : 'Table'}
          </Button>
        </div>
      </div>
      {isTable ? (
        table
      ) : (
        <div className="chart-place">
          <Suspense fallback={null}>
            <Canvas {...{ label, times, lines, marks, until, zone, onZoom }} onCursor={setAt} instead={table} />
          </Suspense>
        </div>
      )}
      <Marks marks={marks} />
    </div>
  );
}

type LineTexts = Pick<Props, 'times' | 'lines'> & Pick<Required<Props>, 'format'>;

/** Names of the lines with their values at the cursor; without one, at the newest step known for all lines. */
function Legend({ times, lines, format, zone, at }: LineTexts & { zone: Zone; at: number | null }) {
  const step = at ?? findNewestStep(lines, times.length);
  const time = times[step];
  return (
    <ul className="chart-legend">
      {lines.map(({ name, tone, values, isDashed }) => (
        <li key={name}>
          <span className={`swatch swatch-${tone} ${isDashed ? 'swatch-dashed' : ''}`} />
          {name}
          <strong>{format(values[step] ?? null)}</strong>
        </li>
      ))}
      <li className="soft chart-at">{time === undefined ? '' : fullTime(time * 1000, zone).replace('.000', '')}</li>
    </ul>
  );
}

/** The marks as text, because a canvas has none. */
const Marks = ({ marks }: { marks: readonly Mark[] }) =>
  marks.length > 0 && (
    <ul className="chart-marks small">
      {marks.map(({ label, from, to }) => (
        <li key={`${label} ${from}`}>
          <span className="mark-swatch" />
          <span>
            {label}, <Time at={new Date(from * 1000).toISOString()} /> – <Time at={new Date(to * 1000).toISOString()} />
          </span>
        </li>
      ))}
    </ul>
  );

/** The newest step that is known for all lines; the last steps of a range until now are not. */
const findNewestStep = (lines: readonly ChartLine[], steps: number): number => {
  const newest = Math.min(...lines.map(({ values }) => values.findLastIndex((value) => value !== null)));
  return newest < 0 ? steps - 1 : newest;
};

function ChartTable({
  label,
  times,
  lines,
  unit,
  format,
  zone,
}: LineTexts & Pick<Props, 'label' | 'unit'> & { zone: Zone }) {
  const rows = times.map((time, index) => ({ time, index })).reverse();
  return (
    <div className="chart-table" role="region" aria-label={`${label}, as a table`} tabIndex={0}>
      <Table
        label={label}
        rows={rows}
        rowKey={({ time }) => String(time)}
        columns={[
          { label: 'Time', cell: ({ time }) => fullTime(time * 1000, zone).replace('.000', '') },
          ...lines.map(({ name, values }) => ({
            label: `${name}, ${unit}`,
            end: true,
            cell: ({ index }: { index: number }) => format(values[index] ?? null),
          })),
        ]}
      />
    </div>
  );
}
