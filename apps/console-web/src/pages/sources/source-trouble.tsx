import { type TroubledSource } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useStatus } from '../../data/now';
import { Notice } from '../../ui/empty';
import { exactText } from '../../ui/number';

/** Words of the overview about a source that is refused or silent. */
export const describeTrouble = ({ trouble, count }: TroubledSource): string =>
  trouble === 'refused'
    ? `${exactText(count)} requests refused in 15 minutes, none taken`
    : `nothing for an hour; ${exactText(count)} messages in the same hour a day ago`;

/** The verdict of the overview about one source, on its page. */
export function SourceTrouble({ id }: { id: string }) {
  const source = useStatus().data?.sources.sources.find(({ sourceIdentifier }) => sourceIdentifier === id);
  if (!source) return null;
  const text = describeTrouble(source);
  return (
    <Notice tone="attention">
      {`${text.charAt(0).toUpperCase()}${text.slice(1)}. `}
      <Link to="/runbooks/$id" params={{ id: source.trouble === 'refused' ? 'sourcerefused' : 'sourcesilent' }}>
        Runbook
      </Link>
    </Notice>
  );
}
