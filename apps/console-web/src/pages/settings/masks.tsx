import { type Masks, type ValuePattern } from '@sluice/console-api';
import { useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Checkbox } from '../../ui/field';
import { useToast } from '../../ui/toast';

const patterns: readonly (readonly [ValuePattern, string])[] = [
  ['email', 'E-mail addresses'],
  ['phone', 'Phone numbers'],
  ['card', 'Card numbers'],
  ['iban', 'Account numbers (IBAN)'],
  ['ip', 'IP addresses'],
  ['token', 'Keys and tokens (JWT, Bearer, Basic, keys of sources)'],
];

/** Form of the paths and kinds of values that are masked for everybody without the permission to see payloads. */
export function MaskForm({ masks, mayEdit }: { masks: Masks; mayEdit: boolean }) {
  const [text, setText] = useState(masks.paths.join('\n'));
  const [values, setValues] = useState<readonly ValuePattern[]>(masks.values);
  const toast = useToast();
  const save = useAction('PUT /api/masks', () => toast('ok', 'Saved. The masks apply within a second.'));
  return (
    <form
      className="stack form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ body: { paths: text.split(/\s+/).filter((path) => path !== ''), values: [...values] } });
      }}
    >
      <label className="field">
        <span className="field-label">One path per line; * matches any text, ~ the last words of a name</span>
        <textarea
          className="input mono"
          rows={10}
          disabled={!mayEdit}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <fieldset className="stack stack-tight" disabled={!mayEdit}>
        <legend className="field-label">Mask these values under any name</legend>
        {patterns.map(([pattern, label]) => (
          <Checkbox
            key={pattern}
            label={label}
            checked={values.includes(pattern)}
            onChange={({ target }) =>
              setValues([...values.filter((value) => value !== pattern), ...(target.checked ? [pattern] : [])])
            }
          />
        ))}
      </fieldset>
      {save.error && (
        <p role="alert" className="field-error">
          {save.error.message}
        </p>
      )}
      {mayEdit ? (
        <div className="row">
          <Button type="submit" look="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      ) : (
        <p className="small soft">Only administrators can change masks.</p>
      )}
    </form>
  );
}
