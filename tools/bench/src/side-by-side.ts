import { type Figure } from './report.js';
import { median } from './statistics.js';

/**
 * A figure that was measured in turn with its floor: the median of each, and the median of the ratios within each pair.
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
