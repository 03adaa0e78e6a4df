import { type Series } from '@sluice/console-api';
import { type ReactNode } from 'react';
import { type Span } from '../data/range';
import { Chart } from './chart';
import type { Mark } from './chart-canvas';

interface Props {
  label: string;
  series: Series;
  sql?: string;
  /** Called with the span that was chosen by dragging. */
  onZoom?: (span: Span) => void;
  children?: ReactNode;
}

/** Accepted, stored and refused per second. Outages are marked. */
export const FlowChart = ({ label, series, sql, onZoom, children }: Props) => (
  <Chart
    label={label}
    times={series.times}
    unit="per second"
    lines={[
      { name: 'Accepted', tone: 'accent', values: series.accepted },
      { name: 'Stored', tone: 'ok', values: series.stored, isDashed: true },
      { name: 'Refused', tone: 'bad', values: series.refused, hidesZero: true },
    ]}
    marks={listMarks(series)}
    onZoom={onZoom && roundZoom(onZoom)}
    {...(sql !== undefined && { sql })}
  >
    {children}
  </Chart>
);

/** A span of two times, rounded to seconds outwards. */
export const roundZoom = (onZoom: (span: Span) => void) => (from: number, to: number) => {
  const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
  onZoom({ from: iso(Math.floor(from)), to: iso(Math.ceil(to)) });
};

const names = { kafka: 'Kafka', clickhouse: 'ClickHouse' };

function listMarks({ outages, times, stepSeconds }: Series): Mark[] {
  const end = (times.at(-1) ?? 0) + stepSeconds;
  return (outages ?? []).map(({ server, from, to }) => ({
    label: `${names[server]} did not respond`,
    from: Date.parse(from) / 1000,
    to: to === null ? end : Date.parse(to) / 1000,
  }));
}
