import { type NewPlan, type PlanImport } from '@sluice/console-api';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Checkbox, Input, Select } from '../../ui/field';
import { useToast } from '../../ui/toast';
import { Comparison } from './comparison';

type Form = '' | NonNullable<NewPlan['from']>;

const forms: readonly { value: Form; label: string }[] = [
  { value: '', label: 'Sluice: as operator plans export writes it' },
  { value: 'segment', label: 'Segment' },
  { value: 'rudderstack', label: 'RudderStack' },
];
const maxCharacters = 1_000_000;

interface Content {
  /** JSON without white space. */
  text: string;
  problem?: string;
}

/** The file that is chosen, how it is read, and what its import would do. */
function useImport(id: string, onDone: (imported: PlanImport) => void) {
  const [form, setForm] = useState<Form>('');
  const [isSnake, setSnake] = useState(false);
  const [content, setContent] = useState<Content>();
  const check = useAction('POST /api/sources/:id/plans/check');
  const take = useAction('POST /api/sources/:id/plans', onDone);
  const inputOf = (text: string, from: Form, snakeCase: boolean) => ({
    path: { id },
    body: { text, ...(from !== '' && { from, snakeCase }) },
  });
  const look = (next: Content | undefined, from: Form, snakeCase: boolean): void => {
    setForm(from);
    setSnake(snakeCase);
    setContent(next);
    check.reset();
    if (next && next.problem === undefined) check.mutate(inputOf(next.text, from, snakeCase));
  };
  return {
    form,
    isSnake,
    chooseForm: (from: Form) => look(content, from, isSnake),
    chooseCase: (snakeCase: boolean) => look(content, form, snakeCase),
    chooseFile: async (file: File | undefined) => look(file && (await readPlan(file)), form, isSnake),
    planned: check.data,
    problem: content?.problem ?? check.error?.message ?? take.error?.message,
    isBusy: take.isPending,
    take: () => {
      if (content) take.mutate(inputOf(content.text, form, isSnake));
    },
  };
}

/** Imports a plan from a file, after a look at what it changes. It judges nothing before it is activated. */
export function ImportDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const toast = useToast();
  const navigate = useNavigate({ from: '/sources/$id' });
  const file = useImport(id, ({ version }) => {
    toast('ok', `Version ${version} was imported. It is not active yet.`);
    onClose();
    void navigate({ search: (now) => ({ ...now, plan: version, text: undefined, page: undefined }) });
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Import a plan"
      note="It judges nothing before it is activated."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={file.isBusy}
            disabled={(file.planned?.created.length ?? 0) === 0}
            onClick={file.take}
          >
            Import
          </Button>
        </>
      }
    >
      <div className="stack">
        <FileFields file={file} />
        {file.problem !== undefined && (
          <p role="alert" className="field-error plan-problem">
            {file.problem}
          </p>
        )}
        {file.planned && <Planned planned={file.planned} />}
      </div>
    </Dialog>
  );
}

const FileFields = ({ file }: { file: ReturnType<typeof useImport> }) => (
  <>
    <Select
      label="Form of the file"
      options={forms}
      value={file.form}
      onChange={({ target }) => file.chooseForm(forms.find(({ value }) => value === target.value)?.value ?? '')}
    />
    {file.form !== '' && (
      <Checkbox
        label="Write “Order Completed” as order_completed"
        checked={file.isSnake}
        onChange={({ target }) => file.chooseCase(target.checked)}
      />
    )}
    <Input
      label="File"
      type="file"
      accept=".json,application/json"
      onChange={({ target }) => void file.chooseFile(target.files?.[0])}
    />
  </>
);

async function readPlan(file: File): Promise<Content> {
  try {
    const text = JSON.stringify(JSON.parse(await file.text()));
    if (text.length <= maxCharacters) return { text };
    return { text: '', problem: 'The file is larger than a plan may be: 900 KB.' };
  } catch (error) {
    return { text: '', problem: `The file is not JSON: ${(error as Error).message}` };
  }
}

function Planned({ planned: { version, created, unchanged, before, comparison } }: { planned: PlanImport }) {
  if (created.length === 0)
    return <p role="status">{`Version ${version} is stored for ${unchanged.join(', ')} already; nothing changes.`}</p>;
  return (
    <div className="stack" role="status">
      <p>
        {`Version ${version} will be written for ${created.join(', ')}.`}
        {unchanged.length > 0 && ` ${unchanged.join(', ')} had it already.`}
      </p>
      <Comparison comparison={comparison} before={before === null ? 'no plan' : `version ${before}`} />
    </div>
  );
}
