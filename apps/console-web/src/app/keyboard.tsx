import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Dialog } from '../ui/dialog';

const places: Record<string, readonly [LinkProps['to'], string]> = {
  o: ['/', 'Overview'],
  e: ['/events', 'Events of the last days'],
  l: ['/live', 'Events, live'],
  r: ['/refused', 'Refused'],
  t: ['/try', 'Try it'],
  s: ['/sources', 'Sources'],
  p: ['/pipeline', 'Pipeline'],
  d: ['/dead-letters', 'Dead letters'],
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.closest('input, textarea, select') !== null || target.shadowRoot !== null);

/** `/` searches, `g` and a letter goes to a page, `?` lists the keys. */
export function Keyboard() {
  const [isHelp, setHelp] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const place = isGoing ? places[event.key] : undefined;
      isGoing = event.key === 'g';
      if (place) void navigate({ to: place[0] });
      else if (event.key === '?') setHelp(true);
      else if (event.key === '/') document.getElementById('search')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate]);
  return (
    <Dialog open={isHelp} onClose={() => setHelp(false)} title="Keyboard shortcuts">
      <dl className="keys">
        <Key keys={['/']} does="Search requests, sources, users, events and dead letters" />
        {Object.entries(places).map(([key, [, label]]) => (
          <Key key={key} keys={['g', key]} does={label} />
        ))}
        <Key keys={['Space']} does="Pause and resume (Events, live)" />
        <Key keys={['?']} does="Show this list" />
      </dl>
    </Dialog>
  );
}

const Key = ({ keys, does }: { keys: readonly string[]; does: string }) => (
  <>
    <dt className="row">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dt>
    <dd>{does}</dd>
  </>
);
