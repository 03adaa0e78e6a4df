import { type SavedView, type SignedInUser } from '@sluice/console-api';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useRead } from '../data/use-api';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Notice } from '../ui/empty';
import { Checkbox, Input } from '../ui/field';
import { Menu } from '../ui/menu';
import { Sent } from '../ui/sent';

/** Menu of saved views, which are pages with their filters; its dialog saves this page as one. */
export function SavedViews({ user }: { user: SignedInUser | null }) {
  const [isOpen, setOpen] = useState(false);
  const router = useRouter();
  const views = useRead('GET /api/views', {}, { enabled: user !== null }).data ?? [];
  return (
    <>
      <Menu
        label="Saved views"
        icon="view"
        items={[
          ...views.map(({ name, url, owner }) => ({
            label: owner === user?.id ? name : `${name} (${owner})`,
            onSelect: () => router.history.push(url),
          })),
          {
            label: 'Manage views',
            icon: 'settings' as const,
            onSelect: () => setOpen(true),
          },
        ]}
      />
      {isOpen && (
        <ViewsDialog
          url={router.state.location.href}
          ownViews={views.filter(({ owner }) => owner === user?.id)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function ViewsDialog({ url, ownViews, onClose }: { url: string; ownViews: readonly SavedView[]; onClose: () => void }) {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const save = useAction('PUT /api/views/:id', onClose);
  const remove = useAction('DELETE /api/views/:id');
  const error = save.error ?? remove.error;
  return (
    <Dialog open onClose={onClose} title="Saved views" note="A view is this page with its filters.">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ path: { id: 'new' }, body: { name, url, isShared } });
        }}
      >
        <Input
          label="Name of this view"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Checkbox
          label="Share with everyone"
          checked={isShared}
          onChange={(event) => setShared(event.target.checked)}
        />
        {error && (
          <Notice tone="bad" live>
            {error.message}
          </Notice>
        )}
        <div className="row">
          <Button look="primary" type="submit" busy={save.isPending} disabled={name.trim() === ''}>
            Save this view
          </Button>
        </div>
        {ownViews.map((view) => (
          <div key={view.id} className="row row-apart">
            <Sent text={view.name} />
            <Button
              aria-label={`Remove ${view.name}`}
              onClick={() => {
                remove.mutate({ path: { id: view.id } });
              }}
            >
              Remove
            </Button>
          </div>
        ))}
      </form>
    </Dialog>
  );
}
