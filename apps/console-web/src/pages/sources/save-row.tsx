import { Button } from '../../ui/button';

interface Props {
  busy: boolean;
  error: Error | null;
  mayEdit: boolean;
}

/** The end of a form: what went wrong, and the button that saves, for those who may. */
export const SaveRow = ({ busy, error, mayEdit }: Props) => (
  <>
    {error && (
      <p role="alert" className="field-error">
        {error.message}
      </p>
    )}
    {mayEdit && (
      <div className="row">
        <Button type="submit" look="primary" busy={busy}>
          Save
        </Button>
      </div>
    )}
  </>
);
