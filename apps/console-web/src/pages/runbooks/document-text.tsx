import { Link } from '@tanstack/react-router';
import { type MarkedToken, type Token, type Tokens } from 'marked';
import { CopyButton } from '../../ui/copy';
import { type TextBlock, asMarkedTokens, plainText } from './markdown';
import { anchorOnPages } from './operator-pages';

/**
 * Blocks of docs, as elements: HTML in them is left out. Links between the pages for operators
 * open here; those to other pages are named by their path.
 */
export const DocumentText = ({ blocks }: { blocks: readonly TextBlock[] }) => (
  <div className="document">
    {blocks.map((block, index) => (
      <BlockText key={index} block={block} />
    ))}
  </div>
);

function BlockText({ block }: { block: TextBlock | MarkedToken }) {
  switch (block.type) {
    case 'heading':
      return block.depth <= 2 ? (
        <h2>
          <Inline tokens={block.tokens} />
        </h2>
      ) : (
        <h3 id={'id' in block ? block.id : undefined}>
          <Inline tokens={block.tokens} />
        </h3>
      );
    case 'paragraph':
      return (
        <p>
          <Inline tokens={block.tokens} />
        </p>
      );
    case 'list':
      return <TextList list={block} />;
    case 'code':
      return (
        <div className="document-code">
          <pre tabIndex={0}>{block.text}</pre>
          <CopyButton text={block.text} />
        </div>
      );
    case 'table':
      return <TextTable table={block} />;
    case 'text':
      return block.tokens ? <Inline tokens={block.tokens} /> : block.text;
    default:
      return null;
  }
}

function TextList({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index}>
      {asMarkedTokens(item.tokens).map((token, place) => (
        <BlockText key={place} block={token} />
      ))}
    </li>
  ));
  return list.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

const TextTable = ({ table: { header, rows } }: { table: Tokens.Table }) => (
  <div
    className="document-table"
    tabIndex={0}
    role="group"
    aria-label={`Table: ${header.map(({ tokens }) => plainText(tokens)).join(', ')}`}
  >
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }, column) => (
            <th key={column}>
              <Inline tokens={tokens} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map(({ tokens }, column) => (
              <td key={column}>
                <Inline tokens={tokens} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Inline = ({ tokens }: { tokens: readonly Token[] | undefined }) =>
  asMarkedTokens(tokens).map((token, index) => <InlineText key={index} token={token} />);

function InlineText({ token }: { token: MarkedToken }) {
  switch (token.type) {
    case 'codespan':
      return <code>{token.text}</code>;
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'link':
      return <DocumentLink link={token} />;
    case 'br':
      return <br />;
    case 'text':
    case 'escape':
      return token.text;
    default:
      return null;
  }
}

function DocumentLink({ link: { tokens, href } }: { link: Tokens.Link }) {
  const text = <Inline tokens={tokens} />;
  const id = anchorOnPages(href);
  if (id !== undefined)
    return (
      <Link to="/runbooks/$id" params={{ id }}>
        {text}
      </Link>
    );
  return (
    <>
      {text} (<code>{/^https?:/.test(href) ? href : `docs/${href}`}</code>)
    </>
  );
}
