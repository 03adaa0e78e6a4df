import { execFile } from 'node:child_process';
import { appendFile, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MissingToolError } from './missing-tool-error.js';

const run = promisify(execFile);

/** PEM files of a new authority and of the certificates it signed. */
export interface TlsFiles {
  readonly ca: string;
  /** Key and certificate of a server at 127.0.0.1 in one file, the format that Kafka needs. */
  readonly server: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

/** Makes the files with openssl, valid for a day. */
export async function makeTlsFiles(folder: string): Promise<TlsFiles> {
  await run('openssl', ['version']).catch(() => {
    throw new MissingToolError('Tests of TLS need openssl on the PATH: install it (`apt-get install openssl`).');
  });
  const ca = join(folder, 'ca.pem');
  const caKey = join(folder, 'ca.key');
  await newKey(['-x509', '-days', '1', '-subj', '/CN=test authority', '-keyout', caKey, '-out', ca]);
  const sign = async (name: string, extension: string) => {
    const filePath = (type: string): string => join(folder, `${name}.${type}`);
    const [key, request, cert, extensions] = [filePath('key'), filePath('csr'), filePath('pem'), filePath('ext')];
    await writeFile(extensions, extension);
    await newKey(['-subj', `/CN=${name}`, '-keyout', key, '-out', request]);
    const issuer = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '1', '-extfile', extensions];
    await run('openssl', ['x509', '-req', '-in', request, '-out', cert, ...issuer]);
    return { key, cert };
  };
  const server = await sign('server', 'subjectAltName=IP:127.0.0.1');
  const client = await sign('client', 'extendedKeyUsage=clientAuth');
  const bundle = join(folder, 'server-bundle.pem');
  await copyFile(server.key, bundle);
  await appendFile(bundle, await readFile(server.cert));
  return { ca, server: bundle, clientCert: client.cert, clientKey: client.key };
}

const newKey = (args: readonly string[]) =>
  run('openssl', ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...args]);
