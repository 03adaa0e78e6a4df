import { type PlanMode, type PlanSummary } from '@sluice/console-api';
import { Badge } from '../../ui/badge';

/** The effect of each mode on messages that do not fit. */
export const modeText: Record<PlanMode, string> = {
  observe: 'Messages that do not fit are stored as sent.',
  drop: 'Properties that do not fit are left out.',
  refuse: 'Messages that do not fit are refused, and kept.',
};

/** Whether a version is active. */
export const PlanState = ({ state }: Pick<PlanSummary, 'state'>) => {
  if (state === 'active') return <Badge state="active" />;
  return <Badge state="unknown" text={state === 'candidate' ? 'Candidate' : 'Not active'} />;
};
