/** Number of digits of ClickHouse's `Decimal(38, 9)` before and after the point: docs/api.md#catalog-messages. */
export const decimalDigits = { whole: 29, fraction: 9 } as const;

// RFC 8259 §6.
const numberLiteral = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Writes a JSON number in plain digits, without an exponent or superfluous zeros: `1.50e3` becomes `1500`. Undefined
 * for text that is not a JSON number, or has more digits than a `Decimal(38, 9)` holds.
 */
export function plainDecimal(literal: string): string | undefined {
  const match = numberLiteral.exec(literal);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const allDigits = whole + fraction;
  const [start, end] = significantRange(allDigits);
  if (start === end) return '0';

  const digits = allDigits.slice(start, end);
  /** Position of the point, counted from the first significant digit. */
  const point = whole.length - start + Number(exponent);
  if (point > decimalDigits.whole || digits.length - point > decimalDigits.fraction) return undefined;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const after = digits.slice(point);
  return `${sign}${digits.slice(0, point).padEnd(point, '0')}${after === '' ? '' : `.${after}`}`;
}

/** Range from the first to the last digit that is not 0. A regular expression would be slow for very many zeros. */
function significantRange(digits: string): [start: number, end: number] {
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return [start, end];
}

/**
 * Whether a number that was parsed as a double may fit. The largest literals that fit are rounded up to 1e29, so 1e29
 * passes here; the gateway then checks the literal itself.
 */
export const isDecimal = (value: number): boolean =>
  Math.abs(value) === 10 ** decimalDigits.whole || plainDecimal(String(value)) !== undefined;
