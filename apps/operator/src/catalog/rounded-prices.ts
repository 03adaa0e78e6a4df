import { decimalDigits, isObject, plainDecimal } from '@sluice/contracts';
import { type RecordProblem } from '../files/import-report.js';
import { type CatalogRecord } from './read-records.js';

const priceNames = ['price', 'discountedPrice'] as const;

/** A record whose prices can be stored, and the changes of its prices. */
export interface RoundedRecord extends CatalogRecord {
  rounded?: RecordProblem[];
}

/**
 * Rounds prices with more digits after the point than are stored, such as the 183.60000000000002 that other programs
 * compute. Everything else of the record stays as it is in the file. A record whose price cannot be distinguished from another
 * value is not changed; the gateway refuses it.
 */
export function withRoundedPrices(record: CatalogRecord): RoundedRecord {
  const entity = parse(record.json);
  let { json } = record;
  const rounded: RecordProblem[] = [];
  for (const name of priceNames) {
    const literals = [...json.matchAll(new RegExp(`"${name}"\\s{0,100}:\\s{0,100}(-?[\\d.eE+-]{1,400})`, 'g'))];
    const [match] = literals;
    if (!match || literals.length > 1 || typeof entity[name] !== 'number') continue;
    const [text, literal = ''] = match;
    const price = roundPrice(literal);
    if (price === undefined) continue;
    const end = match.index + text.length;
    json = json.slice(0, end - literal.length) + price + json.slice(end);
    rounded.push({ field: name, message: `${literal} was rounded to ${price}` });
  }
  return rounded.length === 0 ? record : { ...record, json, rounded };
}

/** Number of digits that a program writes of a double at most; a literal with more is not one of arithmetic. */
const maxDigits = 17;

/** The price with as many digits after the point as are stored; undefined when it has no more, or was not computed. */
function roundPrice(literal: string): string | undefined {
  const value = Number(literal);
  const [digits = ''] = literal.split(/e/i, 1);
  const isComputed = digits.replaceAll(/[-.]/g, '').replace(/^0+/, '').length <= maxDigits;
  // From 1e21 on, toFixed writes an exponent; such a number has no digits after the point.
  if (plainDecimal(literal) !== undefined || !isComputed || !(Math.abs(value) < 1e21)) return undefined;
  return plainDecimal(value.toFixed(decimalDigits.fraction));
}

function parse(json: string): Readonly<Record<string, unknown>> {
  try {
    const entity: unknown = JSON.parse(json);
    return isObject(entity) ? entity : {};
  } catch {
    return {};
  }
}
