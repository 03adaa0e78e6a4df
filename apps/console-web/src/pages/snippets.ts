import { type SourceSetup, type SourceType } from '@sluice/console-api';

export interface SnippetInput {
  sourceIdentifier: string;
  /** The key, or a placeholder when it is not known any more. */
  apiKey: string;
  setup: SourceSetup;
}

export const kinds = ['curl', 'web', 'node', 'kotlin', 'swift', 'react-native'] as const;
export type SnippetKind = (typeof kinds)[number];

export const isKind = (value: string | undefined): value is SnippetKind => kinds.some((one) => one === value);

export const kindNames: Record<SnippetKind, string> = {
  curl: 'curl',
  web: 'Web',
  node: 'Node',
  kotlin: 'Kotlin',
  swift: 'Swift',
  'react-native': 'React Native',
};

const firstKinds: Partial<Record<SourceType, SnippetKind>> = {
  'web-sdk': 'web',
  'android-sdk': 'kotlin',
  'ios-sdk': 'swift',
};

export const firstKind = (type: SourceType): SnippetKind => firstKinds[type] ?? 'curl';

/** Code that sends a first event, with the ids of the source in it. */
export const snippets: Record<SnippetKind, (input: SnippetInput) => string> = {
  curl: ({
    sourceIdentifier,
    apiKey,
    setup,
  }) => `curl -X POST ${setup.gatewayUrl}/api/tracker/sdk/${sourceIdentifier}/track \\
  -H 'Authorization: Bearer ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"userId":"user-1","event":"first_event","properties":{"total":49.9}}'`,

  web: ({ sourceIdentifier, apiKey, setup }) => `<script
  src="${setup.scriptUrl}"
  data-api-key="${apiKey}"
  data-source-identifier="${sourceIdentifier}"
></script>
<script>
  sluice.track('first_event', { total: 49.9 });
</script>`,

  node: ({ sourceIdentifier, apiKey, setup }) => `import { createClient } from '@sluice/node';

const sluice = createClient({
  credentials: {
    apiKey: '${apiKey}',
    sourceIdentifier: '${sourceIdentifier}',
  },
  apiHost: '${setup.gatewayUrl}',
});
sluice.track('first_event', { total: 49.9 }, { userId: 'user-1' });
await sluice.flush();`,

  kotlin: ({ sourceIdentifier, apiKey, setup }) => `class ShopApp : Application() {
    override fun onCreate() {
        super.onCreate()
        val sluice = Sluice.create(
            this,
            Configuration(
                "${apiKey}",
                "${sourceIdentifier}",
                "${setup.gatewayUrl}",
            ) {},
        )
        sluice.track("first_event", "total" to 49.9)
    }
}`,

  swift: ({ sourceIdentifier, apiKey, setup }) => `import Sluice

let sluice = Sluice(
  Configuration(
    apiKey: "${apiKey}",
    sourceIdentifier: "${sourceIdentifier}",
    apiHost: "${setup.gatewayUrl}"))

sluice.track("first_event", ["total": 49.9])`,

  'react-native': ({
    sourceIdentifier,
    apiKey,
    setup,
  }) => `import { createClient, mmkvStorage } from '@sluice/react-native';
import { createMMKV } from 'react-native-mmkv';

const credentials = {
  apiKey: '${apiKey}',
  sourceIdentifier: '${sourceIdentifier}',
};
export const sluice = createClient({
  android: credentials,
  ios: credentials,
  apiHost: '${setup.gatewayUrl}',
  packageName: 'com.example.shop',
  storage: mmkvStorage(createMMKV({ id: 'sluice' })),
});
sluice.track('first_event', { total: 49.9 });`,
};

/** Stands where the key belongs once nobody knows it any more. */
export const placeholder = 'YOUR_API_KEY';
