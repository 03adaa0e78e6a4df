import { type SourceSetup, type SourceView } from '@sluice/console-api';
import { CodeBlock } from '../../ui/copy';
import { ChoiceButtons } from '../../ui/choice-buttons';
import { FirstEvent } from './first-event';
import { kindNames, listKinds, placeholder, type SnippetKind, snippets } from './snippets';

interface Props {
  source: Pick<SourceView, 'sourceIdentifier' | 'createdAt' | 'type'>;
  setup: SourceSetup;
  /** Known only right after it was created. */
  apiKey?: string | undefined;
  onCopied?: () => void;
  kind: SnippetKind;
  onKind: (kind: SnippetKind) => void;
  /** Time from which arrivals count, ISO 8601. */
  since: string;
}

/** How to send the first event, and whether it has arrived. */
export function Setup({ source, setup, apiKey, onCopied, kind, onKind, since }: Props) {
  const options = listKinds(source.type).map((value) => ({ value, label: kindNames[value] }));
  const { sourceIdentifier } = source;
  return (
    <div className="stack">
      {options.length > 1 && <ChoiceButtons label="Way to send" options={options} value={kind} onChange={onKind} />}
      <CodeBlock
        label={`First event with ${kindNames[kind]}`}
        text={snippets[kind]({ sourceIdentifier, apiKey: apiKey ?? placeholder, setup })}
        onCopied={onCopied}
      />
      {apiKey === undefined && (
        <p className="small soft">
          {`Replace ${placeholder} with a key of this source. Keys are shown only once, when they are issued; issue another one if yours is lost.`}
        </p>
      )}
      <FirstEvent sourceIdentifier={sourceIdentifier} since={since} />
    </div>
  );
}
