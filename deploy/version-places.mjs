/** Files that contain the version, each with its place. tests/e2e/src/deploy/release.spec.ts compares them. */
export const places = [
  ['package.json', /("version": ")[^"]+/],
  ['deploy/Dockerfile', /(ARG VERSION=)\S+/],
  ['deploy/helm/sluice/Chart.yaml', /^(version: )\S+/m],
  ['deploy/helm/sluice/Chart.yaml', /^(appVersion: )\S+/m],
  ['docs/sdk/ios.md', /(sluice-ios", from: ")[^"]+/],
  ['docs/sdk/android.md', /(sluice-android:)[^"]+/],
  ...['node', 'react-native', 'web'].map((sdk) => [
    `docs/sdk/${sdk}.md`,
    new RegExp(`(sluice-${sdk}-)\\d+\\.\\d+\\.\\d+`),
  ]),
  ['sdks/kotlin/android/src/main/kotlin/tech/sluice/SdkVersion.kt', /(SDK_VERSION: String = ")[^"]+/],
  ['sdks/kotlin/pom.xml', /(<artifactId>sluice-kotlin<\/artifactId>\s*<version>)[^<]+/],
  ...['android', 'check', 'core'].map((module) => [
    `sdks/kotlin/${module}/pom.xml`,
    /(<artifactId>sluice-kotlin<\/artifactId><version>)[^<]+/,
  ]),
  ['sdks/swift/Sources/SluiceSDK/Sluice.swift', /(static let version = ")[^"]+/],
  ...['node', 'react-native', 'web'].map((sdk) => [`sdks/${sdk}/src/version.ts`, /(version: ')[^']+/]),
];

export const changelogs = ['node', 'react-native', 'web'].map((sdk) => `sdks/${sdk}/CHANGELOG.md`);
