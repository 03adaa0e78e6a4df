import { type ReactNode } from 'react';
import { splitParts } from './sent-parts';
import './sent.css';

interface Props {
  text: string;
  className?: string | undefined;
  /** Line breaks and tabs stay what they are: for a text that is shown in lines. */
  keepLines?: boolean;
}

/**
 * A text from others, exactly as it was sent. It cannot change the direction of the text around it, and its invisible
 * characters are shown as codes.
 */
export const Sent = ({ text, className, keepLines = false }: Props) => (
  <bdi className={className}>
    {splitParts(text, keepLines).map(({ kind, text: part }, index) => {
      if (kind === 'text') return part;
      return (
        <span key={index} className={`sent-${kind}`} data-code={kind === 'code' ? formatCode(part) : undefined}>
          {part}
        </span>
      );
    })}
  </bdi>
);

/** Several names with commas between them. */
export const SentList = ({ texts, none = '–' }: { texts: readonly string[]; none?: ReactNode }) =>
  texts.length === 0
    ? none
    : texts.map((text, index) => (
        <span key={index}>
          {index > 0 && ', '}
          <Sent text={text} />
        </span>
      ));

const escapes: Record<string, string> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

/** Writes a character as JSON does: `\u202e`. */
const formatCode = (character: string): string =>
  escapes[character] ?? String.raw`\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
