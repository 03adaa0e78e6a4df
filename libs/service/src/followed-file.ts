import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';

const logger = new Logger('Files');

/**
 * A file that may be replaced while the process runs, such as a certificate that is renewed. Each use reads it again;
 * while it cannot be read, the content that was read last is used.
 */
export class FollowedFile {
  private lastContent: string;

  /** @throws the file system's error when the file cannot be read. */
  constructor(readonly path: string) {
    this.lastContent = readContent(path);
  }

  /** The content, without the newline at its end. */
  get content(): string {
    try {
      const content = readContent(this.path);
      if (content !== this.lastContent)
        logger.log({ msg: 'a file has changed, its new content is used', path: this.path });
      this.lastContent = content;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      logger.warn({ msg: 'a file cannot be read, its former content is used', path: this.path, error: code });
    }
    return this.lastContent;
  }
}

const readContent = (path: string): string => readFileSync(path, 'utf8').replace(/\r?\n$/, '');
