import { Button } from './button';
import { exactText } from './number';

interface Props {
  /** Name of the list, such as `Pages of sources`. */
  label: string;
  /** Number of this page, from 1. */
  page: number;
  /** Number of entries of all pages. */
  matchCount: number;
  /** Number of entries of a page. */
  size: number;
  onPage: (page: number) => void;
}

/** Goes to other pages of a list; nothing when there is one page only. */
export function Pages({ label, page, matchCount, size, onPage }: Props) {
  const last = Math.max(1, Math.ceil(matchCount / size));
  if (last === 1 && page === 1) return null;
  return (
    <nav className="row" aria-label={label}>
      <Button disabled={page === 1} onClick={() => onPage(Math.min(page - 1, last))}>
        Previous
      </Button>
      <span className="soft">{`Page ${exactText(page)} of ${exactText(last)}`}</span>
      <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}

/** The part of a list that a page shows: `51 to 100 of 120, of 5,000 in all`. */
export function pageNote(
  shownCount: number,
  skip: number,
  { found: matchCount, all }: { found: number; all: number },
): string {
  const range = shownCount === 0 ? '0' : `${exactText(skip + 1)} to ${exactText(skip + shownCount)}`;
  return `${range} of ${exactText(matchCount)}${matchCount < all ? `, of ${exactText(all)} in all` : ''}`;
}
