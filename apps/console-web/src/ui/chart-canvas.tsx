import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type CanvasProps, type Line } from './chart';
import { rateText } from './number';
import { tickTime, type Zone, zoneName } from './zone';

const height = 200;

/** The drawn lines. The only file that knows uPlot. */
export default function Canvas({ label, times, lines, zone, onCursor }: CanvasProps) {
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
