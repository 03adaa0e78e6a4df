import { getRouteApi, Link } from '@tanstack/react-router';
import { Card, Page } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { DocumentText } from './document-text';
import { type TextBlock, type Heading, plainText, readBlocks, findSection } from './markdown';
import { operatorPages } from './operator-pages';
import './runbook.css';

const route = getRouteApi('/shell/runbooks/$id');
const blocks = readBlocks(operatorPages);
const all = findSection(blocks, 'runbooks');

/** A section of the pages for operators, as it was when the console was built: it needs no server. */
export function RunbookPage() {
  const { id } = route.useParams();
  const [heading, ...section] = findSection(blocks, id);
  const title = heading?.type === 'heading' ? plainText(heading.tokens) : 'Runbook';
  return (
    <Page
      title={title}
      question="What does it mean, and what helps?"
      actions={<Link to="/runbooks">All runbooks</Link>}
    >
      <Card>
        {heading ? (
          <DocumentText blocks={section} />
        ) : (
          <Empty kind="none-yet" title="There is no such runbook" action={<Link to="/runbooks">All runbooks</Link>} />
        )}
      </Card>
    </Page>
  );
}

/** The names of all runbooks, with what each begins with. */
export const RunbooksPage = () => (
  <Page title="Runbooks" question="What does an alert mean, and what helps?">
    <Card flush>
      <ul className="runbooks">
        {all.filter(isRunbook).map(({ id, tokens }) => (
          <li key={id}>
            <Link to="/runbooks/$id" params={{ id }}>
              <strong>{plainText(tokens)}</strong>
              <span className="small soft">{findFirstSentence(id)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  </Page>
);

const isRunbook = (block: TextBlock): block is Heading => block.type === 'heading' && block.depth === 2;

/** First sentence of a runbook. */
function findFirstSentence(id: string): string {
  const first = findSection(blocks, id).find(({ type }) => type === 'paragraph');
  const text = first?.type === 'paragraph' ? plainText(first.tokens) : '';
  return /^.+?[.:](?= |$)/.exec(text)?.[0] ?? text;
}
