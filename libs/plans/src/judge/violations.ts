/** Rules that a message can violate. The texts are stored: docs/plans.md#violations. */
export type ViolationRule =
  | 'unknown_event'
  | 'missing'
  | 'unknown'
  | 'wrong_type'
  | 'not_in_enum'
  | 'below_minimum'
  | 'above_maximum'
  | 'too_long'
  | 'wrong_format';

export const maxViolations = 8;
export const moreViolations = 'more';
export const unknownEvent: ViolationRule = 'unknown_event';
const maxPathLength = 64;

/** `wrong_type:items[].price`: rule and path, never a value. */
export const formatViolation = (rule: ViolationRule, path: string): string =>
  `${rule}:${path.length <= maxPathLength ? path : path.slice(0, maxPathLength).toWellFormed()}`;

/** Different violations of one message, of which at most eight are kept. */
export class Violations {
  private readonly texts = new Set<string>();
  private hasMore = false;

  add(rule: ViolationRule, path: string): void {
    const text = formatViolation(rule, path);
    if (this.texts.size < maxViolations || this.texts.has(text)) this.texts.add(text);
    else this.hasMore = true;
  }

  get list(): string[] {
    return this.hasMore ? [...this.texts, moreViolations] : [...this.texts];
  }
}
