import { useState } from 'react';
import { Button } from './button';
import { useToast } from './toast';
import './copy.css';

interface CopyProps {
  text: string;
  label?: string;
  onCopied?: (() => void) | undefined;
}

export function CopyButton({ text, label = 'Copy', onCopied }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const toast = useToast();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        onCopied?.();
        setTimeout(() => setCopied(false), 1600);
      },
      () => toast('bad', 'The browser does not allow copying. Select the text and copy it yourself.'),
    );
  };
  return (
    <Button look="plain" icon={isCopied ? 'check' : 'copy'} onClick={copy}>
      {label}
    </Button>
  );
}

/** Text to be copied whole: a command, a query, a snippet. */
export const CodeBlock = ({ text, label, copy = 'Copy', onCopied }: CopyProps & { label: string; copy?: string }) => (
  <div className="code-block">
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} label={copy} onCopied={onCopied} />
  </div>
);
