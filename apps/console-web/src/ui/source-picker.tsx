import { Combobox } from '@base-ui/react/combobox';
import { type AnswerOf } from '@sluice/console-api';
import { useId, useMemo, useState } from 'react';
import { useRead } from '../data/use-api';
import { Icon } from './icon';
import { exactText } from './number';
import { Sent } from './sent';
import './menu.css';
import './field.css';

interface Choice {
  /** Identifier; empty for no choice. */
  id: string;
  name: string;
}

/** Number of sources that are offered; typing finds the others. */
const offered = 20;

interface Props {
  /** Identifier of the chosen source; empty for all, or for what `none` says. */
  value: string;
  onChange: (sourceIdentifier: string) => void;
  label?: string;
  /** The text of the choice that names no source. */
  none?: string;
}

/** A field that finds a source by its name or identifier, among thousands. */
export function SourcePicker({ value, onChange, label = 'Source', none = 'All sources' }: Props) {
  // The field forgets the marked choice when its value becomes another object.
  const noChoice = useMemo((): Choice => ({ id: '', name: none }), [none]);
  const id = useId();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const sourceRead = useRead('GET /api/sources', { query: { text, numbers: 'none', limit: offered } });
  const [picked, setPicked] = useState(noChoice);
  const chosen = useChoice(value, picked, noChoice);
  const choices = (sourceRead.data?.sources ?? []).map(({ sourceIdentifier, name }) => ({
    id: sourceIdentifier,
    name,
  }));
  return (
    <Combobox.Root<Choice>
      // The field takes a name that comes after the identifier only when it is drawn again.
      key={chosen.name === value ? 'unnamed' : 'named'}
      items={text === '' ? [noChoice, ...choices] : choices}
      value={chosen}
      itemToStringLabel={({ name }) => name}
      isItemEqualToValue={(item, otherItem) => item.id === otherItem.id}
      filter={null}
      onValueChange={(choice) => {
        setPicked(choice ?? noChoice);
        onChange(choice?.id ?? '');
      }}
      onInputValueChange={(input, { reason }) => setTyped(reason === 'input-change' ? input : '')}
      onOpenChange={(isOpen) => {
        if (!isOpen) setTyped('');
      }}
    >
      <div className="field">
        <label htmlFor={id} className="field-label">
          {label}
        </label>
        <span className="select">
          {/* The library hides all other content, the label too, from screen readers while the list is open. */}
          <Combobox.Input
            id={id}
            aria-label={label}
            className="input"
            spellCheck={false}
            onFocus={({ target }) => target.select()}
          />
          <Icon name="down" />
        </span>
      </div>
      <Offered note={formatNote(text, sourceRead.data)} />
    </Combobox.Root>
  );
}

function formatNote(text: string, list: AnswerOf<'GET /api/sources'> | undefined): string {
  if (!list) return '';
  if (text !== '' && list.found === 0) return 'No source has this name or identifier.';
  const more = list.found - list.sources.length;
  return more > 0 ? `${exactText(more)} more: type a part of the name.` : '';
}

const Offered = ({ note }: { note: string }) => (
  <Combobox.Portal>
    <Combobox.Positioner className="menu-place" sideOffset={4}>
      <Combobox.Popup className="menu source-menu">
        <Combobox.List>
          {(choice: Choice) => (
            <Combobox.Item key={choice.id} value={choice} className="menu-item menu-choice">
              <Sent text={choice.name} />
              {choice.id !== '' && <code className="soft">{choice.id}</code>}
            </Combobox.Item>
          )}
        </Combobox.List>
        <Combobox.Status className="menu-note">{note}</Combobox.Status>
      </Combobox.Popup>
    </Combobox.Positioner>
  </Combobox.Portal>
);

/** The chosen source with its name; the identifier of an address stands for it until the name is known. */
function useChoice(id: string, picked: Choice, noChoice: Choice): Choice {
  const isPicked = id === '' || picked.id === id;
  const { data } = useRead(
    'GET /api/sources',
    { query: { text: id, numbers: 'none', limit: 1 } },
    { enabled: !isPicked },
  );
  if (isPicked) return id === '' ? noChoice : picked;
  const source = data?.sources.find(({ sourceIdentifier }) => sourceIdentifier === id);
  return { id, name: source?.name ?? id };
}
