import { useNavigate } from '@tanstack/react-router';
import { spanSearch, type Span } from '../../data/range';
import { RangePicker } from '../../ui/range-picker';

/** Switches between what arrives now and what is stored, with the same filters. */
export function EventTime({ span, isLive = false }: { span: Span; isLive?: boolean }) {
  const navigate = useNavigate();
  return (
    <RangePicker
      value={span}
      onChange={(next) => {
        void navigate({
          to: '/events',
          search: (now) => ({ ...now, ...spanSearch(next), state: undefined, id: undefined }),
        });
      }}
      otherChoice={{
        label: 'Live',
        isOn: isLive,
        onChoose: () => {
          const none = { range: undefined, from: undefined, to: undefined, text: undefined, id: undefined };
          void navigate({ to: '/live', search: (now) => ({ ...now, ...none }) });
        },
      }}
    />
  );
}
