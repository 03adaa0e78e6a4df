import { type PlannedProperty } from '@sluice/console-api';
import { useState } from 'react';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';

/** Number of properties that are shown before someone asks for the others. */
const maxShown = 60;

/** Table of the properties of an event and their rules. */
export function PropertyTable({ name, properties }: { name: string; properties: readonly PlannedProperty[] }) {
  const [isWhole, setWhole] = useState(false);
  const more = properties.length - maxShown;
  return (
    <>
      <Table
        label={name === '' ? 'Traits' : `Properties of ${name}`}
        rows={isWhole ? properties : properties.slice(0, maxShown)}
        rowKey={({ path }) => path}
        columns={[
          {
            label: 'Property',
            cell: ({ path }) => (
              <code>
                <Sent text={path} />
              </code>
            ),
          },
          { label: 'Type', cell: ({ types }) => (types.length === 0 ? 'any' : types.join(' or ')) },
          { label: 'Required', cell: ({ isRequired }) => (isRequired ? 'required' : <span className="soft">–</span>) },
          { label: 'Rules', grow: true, cell: ({ rules }) => <Words text={rules.join('; ')} /> },
          { label: 'Description', grow: true, cell: ({ description }) => <Words text={description} /> },
        ]}
        empty={<Empty kind="none-yet" title="The plan names no properties" />}
      />
      {!isWhole && more > 0 && (
        <div className="row card-more">
          <Button onClick={() => setWhole(true)}>{`Show ${exactText(more)} more`}</Button>
        </div>
      )}
    </>
  );
}

const Words = ({ text }: { text: string }) => (text === '' ? <span className="soft">–</span> : <Sent text={text} />);
