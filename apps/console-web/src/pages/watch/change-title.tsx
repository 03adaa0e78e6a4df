import { type ChangeKind, type ShownChange } from '@sluice/console-api';
import { type ReactNode } from 'react';
import { Sent } from '../../ui/sent';

/** The heading of a change's page: which event changed and how, without numbers. */
export function ChangeTitle({ change }: { change: ShownChange }) {
  const { kind, event, property, sourceName, source } = change;
  const eventName = <Sent text={event} />;
  const propertyOfEvent = (
    <>
      <Sent text={property} /> of {eventName}
    </>
  );
  const shop = <Sent text={sourceName || source} />;
  const titles: Record<ChangeKind, ReactNode> = {
    stopped: <>{eventName} stopped</>,
    fell: <>{eventName} fell</>,
    type: <>{propertyOfEvent} changed its type</>,
    vanished: <>{propertyOfEvent} vanished</>,
    refused: <>More of {event === '' ? shop : eventName} is refused</>,
    clock: <>More clocks of {shop} are wrong</>,
  };
  return titles[kind];
}

/** The first thing to find out, by kind of change. */
const questions: Record<ChangeKind, string> = {
  stopped: 'was the event renamed, is it sent no longer, or does its code fail?',
  fell: 'is the event sent by fewer pages or for fewer people than before, or does its code fail for some?',
  type: 'is the new type meant? Queries that expect the old one leave these values out.',
  vanished: 'was the property renamed, or is it sent no longer?',
  refused: 'what do its clients send now that is refused?',
  clock: 'do its servers or devices have the right time? The times of their messages are as wrong as their clocks.',
};

/** Says whom to ask, and what. */
export const ChangeAdvice = ({ change: { kind, since } }: { change: ShownChange }) =>
  since === '' ? (
    <p>{`No version and no host explains it alone. Ask the owner of the source: ${questions[kind]}`}</p>
  ) : (
    <p>
      It came with <Sent text={since} />. Ask whoever released that: {questions[kind]}
    </p>
  );
