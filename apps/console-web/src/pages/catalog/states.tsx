import { type EntityState, type EntityStatesQuery } from '@sluice/console-api';
import { useRead } from '../../data/use-api';
import { Tag } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Loaded } from '../../ui/loaded';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Time } from '../../ui/zone';

/** The states of a product, seller or category, as they were sent. */
export function StatesCard({ catalog, kind, id }: EntityStatesQuery) {
  const states = useRead('GET /api/catalog/states', { query: { catalog, kind, id } });
  return (
    <Card
      title={
        <>
          {kind.replace(/^./, (letter) => letter.toUpperCase())} <Sent text={id} />
        </>
      }
      note="The newest 20 states that are still stored; merges remove older ones"
      flush
    >
      <Loaded of={states}>{({ states: rows }) => <StatesTable states={rows} />}</Loaded>
    </Card>
  );
}

/** The fields of a state that the one before it does not have, or has with another value. */
function listChanges(state: EntityState, before: EntityState | undefined): EntityState['fields'] {
  if (before === undefined || before.isDeleted) return state.fields;
  const earlierValues = new Map(before.fields.map(({ name, value }) => [name, value]));
  const names = new Set(state.fields.map(({ name }) => name));
  return [
    ...state.fields.filter(({ name, value }) => earlierValues.get(name) !== value),
    ...before.fields.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, value: '' })),
  ];
}

const StatesTable = ({ states }: { states: readonly EntityState[] }) => (
  <Table
    label="States, the newest first"
    rows={states.map((state, index) => ({ ...state, changes: listChanges(state, states[index + 1]) }))}
    rowKey={({ version }) => version}
    columns={[
      { label: 'Version', cell: ({ version }) => <Time at={version} /> },
      { label: 'Arrived', cell: ({ arrived }) => <Time at={arrived} /> },
      {
        label: 'What it changed',
        grow: true,
        cell: ({ isDeleted, changes }) =>
          isDeleted ? (
            <Tag text="deleted" />
          ) : changes.length === 0 ? (
            <span className="soft">nothing</span>
          ) : (
            <ul>
              {changes.map(({ name, value }) => (
                <li key={name}>
                  <span className="soft">{name}</span> <Sent text={value || '–'} />
                </li>
              ))}
            </ul>
          ),
      },
    ]}
  />
);
