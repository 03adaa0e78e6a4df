import { type ErasureState } from '@sluice/console-api';
import { Badge } from '../../ui/badge';

/** Meaning of each state to the person who waits for it, and its look. */
const states: Record<ErasureState, readonly [look: string, text: string]> = {
  requested: ['waiting', 'Requested'],
  suppressed: ['waiting', 'Messages dropped'],
  resolved: ['waiting', 'Ids found'],
  barrier: ['waiting', 'Waits for the run'],
  deleting: ['waiting', 'Being deleted'],
  verified: ['done', 'Nothing left'],
  waiting: ['done', 'Nothing left'],
  closed: ['done', 'Closed'],
};

export const ErasureBadge = ({ state }: { state: ErasureState }) => (
  <Badge state={states[state][0]} text={states[state][1]} />
);

/** Whether rows of the person may still be there. */
export const isUnderWay = (state: ErasureState): boolean => states[state][0] === 'waiting';
