import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

interface WrittenManifest {
  version: string;
  files: Record<string, { file: string; integrity: string; bytes: number; gzip: number }>;
}

/** Writes a bundle of these scripts, as the build of the Web SDK does. */
export async function writeBundle(
  folder: string,
  version: string,
  scripts: Readonly<Record<string, string>>,
): Promise<WrittenManifest> {
  const files: WrittenManifest['files'] = {};
  for (const [name, script] of Object.entries(scripts)) {
    const file = name.replace('.js', `.${hash('sha256', script).slice(0, 8)}.js`);
    const gzip = gzipSync(script);
    await writeFile(join(folder, file), script);
    await writeFile(join(folder, `${file}.gz`), gzip);
    await writeFile(join(folder, `${file}.br`), brotliCompressSync(script));
    const integrity = `sha384-${hash('sha384', script, 'base64')}`;
    files[name] = { file, integrity, bytes: Buffer.byteLength(script), gzip: gzip.length };
  }
  const manifest = { version, files };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return manifest;
}
