import { type LinkProps, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode } from 'react';

interface Props {
  to: NonNullable<LinkProps['to']>;
  isHere?: boolean;
  className?: string;
  children: ReactNode;
}

/**
 * A link of the frame to a page without parameters. The router's own link follows the whole address, and the first paint
 * would wait for a dozen of them.
 */
export function PlaceLink({ to, isHere = false, className, children }: Props) {
  const router = useRouter();
  const { tz } = useSearch({ from: '__root__' });
  return (
    <a
      href={tz === undefined ? to : `${to}?tz=${tz}`}
      className={className}
      aria-current={isHere ? 'page' : undefined}
      onPointerEnter={() => void router.preloadRoute({ to })}
      onFocus={() => void router.preloadRoute({ to })}
      onClick={(event) => {
        const { button, metaKey, ctrlKey, shiftKey, altKey } = event;
        if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
        event.preventDefault();
        void router.navigate({ to });
      }}
    >
      {children}
    </a>
  );
}
