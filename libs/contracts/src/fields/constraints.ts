import { IsISO8601, IsObject, IsOptional, Matches, type ValidationOptions } from 'class-validator';

/** Rules that several messages share, each by the interface's word for the thing it checks. */

type Because = Pick<ValidationOptions, 'message'>;

function every(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

const personId = /^[A-Za-z0-9_\-.@:+|=~]{1,64}$/;
const personIdRule: Because = { message: '$property must be 1 to 64 of the characters A-Z a-z 0-9 _ - . @ : + | = ~' };

/** A userId or anonymousId: interface §8, its characters as decided in design §2. */
export const IsPersonId = (): PropertyDecorator => Matches(personId, personIdRule);

const eventName = /^[a-zA-Z0-9_\-.]{1,64}$/;
const eventNameRule: Because = { message: '$property must be 1 to 64 of the characters a-z A-Z 0-9 _ - .' };

/** The name of an action: interface §2.3 and §8. */
export const IsEventName = (): PropertyDecorator => Matches(eventName, eventNameRule);

// A date and a time, offset or Z or neither; the years that ClickHouse's DateTime64 and sense allow.
const dateTime = /^(19[7-9]\d|20\d\d|21\d\d)-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)?$/;
const dateTimeRule: Because = { message: '$property must be an ISO 8601 date and time, years 1970 to 2199' };

/** An ISO 8601 date-time with date and time: interface §2.2, bounds as decided in design §2. */
export const IsDateTime = (): PropertyDecorator =>
  every(Matches(dateTime, dateTimeRule), IsISO8601({ strict: true }, dateTimeRule));

/** A free-form JSON object: interface §2.2, §2.3. */
export const IsFreeForm = (): PropertyDecorator => IsObject({ message: '$property must be an object' });

/** A field that may be missing; `null` means missing. */
export const Optional = (): PropertyDecorator => IsOptional();
