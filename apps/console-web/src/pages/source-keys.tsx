import { type IssuedKey, type KeyView, type SourceDetail } from '@sluice/console-api';
import { useState } from 'react';
import { useDeed } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Card } from '../ui/card';
import { CodeBlock } from '../ui/copy';
import { Confirm, Dialog } from '../ui/dialog';
import { Notice } from '../ui/empty';
import { exactText } from '../ui/number';
import { Sent } from '../ui/sent';
import { Table } from '../ui/table';
import { useToast } from '../ui/toast';
import { Age, Time } from '../ui/zone';

interface Props {
  source: SourceDetail;
  mayEdit: boolean;
}

/** Keys of a source. Two are valid while one takes over from the other. */
export function SourceKeys({ source, mayEdit }: Props) {
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const [revoked, setRevoked] = useState<KeyView | null>(null);
  const toast = useToast();
  const issue = useDeed('POST /api/sources/:id/keys', setIssued);
  const path = { id: source.sourceIdentifier };
  return (
    <Card
      title="Keys"
      note="To rotate: issue a second key, put it where events are sent, then revoke the first"
      flush
      actions={
        mayEdit && (
          <Button
            icon="key"
            busy={issue.isPending}
            onClick={() => {
              issue.mutate(
                { path, body: {} },
                {
                  onError: (error) => {
                    toast('bad', error.message);
                  },
                },
              );
            }}
          >
            Issue a key
          </Button>
        )
      }
    >
      <KeyTable keys={source.keys} onRevoke={mayEdit ? setRevoked : undefined} />
      <IssuedDialog
        issued={issued}
        onClose={() => {
          setIssued(null);
          issue.reset();
        }}
      />
      {revoked && (
        <RevokeDialog
          source={source}
          revoked={revoked}
          onClose={() => {
            setRevoked(null);
          }}
        />
      )}
    </Card>
  );
}

const KeyTable = ({ keys, onRevoke }: { keys: readonly KeyView[]; onRevoke: ((key: KeyView) => void) | undefined }) => (
  <Table
    label="Keys of this source"
    rows={keys.toReversed()}
    rowKey={({ keyId }) => keyId}
    columns={[
      { label: 'Key id', grow: true, cell: ({ keyId }) => <code>{keyId}</code> },
      { label: 'State', cell: ({ revokedAt }) => <Badge state={revokedAt ? 'revoked' : 'valid'} /> },
      { label: 'Created', end: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
      { label: 'Age', end: true, cell: ({ createdAt }) => <Age at={createdAt} /> },
      {
        label: 'Revoke',
        end: true,
        cell: (key) =>
          key.revokedAt || !onRevoke ? (
            <Time at={key.revokedAt} />
          ) : (
            <Button
              aria-label={`Revoke ${key.keyId}`}
              onClick={() => {
                onRevoke(key);
              }}
            >
              Revoke
            </Button>
          ),
      },
    ]}
  />
);

const IssuedDialog = ({ issued, onClose }: { issued: IssuedKey | null; onClose: () => void }) => (
  <Dialog
    open={issued !== null}
    onClose={onClose}
    isSticky
    title="The new key"
    note={issued && `Key ${issued.keyId}`}
    actions={
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    }
  >
    {issued && (
      <div className="stack">
        <Notice tone="attention">This key is shown once and is kept nowhere.</Notice>
        <CodeBlock label="API key" text={issued.apiKey} copy="Copy key" />
      </div>
    )}
  </Dialog>
);

function RevokeDialog({ source, revoked, onClose }: { source: SourceDetail; revoked: KeyView; onClose: () => void }) {
  const toast = useToast();
  const revoke = useDeed('POST /api/sources/:id/keys/:keyId/revoke', () => {
    onClose();
    toast('ok', `Key ${revoked.keyId} is revoked.`);
  });
  const others = source.keys.filter(({ keyId, revokedAt }) => !revokedAt && keyId !== revoked.keyId).length;
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke key ${revoked.keyId}?`}
      deed="Revoke key"
      busy={revoke.isPending}
      error={revoke.error?.message}
      onConfirm={() => {
        revoke.mutate({ path: { id: source.sourceIdentifier, keyId: revoked.keyId }, body: {} });
      }}
    >
      <p>
        Within a second, requests with this key are refused with 401. <Sent text={source.name} /> sent{' '}
        {exactText(source.eventsLastHour ?? 0)} events in the last hour. This cannot be taken back.
      </p>
      {others === 0 && <Notice tone="bad">It is the last valid key: the source cannot send afterwards.</Notice>}
    </Confirm>
  );
}
