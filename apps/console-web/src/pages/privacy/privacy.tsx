import { useMay } from '../../data/session';
import { Card, Page } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Erasures } from './erasures';
import { PersonCard } from './person-card';

/** People who want a copy of their data, or to be forgotten. */
export function PrivacyPage() {
  const may = useMay('privacy');
  return (
    <Page title="Privacy" question="Who asked for their data or to be forgotten, and has it been done?">
      {may ? (
        <>
          <PersonCard />
          <Erasures />
        </>
      ) : (
        <Card>
          <Empty kind="forbidden" title="You may not answer requests of people">
            An administrator gives this right in the settings, under Users.
          </Empty>
        </Card>
      )}
    </Page>
  );
}
