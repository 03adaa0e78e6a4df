import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasSwift, swiftAt } from '@sluice/sdk-faults';

const minutes = 60_000;
const release = fileURLToPath(new URL('../../../../../sdks/swift/release', import.meta.url));
const run = promisify(execFile);

const exported = async (folder: string, ...version: string[]) =>
  (await run('node', [join(release, 'export.mjs'), folder, ...version])).stdout;

/** An app whose own types have the names of the SDK's. */
const app = `import SluiceNotifications
import SluiceSDK

struct Configuration { let theme = "dark" }
struct Message {}
enum Consent { case asked }
typealias Plugin = String

let given = SluiceSDK.Configuration(apiKey: "", sourceIdentifier: "s", apiHost: "h") {
    $0.consent = SluiceSDK.Consent.pending
    $0.plugins = [{ (message: SluiceSDK.Message) in message }]
    $0.errorHandler = { print("report \\($0.code.rawValue)") }
}
let sluice: Sluice = Sluice(given)
print("took \\(sluice.track("e")), version \\(Sluice.version), theme \\(Configuration().theme)")
`;

const manifest = (version: string) => `// swift-tools-version:6.0
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(url: "file://\\(Context.packageDirectory)/../sluice-ios", exact: "${version}")],
    targets: [
        .executableTarget(name: "App", dependencies: [
            .product(name: "SluiceSDK", package: "sluice-ios"),
            .product(name: "SluiceNotifications", package: "sluice-ios"),
        ]),
    ]
)
`;

describe('the published repository of the iOS SDK', () => {
  it('has the package in its root, and publishes a version only once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-ios-'));
    try {
      await exported(folder);
      const git = async (...args: string[]) => (await run('git', ['-C', folder, ...args])).stdout.trim().split('\n');
      const version = (await git('tag')).join();
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      const files = await git('ls-tree', '-r', '--name-only', version);
      expect(files).toEqual(
        expect.arrayContaining(['Package.swift', 'LICENSE', 'README.md', 'GUIDE.md', 'xcframework.sh']),
      );
      for (const product of ['SluiceSDK', 'SluiceNotifications'])
        expect(files).toContain(`Sources/${product}/PrivacyInfo.xcprivacy`);
      expect(files.filter((file) => /Tests|Stubs|toolchain/.test(file))).toEqual([]);
      await expect(exported(folder)).rejects.toThrow('published already');
      await expect(exported(folder, '99.0.0')).rejects.toThrow('not 99.0.0');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(!hasSwift())(
    'is resolved by its URL and tag, and used by an app with types of the same names',
    { timeout: 5 * minutes },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sluice-consumer-'));
      try {
        const version = /iOS (\S+)/.exec(await exported(join(folder, 'sluice-ios')))?.[1] ?? '';
        const consumer = join(folder, 'consumer');
        await mkdir(join(consumer, 'Sources/App'), { recursive: true });
        await writeFile(join(consumer, 'Package.swift'), manifest(version));
        await writeFile(join(consumer, 'Sources/App/main.swift'), app);
        const output = await swiftAt(consumer, 'run', '-j', '1', 'App');
        expect(output).toContain('report disabled');
        expect(output).toContain(`took false, version ${version}, theme dark`);
        const resolved = JSON.parse(await readFile(join(consumer, 'Package.resolved'), 'utf8')) as {
          pins: { identity: string; state: { version: string } }[];
        };
        expect(resolved.pins).toMatchObject([{ identity: 'sluice-ios', state: { version } }]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
