import { type Config, makeValidator } from '@sluice/service';
import { PrivacyKey } from './privacy-key.js';

const privacyKey = makeValidator<PrivacyKey>((text) => new PrivacyKey(text));

export const privacyVariables = {
  PRIVACY_KEY: privacyKey({
    default: undefined,
    desc: 'Secret by which ids of suppressed and erased people are hashed, at least 32 characters, the same for gateways, consumers, operator and console. It never changes: records made with another key cannot be used',
  }),
};
export type PrivacyConfig = Config<typeof privacyVariables>;
