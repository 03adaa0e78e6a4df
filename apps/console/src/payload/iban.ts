/** Countries by the number of characters of their IBANs (SWIFT's registry, ISO 13616). */
const lengths: Readonly<Record<number, string>> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ DZ ES MD PK RO SA SE SK TN VG',
  25: 'AO CV GW LY MZ PT ST',
  26: 'IR IS TR',
  27: 'BF BI CF CG CM DJ FR GA GQ GR IT KM MC MG ML MR SM TD',
  28: 'AL AZ BJ BY CI CY DO GT HN HU LB MA NE NI PL SN SV TG',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
};

const lengthOf: ReadonlyMap<string, number> = new Map(
  Object.entries(lengths).flatMap(([length, countries]) =>
    countries.split(' ').map((country): [string, number] => [country, Number(length)]),
  ),
);

/** Whether a text has the country, the length and the check digits of an IBAN; spaces and hyphens are left out. */
export function isIban(text: string): boolean {
  const number = text.replace(/[ -]/g, '').toUpperCase();
  if (lengthOf.get(number.slice(0, 2)) !== number.length) return false;
  const rearranged = number.slice(4) + number.slice(0, 4);
  let remainder = 0;
  for (const character of rearranged) {
    const value = parseInt(character, 36);
    if (Number.isNaN(value)) return false;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
