import { type ReactNode } from 'react';
import './table.css';

export interface Column<Row> {
  /** Head of the column; on a narrow page it stands before each value. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the end, so that their digits are below each other. */
  end?: boolean;
  /** The column that takes what is left. */
  grow?: boolean;
  width?: number;
  /** Left out on a narrow page: what the row opens says it, too. */
  isMinor?: boolean;
  /** Cells of this column are buttons, which say enough: only screen readers get the head. */
  isButton?: boolean;
}

interface Props<Row> {
  /** Name of the table, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Shown in place of rows when there are none. */
  empty?: ReactNode;
}

/**
 * A table. On a narrow page each row is a block of names and values; the roles are written out, because `display`
 * removes them.
 */
export function Table<Row>({ label, columns, rows, rowKey, empty }: Props<Row>) {
  if (rows.length === 0) return empty;
  return (
    <table className="table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label: head, end, width, isButton }) => (
            <th key={head} role="columnheader" scope="col" className={end ? 'end' : ''} style={{ width }}>
              {isButton ? <span className="visually-hidden">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row">
            {columns.map(({ label: head, cell, end, grow, isMinor, isButton }) => (
              <td
                key={head}
                role="cell"
                data-label={isButton ? '' : head}
                className={`${end ? 'end' : ''} ${grow ? 'grow' : ''} ${isMinor ? 'minor' : ''}`}
              >
                <span className="cell">{cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
