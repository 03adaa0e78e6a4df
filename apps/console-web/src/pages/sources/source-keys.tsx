import { type KeyView } from '@sluice/console-api';
import { useState } from 'react';
import { useAction } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Confirm } from '../../ui/dialog';
import { Notice } from '../../ui/empty';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { useShownOnce } from '../../ui/shown-once';
import { Table } from '../../ui/table';
import { useToast } from '../../ui/toast';
import { Age, Time } from '../../ui/zone';
import { formatWriteKey } from './source-segment';
import { type KnownSource } from './known-source';

interface Props {
  source: KnownSource;
  mayEdit: boolean;
}

/** Keys of a source. Two are valid while one takes over from the other. */
export function SourceKeys({ source, mayEdit }: Props) {
  const [isIssuing, setIssuing] = useState(false);
  const [revoked, setRevoked] = useState<KeyView | null>(null);
  return (
    <Card
      title="Keys"
      note="To rotate: issue a second key, use it wherever events are sent, then revoke the first"
      flush
      actions={
        mayEdit && (
          <Button icon="key" onClick={() => setIssuing(true)}>
            Issue a key
          </Button>
        )
      }
    >
      <KeyTable keys={source.keys} onRevoke={mayEdit ? setRevoked : undefined} />
      {isIssuing && <IssueDialog source={source} onClose={() => setIssuing(false)} />}
      {revoked && <RevokeDialog source={source} revoked={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
}

/** Time of the last accepted request. A key that is not used any more can be revoked. */
const LastUse = ({ lastUsedAt }: KeyView) =>
  lastUsedAt === null ? <span className="soft">not in the last 30 days</span> : <Age at={lastUsedAt} />;

const KeyTable = ({ keys, onRevoke }: { keys: readonly KeyView[]; onRevoke: ((key: KeyView) => void) | undefined }) => (
  <Table
    label="Keys of this source"
    rows={keys.toReversed()}
    rowKey={({ keyId }) => keyId}
    columns={[
      { label: 'Key id', grow: true, cell: ({ keyId }) => <code>{keyId}</code> },
      { label: 'State', cell: ({ revokedAt }) => <Badge state={revokedAt ? 'revoked' : 'valid'} /> },
      { label: 'Created', end: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
      { label: 'Last used', end: true, cell: (key) => <LastUse {...key} /> },
      {
        label: 'Revoked',
        end: true,
        cell: (key) =>
          key.revokedAt || !onRevoke ? (
            <Time at={key.revokedAt} />
          ) : (
            <Button aria-label={`Revoke ${key.keyId}`} onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          ),
      },
    ]}
  />
);

function IssueDialog({ source, onClose }: { source: KnownSource; onClose: () => void }) {
  const show = useShownOnce();
  const issue = useAction('POST /api/sources/:id/keys', ({ keyId, apiKey }) => {
    onClose();
    show({
      title: `New key ${keyId}`,
      label: 'API key',
      text: apiKey,
      copy: 'Copy key',
      note: 'This key is shown only once. Save it in a safe place now; if it is lost, issue another one.',
      ...(source.segment === 'on' && {
        also: { label: 'write key of Segment', text: formatWriteKey(source.sourceIdentifier, apiKey) },
      }),
    });
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title="Issue a key?"
      action="Issue key"
      look="primary"
      busy={issue.isPending}
      error={issue.error?.message}
      onConfirm={() => {
        issue.mutate({ path: { id: source.sourceIdentifier } });
      }}
    >
      <p>
        <Sent text={source.name} /> gets one more key. The keys that it has stay valid until you revoke them.
      </p>
    </Confirm>
  );
}

function RevokeDialog({ source, revoked, onClose }: { source: KnownSource; revoked: KeyView; onClose: () => void }) {
  const toast = useToast();
  const revoke = useAction('POST /api/sources/:id/keys/:keyId/revoke', () => {
    onClose();
    toast('ok', `Key ${revoked.keyId} is revoked.`);
  });
  const otherKeys = source.keys.filter(({ keyId, revokedAt }) => !revokedAt && keyId !== revoked.keyId).length;
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke key ${revoked.keyId}?`}
      action="Revoke key"
      busy={revoke.isPending}
      error={revoke.error?.message}
      onConfirm={() => {
        revoke.mutate({ path: { id: source.sourceIdentifier, keyId: revoked.keyId } });
      }}
    >
      <p>
        Within a second, requests with this key are refused with 401. <Sent text={source.name} /> sent{' '}
        {source.eventsLastHour === null ? 'an unknown number of' : exactText(source.eventsLastHour)} events in the last
        hour. This cannot be undone.
      </p>
      {otherKeys === 0 && <Notice tone="bad">This is the last valid key: without it the source cannot send.</Notice>}
    </Confirm>
  );
}
