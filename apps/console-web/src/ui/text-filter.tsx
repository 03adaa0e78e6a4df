import { useEffect, useState } from 'react';
import { Input } from './field';

interface Props {
  label: string;
  value: string;
  maxLength?: number;
  onSet: (text: string) => void;
}

/** Filters on Enter or when the field is left, so that not every letter asks a new question. */
export function TextFilter({ label, value, maxLength, onSet }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <Input
      label={label}
      placeholder="any"
      maxLength={maxLength}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (text !== value) onSet(text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSet(text.trim());
      }}
    />
  );
}
