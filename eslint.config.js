import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

// libs/kafkajs patches kafkajs before its first use. An import elsewhere, even of a type, or a `require` of one of its
// modules could load it unpatched.
/** @type {import('eslint').Linter.RulesRecord} */
const kafkajsOnlyInItsLibrary = {
  'no-restricted-imports': [
    'error',
    { patterns: [{ regex: '^kafkajs(/|$)', message: 'Import it from @sluice/kafkajs, which patches it.' }] },
  ],
  'no-restricted-syntax': [
    'error',
    { selector: 'Literal[value=/^kafkajs\\u002F/]', message: 'Only libs/kafkajs reaches into kafkajs.' },
  ],
};

// The table of these rules, with the reasons, is in CONTRIBUTING.md.
const only = (sourceTag, ...allowed) => ({ sourceTag, onlyDependOnLibsWithTags: allowed });
const noHttp = { bannedExternalImports: ['@nestjs/platform-*', 'fastify', 'express'] };

export default tseslint.config(
  {
    ignores: [
      '**/dist',
      '.data',
      'sdks/react-native/src/hermes/*.js',
      'sdks/web/example/*.js',
      'tools/sdk-faults/published/pages/*.js',
    ],
  },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          depConstraints: [
            only('type:app', 'type:lib'),
            only('type:lib', 'type:lib'),
            only('type:tool', 'type:lib', 'type:sdk'),
            only('type:e2e', 'type:lib', 'type:sdk', 'type:tool'),
            only('type:sdk', 'type:sdk'),
            { sourceTag: 'scope:sdk-core', onlyDependOnLibsWithTags: [], bannedExternalImports: ['*'] },
            { ...only('scope:contracts', 'scope:contracts'), ...noHttp },
            only('scope:service', 'scope:service'),
            only('scope:kafkajs', 'scope:testing'),
            only('scope:kafka', 'scope:kafkajs', 'scope:contracts', 'scope:service', 'scope:testing'),
            { ...only('scope:clickhouse', 'scope:contracts', 'scope:service', 'scope:testing'), ...noHttp },
            { ...only('scope:push-tokens', 'scope:contracts', 'scope:service'), ...noHttp },
            { ...only('scope:messages', 'scope:contracts'), ...noHttp },
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
          ],
        },
      ],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60 }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  { ignores: ['libs/kafkajs/**'], rules: kafkajsOnlyInItsLibrary },
  // An example is written as if outside this repository: it imports the SDK by its name.
  { files: ['sdks/*/example/**'], rules: { '@nx/enforce-module-boundaries': 'off' } },
  // A suite is one function with many cases: its length does not mean that it does too much.
  { files: ['**/*.spec.ts', '**/*.browser.ts'], rules: { 'max-lines-per-function': 'off' } },
  // Scripts run as they are, without a build: their types are checked by tsconfig.scripts.json, as JavaScript.
  {
    files: ['**/*.{js,mjs}'],
    extends: [tseslint.configs.disableTypeChecked],
    // TypeScript checks the globals.
    rules: { 'no-undef': 'off' },
  },
  prettier,
);
