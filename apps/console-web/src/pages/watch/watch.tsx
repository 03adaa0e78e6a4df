import { Page, Card } from '../../ui/card';
import { Loaded } from '../../ui/loaded';
import { ChangeTable, JudgedText, useChanges } from './changes';

/** Everything that the watch found, with what ended in the last days. */
export function WatchPage() {
  const changes = useChanges();
  return (
    <Page title="Changes" question="Did an event stop, fall or change?">
      <Card title="What was found" note={changes.data && <JudgedText state={changes.data} />} flush>
        <Loaded of={changes} lines={8}>
          {({ changes: all, run }) => <ChangeTable changes={all} lastRun={run} withSource />}
        </Loaded>
      </Card>
    </Page>
  );
}
