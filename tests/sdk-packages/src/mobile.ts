import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Framework } from './frameworks.js';
import { type ProjectFiles, Project } from './tarballs.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const toolchain = join(root, 'sdks/swift/toolchain.sh');

/** The first block of a language in a guide of docs/sdk that contains a text. */
function readExample(guide: string, language: string, text: string): string {
  const page = readFileSync(join(root, 'docs/sdk', guide), 'utf8');
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))];
  const example = blocks.map(([, code = '']) => code).find((code) => code.includes(text));
  if (example === undefined) throw new Error(`docs/sdk/${guide} has no ${language} with ${text}`);
  return example;
}

/** A project with a file of the release unpacked in it. `jar` unpacks any zip, and comes with Java. */
function unpackInto(files: ProjectFiles, archive: string | undefined): Project {
  const project = new Project({}, files);
  if (archive === undefined) throw new Error('npm run release:files made no file of this SDK');
  project.run('jar', ['--extract', '--file', resolve(archive)]);
  return project;
}

interface Versions {
  readonly version: string;
  readonly kotlin: string;
  readonly framework: string;
}

/** The versions of the SDK, of Kotlin and of Android's framework that the SDK is built with. */
function readVersions(): Versions {
  const parent = readFileSync(join(root, 'sdks/kotlin/pom.xml'), 'utf8');
  const android = readFileSync(join(root, 'sdks/kotlin/android/pom.xml'), 'utf8');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const kotlin = /<kotlin.version>([^<]+)/.exec(parent)?.[1] ?? '';
  return { version, kotlin, framework: /<android.all>([^<]+)/.exec(android)?.[1] ?? '' };
}

/** An app built by Maven, because the Android Gradle plugin needs Google's SDK. Both read the same repository. */
function androidPom({ version, kotlin, framework }: Versions): string {
  const dependency = (group: string, artifact: string, details: string): string =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${details}</dependency>`;
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId><artifactId>shop</artifactId><version>1</version>
  <properties><kotlin.compiler.daemon>false</kotlin.compiler.daemon></properties>
  <repositories><repository><id>sluice</id><url>file://\${project.basedir}/sluice-maven</url></repository></repositories>
  <dependencies>
    ${dependency('tech.sluice', 'sluice-android', `<version>${version}</version><type>aar</type>`)}
    ${dependency('tech.sluice.unpacked', 'classes', '<version>1</version><scope>system</scope><systemPath>${project.basedir}/classes.jar</systemPath>')}
    ${dependency('org.robolectric', 'android-all', `<version>${framework}</version><scope>provided</scope>`)}
  </dependencies>
  <build><sourceDirectory>src</sourceDirectory><plugins><plugin>
    <groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-maven-plugin</artifactId><version>${kotlin}</version>
    <executions><execution><id>compile</id><phase>compile</phase><goals><goal>compile</goal></goals></execution></executions>
    <configuration><jvmTarget>1.8</jvmTarget></configuration>
  </plugin></plugins></build>
</project>`;
}

const android: Framework = {
  name: 'Android',
  hasTools: () => spawnSync('mvn', ['--version']).status === 0,
  try(files) {
    const versions = readVersions();
    const guide = readExample('android.md', 'kotlin', 'class ShopApp');
    const project = unpackInto({ 'pom.xml': androidPom(versions), 'src/ShopApp.kt': guide }, files['android-maven']);
    // Maven leaves an AAR off the class path, so its classes are taken out; Gradle does that itself.
    const { version } = versions;
    const aar = `sluice-maven/tech/sluice/sluice-android/${version}/sluice-android-${version}.aar`;
    project.run('jar', ['--extract', '--file', aar, 'classes.jar']);
    // A repository that this machine has not seen, so that the AAR comes out of the file.
    project.run('mvn', ['-B', '-q', '-ntp', '-C', 'dependency:purge-local-repository', '-DmanualInclude=tech.sluice']);
    project.run('mvn', ['-B', '-q', '-ntp', '-C', 'compile']);
    return project;
  },
};

const swiftManifest = `// swift-tools-version:6.0
import PackageDescription

let package = Package(
    name: "Shop",
    dependencies: [.package(path: "sluice-ios")],
    targets: [.executableTarget(name: "Shop", dependencies: [.product(name: "SluiceSDK", package: "sluice-ios")])]
)
`;

const ios: Framework = {
  name: 'iOS',
  hasTools: () => spawnSync(toolchain, ['--has']).status === 0,
  try(files) {
    const guide = readExample('ios.md', 'swift', 'sluice.track("order_completed"');
    const project = unpackInto({ 'Package.swift': swiftManifest, 'Sources/Shop/main.swift': guide }, files['ios']);
    project.run(toolchain, ['build', '-j', '2'], { SLUICE_AT: project.folder });
    return project;
  },
};

/** Apps without npm, built from files of the release. */
export const mobileApps: readonly Framework[] = [android, ios];
