import { type SourceSetup, type SourceType } from '@sluice/console-api';

export interface SnippetInput {
  sourceIdentifier: string;
  /** The key, or a placeholder when it is not known any more. */
  apiKey: string;
  setup: SourceSetup;
}

/** Ways to send from a source of each type, the usual one first. What does not fit the type is not offered. */
const kindsByType = {
  'tracking-api': ['curl', 'node'],
  'web-sdk': ['web', 'curl'],
  'android-sdk': ['kotlin', 'react-native', 'curl'],
  'ios-sdk': ['swift', 'react-native', 'curl'],
  'catalog-api': ['product'],
} as const satisfies Record<SourceType, readonly [string, ...string[]]>;

export type SnippetKind = (typeof kindsByType)[SourceType][number];

export const listKinds = (type: SourceType): readonly [SnippetKind, ...SnippetKind[]] => kindsByType[type];

/** The kind that an address names, if it fits the type of the source. */
export const chooseKind = (type: SourceType, kindName: string | undefined): SnippetKind =>
  listKinds(type).find((kind) => kind === kindName) ?? listKinds(type)[0];

export const kindNames: Record<SnippetKind, string> = {
  curl: 'curl',
  product: 'curl',
  web: 'Web',
  node: 'Node',
  kotlin: 'Kotlin',
  swift: 'Swift',
  'react-native': 'React Native',
};

const curl = ({ apiKey, setup }: SnippetInput, path: string, body: object): string =>
  `curl -X POST ${setup.gatewayUrl}${path} \\
  -H 'Authorization: Bearer ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;

const product = {
  productId: 'product-1',
  name: 'Mug',
  categoryId: 'kitchen',
  mainImage: 'https://shop.example/mug.jpg',
  url: 'https://shop.example/mug',
  totalStock: 12,
  isAvailable: true,
};

/** Code that sends a first message, with the ids of the source in it. */
export const snippets: Record<SnippetKind, (input: SnippetInput) => string> = {
  curl: (input) =>
    curl(input, `/api/tracker/sdk/${input.sourceIdentifier}/track`, {
      userId: 'user-1',
      event: 'first_event',
      properties: { total: 49.9 },
    }),

  product: (input) => curl(input, `/api/tracker/catalog/${input.sourceIdentifier}/product`, product),

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

  swift: ({ sourceIdentifier, apiKey, setup }) => `import SluiceSDK

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

/** Stands in place of the key when it is not known any more. */
export const placeholder = 'YOUR_API_KEY';
