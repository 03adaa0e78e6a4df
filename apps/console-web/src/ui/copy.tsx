import { useState } from 'react';
import { Button } from './button';
import { useToast } from './toast';
import './copy.css';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const toast = useToast();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => {
          setCopied(false);
        }, 1600);
      },
      () => {
        toast('bad', 'The browser refused the clipboard. Select the text and copy it.');
      },
    );
  };
  return (
    <Button look="plain" icon={isCopied ? 'check' : 'copy'} onClick={copy}>
      {label}
    </Button>
  );
}

/** Text to be copied whole: a command, a query, a snippet. */
export const CodeBlock = ({ text, label, copy = 'Copy' }: { text: string; label: string; copy?: string }) => (
  <div className="code-block">
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} label={copy} />
  </div>
);
