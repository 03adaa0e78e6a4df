import { useEffect, useState } from 'react';
import { Input } from './field';

interface Props {
  label: string;
  /** Text of the address. */
  value: string;
  onSearch: (text: string) => void;
  maxLength?: number;
}

/** A field whose text filters a list while it is typed. */
export function SearchField({ label, value, onSearch, maxLength = 200 }: Props) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped((text) => (text.trim() === value ? text : value)), [value]);
  return (
    <Input
      label={label}
      placeholder="any"
      type="search"
      maxLength={maxLength}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value);
        onSearch(target.value.trim());
      }}
    />
  );
}
