import { type BenchFigure } from './report.js';
import { median } from './statistics.js';

/**
 * A figure that was measured in turn with its floor: the median of each, and the median of the ratios within each pair.
 */
export function sideBySide(
  heading: Pick<BenchFigure, 'group' | 'measure' | 'unit'>,
  pairs: readonly { readonly sluice: number; readonly floor: number }[],
): BenchFigure {
  const ratios = pairs.map(({ sluice, floor }) => sluice / floor);
  return {
    ...heading,
    sluice: median(pairs.map(({ sluice }) => sluice)),
    floor: median(pairs.map(({ floor }) => floor)),
    ratio: median(ratios),
    ratios: [Math.min(...ratios), Math.max(...ratios)],
  };
}
