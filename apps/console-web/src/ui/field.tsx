import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, useId } from 'react';
import { Icon } from './icon';
import './field.css';

interface FieldProps {
  label: string;
  /** Whether only screen readers get the label, because the place says what the field is. */
  hideLabel?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
}

interface Wiring {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

function Field({
  label,
  hideLabel = false,
  hint,
  error,
  children,
}: FieldProps & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': note ? `${id}-note` : undefined, 'aria-invalid': error !== undefined })}
      {note && (
        <p id={`${id}-note`} className={error ? 'field-error' : 'field-hint'}>
          {note}
        </p>
      )}
    </div>
  );
}

type InputProps = FieldProps & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

export const Input = ({ label, hideLabel, hint, error, ...rest }: InputProps) => (
  <Field {...{ label, hint, error }} hideLabel={hideLabel ?? false}>
    {(wiring) => <input className="input" autoComplete="off" spellCheck={false} {...wiring} {...rest} />}
  </Field>
);

export interface Option {
  value: string;
  label: string;
}

type SelectProps = FieldProps & SelectHTMLAttributes<HTMLSelectElement> & { options: readonly Option[] };

export const Select = ({ label, hideLabel, hint, error, options, ...rest }: SelectProps) => (
  <Field {...{ label, hint, error }} hideLabel={hideLabel ?? false}>
    {(wiring) => (
      <span className="select">
        <select className="input" {...wiring} {...rest}>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    )}
  </Field>
);

interface CheckboxProps extends InputHTMLAttributes<HTMLInputElement> {
  label: ReactNode;
}

export const Checkbox = ({ label, ...rest }: CheckboxProps) => (
  <label className="checkbox">
    <input type="checkbox" {...rest} />
    <span>{label}</span>
  </label>
);
