import { Agent, type RequestOptions } from 'node:https';
import { type Duplex } from 'node:stream';
import { type FollowedFile } from '@sluice/service';

interface TlsFiles {
  readonly ca: FollowedFile;
  readonly cert: FollowedFile | undefined;
  readonly key: FollowedFile | undefined;
}

/** Opens each TLS connection with the current content of the files: a renewed certificate needs no restart. */
export class FollowingAgent extends Agent {
  constructor(
    private readonly files: TlsFiles,
    maxSockets: number,
  ) {
    // A resumed session would keep the identity of the certificate with which it began.
    super({ keepAlive: true, maxSockets, maxCachedSessions: 0 });
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { ca, cert, key } = this.files;
    const contents = {
      ca: ca.content,
      ...(cert && key && { cert: cert.content, key: key.content }),
    };
    return super.createConnection({ ...options, ...contents }, callback);
  }
}
