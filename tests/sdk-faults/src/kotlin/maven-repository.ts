import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kotlinModule } from './class-path.js';

/** The Android SDK as release/repository.mjs lays it out and signs it, under a version that no machine knows. */
export class MavenRepository {
  /** False on a machine without GnuPG. */
  readonly isSigned = spawnSync('gpg', ['--version']).status === 0;
  readonly version = `0.0.1-test-${Date.now()}`;
  private readonly work = mkdtempSync(join(tmpdir(), 'sluice-repository-'));
  private readonly root = join(this.work, 'repository');
  private readonly place = join(this.root, 'tech/sluice/sluice-android', this.version);
  private readonly env = { ...process.env, GNUPGHOME: join(this.work, 'gpg') };

  constructor() {
    if (!this.isSigned && process.env['CI'] === 'true') throw new Error('gpg is missing');
    mkdirSync(join(this.work, 'gpg'), { mode: 0o700 });
    if (this.isSigned) this.gpg('--passphrase', '', '--quick-generate-key', 'release@sluice.test');
    const script = join(kotlinModule, 'release/repository.mjs');
    const sign = this.isSigned ? ['--sign'] : [];
    execFileSync('node', [script, this.root, '--version', this.version, ...sign], { env: this.env });
  }

  files(): string[] {
    return readdirSync(this.place).sort();
  }

  read(file: string): Buffer {
    return readFileSync(join(this.place, file));
  }

  /** @throws Error if the signature of the file does not hold */
  verify(file: string): void {
    this.gpg('--verify', join(this.place, `${file}.asc`), join(this.place, file));
  }

  /** Names in a jar. */
  namesIn(file: string): string {
    return execFileSync('jar', ['--list', '--file', join(this.place, file)]).toString();
  }

  /** Files that an app gets by the coordinates, resolved by Maven with strict checksums. */
  resolved(): string[] {
    writeFileSync(join(this.work, 'pom.xml'), makePom(this.root, this.version));
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies';
    const folder = join(this.work, 'lib');
    execFileSync('mvn', [
      '-B',
      '-ntp',
      '-q',
      '-C',
      '-f',
      join(this.work, 'pom.xml'),
      copy,
      `-DoutputDirectory=${folder}`,
    ]);
    return readdirSync(folder).sort();
  }

  /** Removes the repository, and what Maven has copied of it. */
  remove(): void {
    rmSync(this.work, { recursive: true, force: true });
    const home = execFileSync('mvn', ['help:evaluate', '-q', '-DforceStdout', '-Dexpression=settings.localRepository']);
    rmSync(join(home.toString().trim(), 'tech/sluice/sluice-android', this.version), { recursive: true, force: true });
  }

  private gpg(...args: string[]): void {
    execFileSync('gpg', ['--batch', '--quiet', ...args], { env: this.env, stdio: 'ignore' });
  }
}

const makePom = (root: string, version: string): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId><artifactId>shop</artifactId><version>1</version>
  <repositories><repository><id>sluice</id><url>file://${root}</url></repository></repositories>
  <dependencies><dependency><groupId>tech.sluice</groupId><artifactId>sluice-android</artifactId><version>${version}</version><type>aar</type></dependency></dependencies>
</project>`;
