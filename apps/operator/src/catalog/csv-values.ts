import { type JsonType } from '@sluice/contracts';

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Converts a cell to JSON of its field's type; the type is never guessed. Numbers keep their digits; lists and objects
 * are JSON in the cell. A cell of another type stays text, and the gateway refuses it with the field's name.
 */
export function convertCell(cell: string, type: JsonType): string {
  switch (type) {
    case 'number':
    case 'integer':
      return number.test(cell) ? cell : JSON.stringify(cell);
    case 'boolean':
      // Excel writes TRUE and FALSE.
      return /^(?:true|false)$/i.test(cell) ? cell.toLowerCase() : JSON.stringify(cell);
    case 'array':
    case 'object':
      return isJson(cell) ? cell : JSON.stringify(cell);
    case 'string':
      return JSON.stringify(cell);
  }
}

/** Converts a row to JSON; an empty cell is an absent field. */
export function convertRow(row: Readonly<Record<string, string>>, types: ReadonlyMap<string, JsonType>): string {
  const members = Object.entries(row).filter(([, cell]) => cell !== '');
  const texts = members.map(
    ([name, cell]) => `${JSON.stringify(name)}:${convertCell(cell, types.get(name) ?? 'string')}`,
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
