import { decimalDigits, isDecimal } from './decimal.js';
import { ruleDecorator } from './rule.js';

const [minimum, maximum] = [-(2 ** 31), 2 ** 31 - 1];

/** A whole number of 32 bits. */
export const IsInt32 = (): PropertyDecorator =>
  ruleDecorator({
    name: 'isInt32',
    test: (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    schema: { type: 'integer', format: 'int32', minimum, maximum },
    mustBe: `a whole number from ${minimum} to ${maximum}`,
  });

export const decimalMustBe = `a number of at most ${decimalDigits.whole} digits before and ${decimalDigits.fraction} after the point`;

/** A number that a `Decimal(38, 9)` stores exactly. */
export const IsExactDecimal = (): PropertyDecorator =>
  ruleDecorator({
    name: 'isExactDecimal',
    test: (value) => typeof value === 'number' && isDecimal(value),
    schema: { type: 'number', format: 'decimal' },
    mustBe: decimalMustBe,
  });

/** true or false. */
export const IsFlag = (): PropertyDecorator =>
  ruleDecorator({
    name: 'isFlag',
    test: (value) => typeof value === 'boolean',
    schema: { type: 'boolean' },
    mustBe: 'true or false',
  });
