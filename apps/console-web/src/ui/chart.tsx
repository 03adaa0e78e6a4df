import { type ReactNode, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Button } from './button';
import { CopyButton } from './copy';
import { rateText } from './number';
import { Table } from './table';
import { fullTime, tickTime, useZone, type Zone, zoneName } from './zone';
import './chart.css';

export interface Line {
  name: string;
  tone: 'accent' | 'ok' | 'bad' | 'attention';
  values: readonly (number | null)[];
  /** Tells lines apart that lie on each other, also without colours. */
  isDashed?: boolean;
}

interface Props {
  label: string;
  /** Starts of the steps, seconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
  /** Said after each value, such as `/s`. */
  unit: string;
  sql?: string;
  children?: ReactNode;
}

/** Lines over time. The same numbers stand in a table, for readers and for copying. */
export default function Chart({ label, times, lines, unit, sql, children }: Props) {
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const zone = useZone();
  const shown = at ?? newestOf(lines, times.length);
  return (
    <div className="chart">
      <div className="chart-head">
        <ul className="chart-legend">
          {lines.map(({ name, tone, values, isDashed }) => (
            <li key={name}>
              <span className={`swatch swatch-${tone} ${isDashed ? 'swatch-dashed' : ''}`} />
              {name}
              <strong>{rateText(values[shown] ?? null)}</strong>
            </li>
          ))}
          <li className="soft chart-at">
            {times[shown] === undefined ? '' : fullTime(times[shown] * 1000, zone).replace('.000', '')}
          </li>
        </ul>
        <div className="row">
          {children}
          {sql && <CopyButton text={sql} label="Copy SQL" />}
          <Button
            icon="table"
            aria-pressed={isTable}
            onClick={() => {
              setTable(!isTable);
            }}
          >
            {isTable ? 'Chart' : 'Table'}
          </Button>
        </div>
      </div>
      {isTable ? (
        <ChartTable {...{ label, times, lines, unit, zone }} />
      ) : (
        <Canvas {...{ label, times, lines, zone }} onCursor={setAt} />
      )}
    </div>
  );
}

/** The newest step of which all is known: the last ones of a range until now are not. */
const newestOf = (lines: readonly Line[], steps: number): number => {
  const newest = Math.min(...lines.map(({ values }) => values.findLastIndex((value) => value !== null)));
  return newest < 0 ? steps - 1 : newest;
};

function ChartTable({ label, times, lines, unit, zone }: Omit<Props, 'sql'> & { zone: Zone }) {
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
            cell: ({ index }: { index: number }) => rateText(values[index] ?? null),
          })),
        ]}
      />
    </div>
  );
}

interface CanvasProps {
  label: string;
  times: readonly number[];
  lines: readonly Line[];
  zone: Zone;
  onCursor: (index: number | null) => void;
}

const height = 200;

function Canvas({ label, times, lines, zone, onCursor }: CanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  const plot = useRef<uPlot | null>(null);
  const data = [times, ...lines.map(({ values }) => values)] as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  const shape = lines.map(({ name, tone }) => `${name}:${tone}`).join();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new uPlot(optionsOf(element, lines, zone, onCursor), latest.current, element);
    plot.current = made;
    const watch = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
    // The shape of the lines, not their values, decides whether the plot is made anew.
  }, [shape, zone, scheme, onCursor]);
  useEffect(() => {
    plot.current?.setData(data);
  });
  return (
    <div ref={place} className="chart-canvas" role="img" aria-label={`${label}. The button Table shows it as text.`} />
  );
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  zone: Zone,
  onCursor: (index: number | null) => void,
): uPlot.Options {
  const [grid, ink] = [colorOf(element, '--border'), colorOf(element, '--ink-soft')];
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    ...{ width: element.clientWidth, height, legend: { show: false } },
    tzDate: (time) => uPlot.tzDate(new Date(time * 1000), zoneName(zone)),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
    axes: [
      { ...axis, space: 80, size: 32, values: (_, splits) => splits.map((one) => tickTime(one * 1000, zone)) },
      { ...axis, size: 48, values: (_, splits) => splits.map((one) => rateText(one)) },
    ],
    series: [
      {},
      ...lines.map(({ name, tone, isDashed }) => {
        const color = colorOf(element, `--${tone}`);
        const line = { label: name, stroke: color, width: 1.75, points: { show: false } };
        return isDashed ? { ...line, dash: [6, 5] } : line;
      }),
    ],
    hooks: {
      setCursor: [
        (self) => {
          onCursor(self.cursor.idx ?? null);
        },
      ],
    },
  };
}

/** A canvas needs the colour itself, not the name of a token. */
function colorOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Changes with the colour scheme, whoever changed it. */
function useScheme(): string {
  const [scheme, setScheme] = useState('');
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const read = (): void => {
      setScheme(`${document.documentElement.dataset['theme'] ?? ''} ${String(dark.matches)}`);
    };
    read();
    dark.addEventListener('change', read);
    const watch = new MutationObserver(read);
    watch.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', read);
      watch.disconnect();
    };
  }, []);
  return scheme;
}
