import { type JsonType } from '@sluice/contracts';

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * A cell as JSON of the type that its field has, and of no other: nothing is guessed. Numbers keep their digits; lists and
 * objects are JSON in the cell. What is not of the type stays text, and the gateway refuses it by the field's name.
 */
export function jsonOfCell(cell: string, type: JsonType): string {
  switch (type) {
    case 'number':
    case 'integer':
      return number.test(cell) ? cell : JSON.stringify(cell);
    case 'boolean':
      return cell === 'true' || cell === 'false' ? cell : JSON.stringify(cell);
    case 'array':
    case 'object':
      return isJson(cell) ? cell : JSON.stringify(cell);
    case 'string':
      return JSON.stringify(cell);
  }
}

/** A row as JSON; an empty cell is an absent field. */
export function jsonOfRow(row: Readonly<Record<string, string>>, types: ReadonlyMap<string, JsonType>): string {
  const members = Object.entries(row).filter(([, cell]) => cell !== '');
  const texts = members.map(
    ([name, cell]) => `${JSON.stringify(name)}:${jsonOfCell(cell, types.get(name) ?? 'string')}`,
  );
  return `{${texts.join(',')}}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
