import type * as api from '@sluice/console-api';
import type * as registry from '@sluice/sources';
import { expectTypeOf, it } from 'vitest';

// The pages may import nothing of the server, so the API declares these shapes again. Here the compiler compares them.

it('the API and the registry have the same types of sources, limits and states', () => {
  expectTypeOf<api.SourceType>().toEqualTypeOf<registry.SourceType>();
  expectTypeOf<api.SourceLimits>().toEqualTypeOf<registry.SourceLimits>();
  expectTypeOf<api.SourceView['status']>().toEqualTypeOf<registry.Source['status']>();
  expectTypeOf<api.SourceView['origins']>().toEqualTypeOf<registry.Source['origins']>();
  expectTypeOf<api.SourceView['segment']>().toEqualTypeOf<registry.Source['segment']>();
  expectTypeOf<api.SourceView['pii']>().toEqualTypeOf<registry.Source['pii']>();
  expectTypeOf<api.SourceView['requireConsent']>().toEqualTypeOf<registry.Source['requireConsent']>();
  expectTypeOf<Omit<api.KeyView, 'lastUsedAt'>>().toEqualTypeOf<
    Pick<registry.SourceKey, 'keyId' | 'createdAt' | 'revokedAt'>
  >();
});
