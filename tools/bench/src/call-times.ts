import { type Page } from 'playwright-core';

/** Milliseconds of the calls of a function. */
export interface CallTimes {
  /** Times from the beginning to the end. */
  readonly wall: readonly number[];
  /** Time in which the page's thread had a processor, without other programs but with its own garbage collection. */
  readonly cpu: readonly number[];
}

interface TraceEvent {
  readonly name: string;
  /** Microseconds. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly functionName?: string } };
}

/** Runs work in a page and measures each call that the browser makes to functions of these names, by its own trace. */
export async function callTimes<Name extends string>(
  page: Page,
  work: string,
  names: readonly Name[],
): Promise<Record<Name, CallTimes>> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = { includedCategories: ['devtools.timeline'], excludedCategories: ['*'] };
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  await page.evaluate(work);
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const readTimes = (functionName: string): CallTimes => {
    const calls = events.filter(
      ({ name, args }) => name === 'FunctionCall' && args?.data?.functionName === functionName,
    );
    const inMs = (microseconds = NaN): number => microseconds / 1_000;
    return { wall: calls.map(({ dur }) => inMs(dur)), cpu: calls.map(({ tdur }) => inMs(tdur)) };
  };
  return Object.fromEntries(names.map((name) => [name, readTimes(name)])) as Record<Name, CallTimes>;
}
