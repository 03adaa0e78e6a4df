import { type Figure } from './report.js';
import { median } from './statistics.js';

/**
 * A figure of what was measured in turn with its floor: the medians of both, and of the ratios, which are those of each
 * pair in itself.
 */
export function sideBySide(
  named: Pick<Figure, 'group' | 'measure' | 'unit'>,
  pairs: readonly { readonly sluice: number; readonly floor: number }[],
): Figure {
  const ratios = pairs.map(({ sluice, floor }) => sluice / floor);
  return {
    ...named,
    sluice: median(pairs.map(({ sluice }) => sluice)),
    floor: median(pairs.map(({ floor }) => floor)),
    ratio: median(ratios),
    ratios: [Math.min(...ratios), Math.max(...ratios)],
  };
}
