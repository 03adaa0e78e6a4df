import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Card, Facts } from '../../ui/card';
import { useToast } from '../../ui/toast';
import { placeholder } from './snippets';
import { type KnownSource } from './known-source';

interface Props {
  source: KnownSource;
  mayEdit: boolean;
}

/** The write key for clients of Segment: the source, `_` and an API key. */
export const formatWriteKey = (sourceIdentifier: string, apiKey: string): string => `${sourceIdentifier}_${apiKey}`;

/** Whether clients of Segment may send to the source, and the two lines to change in them. */
export function SegmentCard({ source, mayEdit }: Props) {
  const isOn = source.segment === 'on';
  const { sourceIdentifier, setup } = source;
  return (
    <Card
      title="Clients of Segment and RudderStack"
      note={isOn ? 'They may send to this source, with these two lines changed' : 'They may not send to this source'}
      actions={mayEdit && <Switch sourceIdentifier={sourceIdentifier} isOn={isOn} />}
    >
      {isOn ? (
        <Facts
          facts={[
            ['Host', <code key="host">{setup.gatewayUrl}</code>],
            ['Write key', <code key="key">{formatWriteKey(sourceIdentifier, placeholder)}</code>],
          ]}
        />
      ) : (
        <p className="soft">Switch it on to move a program to Sluice without a change of its code.</p>
      )}
    </Card>
  );
}

function Switch({ sourceIdentifier, isOn }: { sourceIdentifier: string; isOn: boolean }) {
  const toast = useToast();
  const save = useAction('PUT /api/sources/:id/segment', ({ segment }) =>
    toast(
      'ok',
      segment === 'on' ? 'Saved. It takes Segment calls within a second.' : 'Saved. It refuses Segment calls.',
    ),
  );
  const change = (): void => save.mutate({ path: { id: sourceIdentifier }, body: { segment: isOn ? 'off' : 'on' } });
  return (
    <>
      {save.error && (
        <span role="alert" className="field-error">
          {save.error.message}
        </span>
      )}
      <Button role="switch" aria-checked={isOn} busy={save.isPending} onClick={change}>
        {isOn ? 'Takes Segment calls: on' : 'Takes Segment calls: off'}
      </Button>
    </>
  );
}
