import { attempt } from '@sluice/sdk-core';
import { type NativeParts } from '../native/native-parts.js';

declare const Intl:
  { DateTimeFormat?: () => { resolvedOptions(): { locale?: string; timeZone?: string } } } | undefined;

/** The first of these constants that is a text: Android and iOS name them differently. */
const findText = (constants: object, ...names: string[]): string | undefined =>
  names
    .map((name) => (constants as Partial<Record<string, unknown>>)[name])
    .find((value): value is string => typeof value === 'string');

/** Describes device, screen and language. Reads all but the screen once: nothing else changes while the app runs. */
export function createContext({ Platform, Dimensions }: NativeParts): () => Record<string, unknown> {
  const constants = Platform.constants ?? {};
  // Hermes has no Intl on some platforms.
  const { locale, timeZone: timezone } =
    attempt(() => (typeof Intl === 'object' ? Intl.DateTimeFormat?.().resolvedOptions() : undefined)) ?? {};
  const version = findText(constants, 'Release', 'osVersion') ?? Platform.Version;
  const fixed = {
    os: { name: Platform.OS, version },
    device: {
      manufacturer: findText(constants, 'Manufacturer') ?? (Platform.OS === 'ios' ? 'Apple' : undefined),
      model: findText(constants, 'Model', 'interfaceIdiom'),
    },
    locale,
    timezone,
  };
  return () => {
    const screen = attempt(() => Dimensions.get('screen'));
    return { ...fixed, screen: screen && { width: screen.width, height: screen.height, density: screen.scale } };
  };
}
