import { type ReactNode, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { rateText } from './number';
import { tickTime, type Zone, zoneName } from './zone';

const height = 200;

export interface ChartLine {
  name: string;
  tone: 'accent' | 'ok' | 'bad' | 'attention';
  /** Null where nothing is known: the line has a gap there, or ends. */
  values: readonly (number | null)[];
  /** Makes lines that lie on each other distinct, also without colours. */
  isDashed?: boolean;
  /** Not drawn where it is 0: on the base line it would look like a value. */
  hidesZero?: boolean;
}

/** A time that is marked on the chart, such as an outage. Seconds since 1970. */
export interface Mark {
  label: string;
  from: number;
  to: number;
}

export interface CanvasProps {
  label: string;
  times: readonly number[];
  lines: readonly ChartLine[];
  marks: readonly Mark[];
  /** End of the last step, seconds since 1970; its start without one. */
  until: number | undefined;
  zone: Zone;
  onCursor: (index: number | null) => void;
  onZoom: ((from: number, to: number) => void) | undefined;
  /** Shown by a browser that cannot draw. */
  instead: ReactNode;
}

/** The drawn lines. The only file that knows uPlot. */
export default function Canvas({ label, times, lines, marks, until, zone, onCursor, onZoom }: CanvasProps) {
  const container = useRef<HTMLDivElement>(null);
  const scheme = useSchemeToken();
  const plot = useRef<uPlot | null>(null);
  const data = [times, ...lines.map(selectDrawnValues)] as uPlot.AlignedData;
  const latest = useRef({ data, marks, until, onZoom });
  latest.current = { data, marks, until, onZoom };
  const lineIdentities = lines.map(({ name, tone, isDashed }) => `${name}:${tone}:${isDashed}`).join();
  const canZoom = onZoom !== undefined;
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const callbacks = {
      onCursor,
      readMarks: () => latest.current.marks,
      readEnd: () => latest.current.until,
      onZoom: canZoom ? (from: number, to: number) => latest.current.onZoom?.(from, to) : undefined,
    };
    const chart = new uPlot(buildOptions(element, lines, zone, callbacks), latest.current.data, element);
    plot.current = chart;
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
      plot.current = null;
    };
    // The look of the lines, not their values, decides whether the plot is made again.
  }, [lineIdentities, zone, scheme, onCursor, canZoom]);
  useEffect(() => plot.current?.setData(data));
  return (
    <div
      ref={container}
      className="chart-canvas"
      role="img"
      aria-label={`${label}. The button Table shows it as text.`}
    />
  );
}

/** Values to draw: of a line that hides zeros, those that are not 0, and their neighbours. */
function selectDrawnValues({ values, hidesZero = false }: ChartLine): readonly (number | null)[] {
  if (!hidesZero) return values;
  return values.map((value, i) => (value === 0 && !values[i - 1] && !values[i + 1] ? null : value));
}

interface PlotCallbacks {
  onCursor: (index: number | null) => void;
  readMarks: () => readonly Mark[];
  readEnd: () => number | undefined;
  onZoom: ((from: number, to: number) => void) | undefined;
}

/** Shorter drags are clicks. */
const minDragPx = 8;

function buildOptions(
  element: HTMLElement,
  lines: readonly ChartLine[],
  zone: Zone,
  callbacks: PlotCallbacks,
): uPlot.Options {
  const [grid, ink, shade] = [
    readColor(element, '--border'),
    readColor(element, '--ink-soft'),
    readColor(element, '--mark'),
  ];
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    tzDate: (time) => uPlot.tzDate(new Date(time * 1000), zoneName(zone)),
    cursor: {
      y: false,
      drag: { x: callbacks.onZoom !== undefined, y: false, setScale: false, dist: minDragPx },
      points: { size: 6 },
    },
    scales: {
      x: { range: (_, first, last) => [first, callbacks.readEnd() ?? last] },
      y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] },
    },
    axes: [
      { ...axis, space: 80, size: 32, values: (_, splits) => splits.map((seconds) => tickTime(seconds * 1000, zone)) },
      { ...axis, size: 48, values: (_, splits) => splits.map((rate) => rateText(rate)) },
    ],
    series: [
      {},
      ...lines.map(({ name, tone, isDashed }) => {
        const color = readColor(element, `--${tone}`);
        const line = { label: name, stroke: color, width: 1.75, points: { show: false } };
        return isDashed ? { ...line, dash: [6, 5] } : line;
      }),
    ],
    hooks: {
      drawClear: [
        (self) => {
          for (const mark of callbacks.readMarks()) drawShade(self, mark, shade);
        },
      ],
      setCursor: [(self) => callbacks.onCursor(self.cursor.idx ?? null)],
      setSelect: [
        (self) => {
          const { left: selectionStart, width } = self.select;
          if (width < minDragPx) return;
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          callbacks.onZoom?.(self.posToVal(selectionStart, 'x'), self.posToVal(selectionStart + width, 'x'));
        },
      ],
    },
  };
}

/** Shades the time of a mark behind the lines; a short one is still seen. */
function drawShade(plot: uPlot, { from, to }: Mark, color: string): void {
  const { ctx, bbox } = plot;
  const minPx = 3 * devicePixelRatio;
  const [leftEdge, rightEdge] = [from, to].map((time) =>
    Math.min(Math.max(plot.valToPos(time, 'x', true), bbox.left), bbox.left + bbox.width),
  ) as [number, number];
  ctx.save();
  ctx.fillStyle = color;
  ctx.fillRect(leftEdge, bbox.top, Math.max(rightEdge - leftEdge, minPx), bbox.height);
  ctx.restore();
}

/** A canvas needs the colour itself, not the name of a token. */
function readColor(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Changes with the colour scheme, whoever changed it. */
function useSchemeToken(): string {
  const [scheme, setScheme] = useState('');
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const read = (): void => setScheme(`${document.documentElement.dataset['theme'] ?? ''} ${String(dark.matches)}`);
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
