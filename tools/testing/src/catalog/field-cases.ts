/** Accepted values of a field, and values for which the message is refused. `undefined` means a missing field. */
export interface FieldCases {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const rose = '🌹';
const heart = '❤️'; // two characters: a heart and the selector for its colour
const halfPair = 'x\ud83d';

const absent = [undefined, null];

export const optional = ({ good, bad }: FieldCases): FieldCases => ({ good: [...good, ...absent], bad });
const required = ({ good, bad }: FieldCases): FieldCases => ({ good, bad: [...bad, ...absent] });

/** Texts at the limit and one over it, in characters of one and of two UTF-16 units. */
const textCases = (max: number): FieldCases => ({
  good: [
    'x',
    'x'.repeat(max),
    rose.repeat(max),
    heart.repeat(max / 2),
    'گوشی موبایل'.slice(0, max),
    ' padded ',
    '\u0000',
  ],
  bad: ['x'.repeat(max + 1), rose.repeat(max + 1), heart.repeat(max / 2 + 1), halfPair, 5, true, {}, ['x']],
});

export function requiredText(max: number): FieldCases {
  const { good, bad } = textCases(max);
  return required({ good, bad: [...bad, '', ' ', '\t\n\u00a0\u3000'] });
}

export function optionalText(max: number): FieldCases {
  const { good, bad } = textCases(max);
  return optional({ good: [...good, '', '  '], bad });
}

export const longText: FieldCases = optional({
  good: ['', 'x'.repeat(100_000), rose.repeat(100_000)],
  bad: [halfPair, 5, true, {}, ['x']],
});

export const textOfTen: FieldCases = optional({
  good: ['0012345678', rose.repeat(10), 'کد۱۲۳۴۵۶۷۸'],
  bad: ['', '123456789', '12345678901', rose.repeat(9), rose.repeat(11), ' '.repeat(10), 1_234_567_890, halfPair],
});

const local64 = 'a'.repeat(64);
/** An address of `length` characters with a local part of 64. */
const makeEmail = (length: number): string => `${local64}@${'d'.repeat(length - local64.length - 4)}.ir`;

/** The pattern of docs/api.md#seller decides which addresses are accepted. */
export const email: FieldCases = required({
  good: ['a@bc.de', 'ada.love-lace_1@mail.example.com', 'کاربر@نمونه.ایران', 'é@ñandú.es', makeEmail(255), 'a@@bc.de'],
  bad: [
    '',
    makeEmail(256),
    `a${local64}@example.com`,
    'a@b.c',
    'a@bc',
    'a.@bc.de',
    '.a@bc.de',
    'a..b@cd.ef',
    'a b@cd.ef',
    'a@-bc.de',
    'a@bc.d1',
    'a+b@cd.ef',
    ' a@bc.de',
    'a@bc.de\n',
    'a@\ud83dbc.de',
    5,
    null,
    ['a@bc.de'],
  ],
});

const makeUrl = (length: number): string => `https://example.com/${'p'.repeat(length - 20)}`;

export const url = {
  good: [
    'https://example.com',
    'http://example.com:8080/a/b.jpg?c=d&e=%20f#g',
    'HTTPS://EXAMPLE.COM/',
    'https://فروشگاه.ایران/محصول/گوشی-🌹',
    'https://user@example.com/',
    'http://127.0.0.1/a',
    'http://[::1]/a',
    makeUrl(512),
  ],
  bad: [
    '',
    makeUrl(513),
    'example.com/a.jpg',
    '/a.jpg',
    '//example.com/a.jpg',
    'ftp://example.com/a.jpg',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'https:example.com',
    'https:///a.jpg',
    'https://',
    'https://exa mple.com',
    'https://example.com/a b.jpg',
    ' https://example.com',
    'https://example.com\n',
    'http://[::1',
    'https://example.com:port/',
    'https://example.com/\ud83d',
    5,
    {},
    ['https://example.com'],
  ],
} satisfies FieldCases;

export const requiredUrl: FieldCases = required(url);
export const optionalUrl: FieldCases = optional(url);

export const urls: FieldCases = optional({
  good: [[], [url.good[0]], [...url.good], Array(300).fill(url.good[0])],
  bad: ['https://example.com', {}, [url.good[0], 'x'], [url.good[0], null], [5], [[url.good[0]]], [makeUrl(513)]],
});

export const flag: FieldCases = required({ good: [true, false], bad: ['true', '', 0, 1, {}, [true]] });

export const int32: FieldCases = required({
  good: [0, 1, -1, 1.0, 2_147_483_647, -2_147_483_648],
  bad: [2_147_483_648, -2_147_483_649, 0.5, 1e21, '1', true, {}, [1], Infinity],
});

export const decimal: FieldCases = {
  good: [0, -0, 1, -1, 0.1, 49.9, 0.000_000_001, -123_456.789_012_345, 1e21, 1e28, 9.999_999_999_999_99e28, 2 ** 53],
  bad: [0.000_000_000_1, 1e-10, 1.000_000_000_1, 1.1e29, -1e30, 1e300, Infinity, '1', '', true, {}, [1]],
};

export const requiredDecimal: FieldCases = required(decimal);
export const optionalDecimal: FieldCases = optional(decimal);

export const dateTime: FieldCases = optional({
  good: ['2026-01-31T12:00:00Z', '2019-03-04T05:06:07.089+03:30', '2026-01-31T12:00', '1970-01-01T00:00:00Z'],
  bad: [
    '',
    '2026-01-31',
    '2026-02-30T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+14:00',
    '2149-06-07T00:00:00Z',
    1_700_000_000,
    true,
  ],
});

export const freeFormCases: FieldCases = optional({
  good: [{}, { 'any name 🌹': 1 }, { a: { b: [1, 'x', null] } }],
  bad: [[], [{}], 'text', '{}', 5, true],
});
