import { expect, test } from 'vitest';
import { javaMajorVersion } from './java.js';

test.each([
  ['openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment', 17],
  ['java version "21" 2023-09-19 LTS', 21],
  ['java version "1.8.0_402"', 8],
  ['Unable to locate a Java Runtime.', undefined],
])('the output %j means Java %s', (output, major) => expect(javaMajorVersion(output)).toBe(major));
