import { Icon, type IconName } from './icon';
import './badge.css';

type Tone = 'ok' | 'attention' | 'bad' | 'quiet' | 'accent';

/** Look of each state. A colour never stands alone: the icon and the word say the same. */
const states: Record<string, readonly [Tone, IconName, string]> = {
  ok: ['ok', 'check', 'OK'],
  attention: ['attention', 'warn', 'Check'],
  late: ['attention', 'wait', 'Late'],
  unreachable: ['bad', 'unreachable', 'Not responding'],
  stored: ['ok', 'check', 'Stored'],
  'in-kafka': ['accent', 'wait', 'In Kafka'],
  waiting: ['accent', 'wait', 'Waiting'],
  merged: ['quiet', 'check', 'Merged'],
  unknown: ['quiet', 'wait', 'Unknown'],
  'dead-lettered': ['bad', 'letters', 'Dead letter'],
  refused: ['bad', 'refused', 'Refused'],
  accepted: ['ok', 'check', 'Accepted'],
  rejected: ['attention', 'warn', 'Rejected'],
  dropped: ['attention', 'warn', 'Dropped'],
  enabled: ['ok', 'check', 'Enabled'],
  'all-refused': ['bad', 'refused', 'All refused'],
  'many-refused': ['attention', 'warn', 'Many refused'],
  silent: ['attention', 'wait', 'Silent'],
  active: ['ok', 'check', 'Active'],
  valid: ['ok', 'check', 'Valid'],
  disabled: ['quiet', 'pause', 'Disabled'],
  revoked: ['quiet', 'close', 'Revoked'],
  invited: ['accent', 'wait', 'Invited'],
  done: ['ok', 'check', 'Done'],
  intended: ['accent', 'wait', 'Intended'],
  failed: ['bad', 'bad', 'Failed'],
  open: ['attention', 'warn', 'Open'],
  dismissed: ['quiet', 'close', 'Dismissed'],
  'dry-run': ['accent', 'try', 'Would be sent'],
};

export function Badge({ state, text }: { state: string; text?: string | undefined }) {
  const [tone, icon, word] = states[state] ?? (['quiet', 'bad', state] as const);
  return (
    <span className={`badge badge-${tone}`}>
      <Icon name={icon} size={14} />
      {text ?? word}
    </span>
  );
}

/** A short word without a state, such as a role or a type. */
export const Tag = ({ text }: { text: string }) => <span className="badge badge-quiet">{text}</span>;
