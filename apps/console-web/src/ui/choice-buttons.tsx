import './choice-buttons.css';

interface Props<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A few choices next to each other, one of which is chosen. */
export const ChoiceButtons = <Value extends string>({ label, options, value, onChange }: Props<Value>) => (
  <div className="choice-buttons" role="group" aria-label={label}>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.label}
      </button>
    ))}
  </div>
);
