/** Sentences for the rules of a plan, as docs/plans.md has them. */
export const violationRules: Readonly<Record<string, string>> = {
  unknown_event: 'the plan does not name the event',
  missing: 'a required property is absent',
  unknown: 'a property is not in the plan, which allows no others there',
  wrong_type: 'the value has none of the types',
  not_in_enum: 'the value is none of those listed',
  below_minimum: 'the number is out of bounds',
  above_maximum: 'the number is out of bounds',
  too_long: 'the text has more characters than `maxLength`',
  wrong_format: 'the text does not have the format',
};

/** A sentence about a rule; undefined for one that is not known. */
export const ruleSentence = (rule: string): string | undefined => {
  const words = violationRules[rule]?.replaceAll('`', '');
  return words === undefined ? undefined : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
};

export interface RowViolation {
  rule: string;
  /** Empty for the event itself. */
  path: string;
}

/** The violations that a stored row names, such as `wrong_type:items[].price`; none when it cannot be read. */
export function violationsIn(json: string): RowViolation[] {
  try {
    const { violations } = JSON.parse(json) as { violations?: unknown };
    const texts = Array.isArray(violations) ? violations.filter((text) => typeof text === 'string') : [];
    return texts.map((text) => {
      const [rule = '', ...path] = text.split(':');
      return { rule, path: path.join(':') };
    });
  } catch {
    return [];
  }
}
