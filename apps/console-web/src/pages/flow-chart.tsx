import { type Series } from '@sluice/console-api';
import { type ReactNode } from 'react';
import { Chart } from '../ui/chart';

/** Accepted, stored and refused per second. */
export const FlowChart = ({
  label,
  series,
  sql,
  children,
}: {
  label: string;
  series: Series;
  sql?: string;
  children?: ReactNode;
}) => (
  <Chart
    label={label}
    times={series.times}
    unit="per second"
    lines={[
      { name: 'Accepted', tone: 'accent', values: series.accepted },
      { name: 'Stored', tone: 'ok', values: series.stored, isDashed: true },
      { name: 'Refused', tone: 'bad', values: series.refused },
    ]}
    {...(sql !== undefined && { sql })}
  >
    {children}
  </Chart>
);
