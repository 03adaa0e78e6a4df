import { reasonOf } from '../errors.js';
import { readSamples, type Sample } from './metrics-text.js';

const limitMs = 5_000;

/** The samples of a `/metrics`, and why there are none when it does not answer. */
export async function scrape(url: string): Promise<{ away: string | null; samples: Sample[] }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(limitMs) });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return { away: null, samples: readSamples(await response.text()) };
  } catch (error) {
    const cause = error instanceof TypeError ? error.cause : error;
    return { away: reasonOf(cause ?? error), samples: [] };
  }
}
