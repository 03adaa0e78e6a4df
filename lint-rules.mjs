// Rules for oxlint (.oxlintrc.json) that it does not have itself: those of ESLint's plugins, with what they need to know,
// and one of ours.
import nx from '@nx/eslint-plugin';
import tseslint from '@typescript-eslint/eslint-plugin';

// The table of these rules, with the reasons, is docs/architecture.md#who-may-import-whom.
const only = (sourceTag, ...allowed) => ({ sourceTag, onlyDependOnLibsWithTags: allowed });
const noHttp = { bannedExternalImports: ['@nestjs/platform-*', 'fastify', 'express'] };

const depConstraints = [
  only('type:app', 'type:lib'),
  only('type:lib', 'type:lib'),
  only('type:tool', 'type:lib', 'type:sdk'),
  only('type:test', 'type:lib', 'type:sdk', 'type:tool', 'type:test'),
  only('type:sdk', 'type:sdk'),
  { sourceTag: 'scope:sdk-core', onlyDependOnLibsWithTags: [], bannedExternalImports: ['*'] },
  { ...only('scope:contracts', 'scope:contracts'), ...noHttp },
  only('scope:service', 'scope:service'),
  only('scope:kafkajs', 'scope:testing'),
  only('scope:kafka', 'scope:kafkajs', 'scope:contracts', 'scope:service', 'scope:testing'),
  { ...only('scope:clickhouse', 'scope:contracts', 'scope:service', 'scope:testing'), ...noHttp },
  { ...only('scope:push-tokens', 'scope:contracts', 'scope:service'), ...noHttp },
  { ...only('scope:messages', 'scope:contracts', 'scope:testing'), ...noHttp },
  { ...only('scope:plans', 'scope:kafka', 'scope:contracts', 'scope:testing'), ...noHttp },
  { ...only('scope:privacy', 'scope:kafka', 'scope:contracts', 'scope:service', 'scope:testing'), ...noHttp },
  { ...only('scope:sources', 'scope:kafka', 'scope:contracts', 'scope:service', 'scope:testing'), ...noHttp },
  { ...only('scope:testing', 'scope:contracts'), ...noHttp },
  { sourceTag: 'scope:console-api', onlyDependOnLibsWithTags: [], bannedExternalImports: ['*'] },
  only('scope:console-web', 'scope:console-api'),
  {
    ...only(
      'scope:operations',
      'scope:console-api',
      'scope:sources',
      'scope:plans',
      'scope:privacy',
      'scope:clickhouse',
      'scope:kafka',
      'scope:contracts',
      'scope:service',
      'scope:testing',
    ),
    ...noHttp,
  },
  only(
    'scope:console',
    'scope:operations',
    'scope:console-api',
    'scope:sources',
    'scope:plans',
    'scope:privacy',
    'scope:clickhouse',
    'scope:kafka',
    'scope:contracts',
    'scope:service',
    'scope:testing',
  ),
  only(
    'scope:gateway',
    'scope:messages',
    'scope:push-tokens',
    'scope:sources',
    'scope:plans',
    'scope:privacy',
    'scope:kafka',
    'scope:contracts',
    'scope:service',
    'scope:testing',
  ),
  {
    ...only(
      'scope:consumer',
      'scope:privacy',
      'scope:clickhouse',
      'scope:kafka',
      'scope:contracts',
      'scope:service',
      'scope:testing',
    ),
    ...noHttp,
  },
  {
    ...only(
      'scope:tracking',
      'scope:operations',
      'scope:privacy',
      'scope:clickhouse',
      'scope:kafka',
      'scope:contracts',
      'scope:service',
      'scope:testing',
    ),
    ...noHttp,
  },
  {
    ...only(
      'scope:operator',
      'scope:operations',
      'scope:messages',
      'scope:push-tokens',
      'scope:sources',
      'scope:plans',
      'scope:privacy',
      'scope:clickhouse',
      'scope:kafka',
      'scope:contracts',
      'scope:service',
      'scope:testing',
    ),
    ...noHttp,
  },
];

/** Imports of decorated classes are values: Nest reads them from the metadata of decorators. */
const parserServices = {
  emitDecoratorMetadata: true,
  experimentalDecorators: true,
  // The rule asks for these and does not use them.
  esTreeNodeToTSNodeMap: new WeakMap(),
  tsNodeToESTreeNodeMap: new WeakMap(),
};

const walls = nx.rules['enforce-module-boundaries'];
const typeImports = tseslint.rules['consistent-type-imports'];

export default {
  meta: { name: 'sluice' },
  rules: {
    walls: {
      ...walls,
      create: (context) => walls.create(Object.create(context, { options: { value: [{ depConstraints }] } })),
    },
    'consistent-type-imports': {
      ...typeImports,
      create: (context) => {
        const sourceCode = Object.create(context.sourceCode, { parserServices: { value: parserServices } });
        return typeImports.create(Object.create(context, { sourceCode: { value: sourceCode } }));
      },
    },
    'kafkajs-in-its-library': {
      meta: { type: 'problem', schema: [], messages: { deep: 'Only libs/kafkajs reaches into kafkajs.' } },
      create: (context) => ({
        Literal: (node) => {
          if (/^kafkajs\//.test(String(node.value))) context.report({ node, messageId: 'deep' });
        },
      }),
    },
  },
};
