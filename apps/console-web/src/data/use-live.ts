import { type LiveEvents, type LiveFrame, type LiveQuery } from '@sluice/console-api';
import { useCallback, useEffect, useRef, useState } from 'react';
import { buildAddress } from './call';
import { emptyWindow, type LiveWindow, resumed, withFrame } from './live-window';

export type LiveState = 'connecting' | 'open' | 'lost' | 'hidden' | LiveEvents['end']['reason'];

export interface LiveFeed {
  window: LiveWindow;
  state: LiveState;
  isPaused: boolean;
  setPaused: (isPaused: boolean) => void;
  again: () => void;
}

/** Follows the stream while the tab is seen, and draws at most once per animation frame. */
export function useLive(query: LiveQuery): LiveFeed {
  const [window, setWindow] = useState<LiveWindow>(emptyWindow);
  const [state, setState] = useState<LiveState>('connecting');
  const [isPaused, setIsPaused] = useState(false);
  const [tries, setTries] = useState(0);
  const paused = useRef(false);
  const address = buildAddress('/api/live', {}, query);
  const setPaused = useCallback((next: boolean) => {
    paused.current = next;
    setIsPaused(next);
    if (!next) setWindow(resumed);
  }, []);
  const again = useCallback(() => setTries((before) => before + 1), []);
  useEffect(() => setWindow(emptyWindow), [address]);
  useEffect(() => {
    let stop: (() => void) | undefined;
    const follow = (): void => {
      stop?.();
      stop = undefined;
      if (document.hidden) setState('hidden');
      else stop = openStream(address, { setState, setWindow, isPaused: () => paused.current, again });
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      stop?.();
    };
  }, [address, tries, again]);
  return { window, state, isPaused, setPaused, again };
}

interface Listener {
  setState: (state: LiveState) => void;
  setWindow: (change: (window: LiveWindow) => LiveWindow) => void;
  isPaused: () => boolean;
  /** Opens the stream again, with the rights of now. */
  again: () => void;
}

function openStream(address: string, { setState, setWindow, isPaused, again }: Listener): () => void {
  setState('connecting');
  const source = new EventSource(address);
  let frames: LiveFrame[] = [];
  let drawing = 0;
  const draw = (): void => {
    drawing = 0;
    const newFrames = frames;
    frames = [];
    setWindow((window) => newFrames.reduce((now, frame) => withFrame(now, frame, isPaused(), Date.now()), window));
  };
  const on = <Name extends keyof LiveEvents>(name: Name, take: (data: LiveEvents[Name]) => void): void =>
    source.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as LiveEvents[Name]));
  source.onopen = () => setState('open');
  source.onerror = () => {
    // The browser tries again by itself, unless the answer was not a stream.
    setState('lost');
  };
  on('frame', (frame) => {
    frames.push(frame);
    if (drawing === 0) drawing = requestAnimationFrame(draw);
  });
  on('servers', (servers) => setWindow((window) => ({ ...window, servers })));
  on('end', ({ reason }) => {
    source.close();
    if (reason === 'rights') again();
    else setState(reason);
  });
  return () => {
    source.close();
    cancelAnimationFrame(drawing);
  };
}
