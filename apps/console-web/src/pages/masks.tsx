import { type Masks } from '@sluice/console-api';
import { useState } from 'react';
import { useDeed } from '../data/use-api';
import { Button } from '../ui/button';
import { useToast } from '../ui/toast';

/** Paths whose values are masked for everybody without the permission to see payloads. */
export function MaskForm({ masks, mayEdit }: { masks: Masks; mayEdit: boolean }) {
  const [text, setText] = useState(masks.paths.join('\n'));
  const toast = useToast();
  const save = useDeed('PUT /api/masks', () => {
    toast('ok', 'The masks hold within a second.');
  });
  return (
    <form
      className="stack form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ body: { paths: text.split(/\s+/).filter((one) => one !== '') } });
      }}
    >
      <label className="field">
        <span className="field-label">One path a line; * stands for any text</span>
        <textarea
          className="input mono"
          rows={10}
          disabled={!mayEdit}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
      </label>
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
        <p className="small soft">Administrators can change them.</p>
      )}
    </form>
  );
}
