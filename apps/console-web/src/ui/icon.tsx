/** Shapes on a grid of 16, drawn with a line of 1.5. */
const shapes = {
  overview: 'M2.5 9.5 5.5 6l3 3 5-5.5M2.5 13.5h11',
  live: 'M8 8h.01M5.2 10.8a4 4 0 0 1 0-5.6M10.8 5.2a4 4 0 0 1 0 5.6M3 13a7 7 0 0 1 0-10M13 3a7 7 0 0 1 0 10',
  changes: 'M2.5 4H6l3 6.5h4.5M2.5 13.5h11',
  catalog: 'M2.5 8.5v-6h6l5 5-6 6ZM5.5 5.5h.01',
  refused: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4',
  try: 'M6 2.5v4L2.8 12a1.2 1.2 0 0 0 1 1.8h8.4a1.2 1.2 0 0 0 1-1.8L10 6.5v-4M5 2.5h6M4.8 9.5h6.4',
  sources:
    'M8 6.5c3.3 0 5.5-.9 5.5-2S11.3 2.5 8 2.5s-5.5.9-5.5 2 2.2 2 5.5 2ZM2.5 4.5v7c0 1.1 2.2 2 5.5 2s5.5-.9 5.5-2v-7M2.5 8c0 1.1 2.2 2 5.5 2s5.5-.9 5.5-2',
  pipeline: 'M2 5h4l4 6h4M2 11h4l1.3-2M8.7 7 10 5h4M12 3l2 2-2 2M12 9l2 2-2 2',
  letters: 'M2 4.5h12v8H2zM2 5l6 4.5L14 5',
  settings:
    'M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M10.2 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4ZM5.8 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4Z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3 13.5 13.5',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5 6.5 12 13 4.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  warn: 'M8 2.5 14.2 13.5H1.8ZM8 6.5v3M8 11.7h.01',
  bad: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.5M8 10.9h.01',
  unreachable: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  wait: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.7V8l2.3 1.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.5 8Z',
  plus: 'M8 3v10M3 8h10',
  key: 'M10 9.5a3.5 3.5 0 1 0-3.3-2.2L2.5 11.5v2h2.5v-1.5h1.5v-1.5H8l.7-1A3.5 3.5 0 0 0 10 9.5ZM10.8 5.3h.01',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z',
  screen: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
  user: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8ZM3 13.5c.4-2.3 2.4-3.7 5-3.7s4.6 1.4 5 3.7',
  out: 'M6.5 13.5h-4v-11h4M10.5 11l3-3-3-3M13.5 8H6',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M2.5 10h11M6.5 3v10',
  view: 'M4 2.5h8v11L8 10.5l-4 3Z',
  replay: 'M3 8a5 5 0 1 1 1.5 3.5M3 13v-2.5h2.5',
  shield: 'M8 1.8 13 3.5v4c0 3.2-2 5.5-5 6.7-3-1.2-5-3.5-5-6.7v-4Z',
  ledger: 'M8 2.5v11M3 13.5h10M2.5 9l2-5.5 2 5.5a2 2 0 0 1-4 0ZM9.5 9l2-5.5 2 5.5a2 2 0 0 1-4 0ZM4.5 3.5h7',
} as const;

export type IconName = keyof typeof shapes;

/** An icon says nothing by itself: a word stands next to it, or the button has a label. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    className="icon"
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={shapes[name]} />
  </svg>
);
