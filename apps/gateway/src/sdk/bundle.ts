import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '@sluice/contracts';

/** Folder that `npm run build:sdk` writes; src and dist have the same path to it. It is data: no app imports an SDK. */
export const bundleFolder = fileURLToPath(new URL('../../../../sdks/web/dist/bundle/', import.meta.url));

const manifestName = 'manifest.json';
const hashedName = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+\.js$/;
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
export type Encoding = (typeof encodings)[number][0];

/** Bytes as they are sent, with the tag by which a browser asks whether they have changed. */
export interface Representation {
  bytes: Buffer;
  etag: string;
}

/** A file of the bundle in each encoding there is. */
export interface BundleFile {
  plain: Representation;
  encoded: ReadonlyMap<Encoding, Representation>;
}

export interface Bundle {
  manifest: BundleFile;
  /** Files by the names with a hash, whose bytes never change. */
  files: ReadonlyMap<string, BundleFile>;
  /** Files of this release by major version and name, such as `1/sluice.js`. */
  current: ReadonlyMap<string, BundleFile>;
}

interface Manifest {
  version: string;
  files: Record<string, { file: string; integrity: string }>;
}

/**
 * The bundle with all its bytes; undefined when none was built. Files with a hash that the manifest does not name are
 * those of earlier releases, and are served too.
 * @throws Error when the manifest is invalid, or a file is missing or differs from what the manifest describes.
 */
export async function readBundle(folder = bundleFolder): Promise<Bundle | undefined> {
  const text = await readIfThere(join(folder, manifestName));
  if (text === undefined) return undefined;
  const manifest = parseManifest(text.toString());
  const files = new Map<string, BundleFile>();
  for (const name of await readdir(folder)) {
    if (hashedName.test(name)) files.set(name, await readBundleFile(folder, name));
  }
  const [major = ''] = manifest.version.split('.');
  const current = Object.entries(manifest.files).map(([name, { file, integrity }]) => {
    const bundleFile = files.get(file);
    if (!bundleFile) throw new Error(`${file} is not there`);
    if (hashIntegrity(bundleFile.plain.bytes) !== integrity)
      throw new Error(`${file} is not what the manifest describes`);
    return [`${major}/${name}`, bundleFile] as const;
  });
  return { manifest: { plain: makeRepresentation(text), encoded: new Map() }, files, current: new Map(current) };
}

async function readBundleFile(folder: string, name: string): Promise<BundleFile> {
  const encoded = new Map<Encoding, Representation>();
  for (const [encoding, extension] of encodings) {
    const bytes = await readIfThere(join(folder, name + extension));
    if (bytes) encoded.set(encoding, makeRepresentation(bytes));
  }
  return { plain: makeRepresentation(await readFile(join(folder, name))), encoded };
}

const hashIntegrity = (bytes: Buffer): string => `sha384-${hash('sha384', bytes, 'base64')}`;

// Each encoding has bytes of its own, and so a tag of its own (RFC 9110, section 8.8.3).
const makeRepresentation = (bytes: Buffer): Representation => ({
  bytes,
  etag: `"${hash('sha256', bytes).slice(0, 32)}"`,
});

function parseManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Partial<Manifest> | null;
  const files: unknown = manifest?.files;
  const isRight =
    typeof manifest?.version === 'string' &&
    isObject(files) &&
    Object.values(files).every((entry) => areText((entry as Manifest['files'][string] | null) ?? {}));
  if (!isRight) throw new Error(`${manifestName} has no version or no files`);
  return manifest as Manifest;
}

const areText = ({ file, integrity }: Partial<Manifest['files'][string]>): boolean =>
  typeof file === 'string' && typeof integrity === 'string';

async function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}
