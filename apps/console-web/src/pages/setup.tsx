import { type SourceSetup, type SourceView } from '@sluice/console-api';
import { CodeBlock } from '../ui/copy';
import { Segmented } from '../ui/segmented';
import { FirstEvent } from './first-event';
import { kindNames, kinds, placeholder, type SnippetKind, snippets } from './snippets';

interface Props {
  source: Pick<SourceView, 'sourceIdentifier' | 'createdAt'>;
  setup: SourceSetup;
  /** Known only right after it was made. */
  apiKey?: string | undefined;
  kind: SnippetKind;
  onKind: (kind: SnippetKind) => void;
  /** Time from which arrivals count, ISO 8601. */
  since: string;
}

const options = kinds.map((kind) => ({ value: kind, label: kindNames[kind] }));

/** How to send the first event, and whether it has come. */
export const Setup = ({ source, setup, apiKey, kind, onKind, since }: Props) => (
  <div className="stack">
    <Segmented label="Way to send" options={options} value={kind} onChange={onKind} />
    <CodeBlock
      label={`First event by ${kindNames[kind]}`}
      text={snippets[kind]({ sourceIdentifier: source.sourceIdentifier, apiKey: apiKey ?? placeholder, setup })}
    />
    {apiKey === undefined && (
      <p className="small soft">
        {`Put a key in the place of ${placeholder}. Keys are shown once, when they are made; issue another one if yours is lost.`}
      </p>
    )}
    <FirstEvent sourceIdentifier={source.sourceIdentifier} since={since} />
  </div>
);
