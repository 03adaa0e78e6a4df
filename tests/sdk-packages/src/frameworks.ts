import { nativeApp, shopOutput, shops, tsconfig, webPage } from './programs.js';
import { Project } from './tarballs.js';

type Tarballs = Readonly<Record<string, string>>;

/** An empty project of a framework, with the framework from the registry and the SDK from its tarball. */
export interface Framework {
  readonly name: string;
  /** True if this machine has the tools that the registry of npm lacks. Default: true. */
  readonly hasTools?: () => boolean;
  /** Installs, type-checks and builds. @throws Error with the output of what failed. */
  try(tarballs: Tarballs): Project;
}

const online: readonly string[] = [];
const quiet = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', EXPO_NO_TELEMETRY: '1', EXPO_OFFLINE: '1' };
const tarballPath = (tarballs: Tarballs, sdk: string): string => tarballs[sdk] ?? '';

const vite: Framework = {
  name: 'Vite',
  try(tarballs) {
    const project = new Project(
      { type: 'module' },
      {
        'index.html': '<script type="module" src="/page.ts"></script>',
        'page.ts': webPage,
        'tsconfig.json': tsconfig({ module: 'esnext', moduleResolution: 'bundler', types: [] }, ['page.ts']),
      },
    );
    project.install([tarballPath(tarballs, 'web'), 'vite', 'typescript'], online);
    project.run('npx', ['tsc', '--noEmit']);
    project.run('npx', ['vite', 'build']);
    return project;
  },
};

const nextPage = `'use client';
import { useEffect } from 'react';
import { sluice } from './sluice';
export default function Page() {
  useEffect(() => void sluice.track('page_left'), []);
  return <p>shop</p>;
}
`;
const nextRoute = `import { createClient } from '@sluice/node';
const sluice = createClient({
  credentials: { apiKey: process.env.SLUICE_API_KEY, sourceIdentifier: process.env.SLUICE_SOURCE },
  apiHost: process.env.SLUICE_HOST,
});
export function GET(): Response {
  return Response.json(sluice.track('order_completed', { total: 1 }, { userId: 'u-1' }));
}
`;

const next: Framework = {
  name: 'Next',
  try(tarballs) {
    const layout = `import { type ReactNode } from 'react';
      export default function Layout({ children }: { children: ReactNode }) {
        return <html><body>{children}</body></html>;
      }`;
    const project = new Project(
      {},
      { 'app/layout.tsx': layout, 'app/page.tsx': nextPage, 'app/sluice.ts': webPage, 'app/buy/route.ts': nextRoute },
    );
    const types = ['typescript@5', '@types/react', '@types/node'];
    project.install(
      [tarballPath(tarballs, 'web'), tarballPath(tarballs, 'node'), 'next', 'react', 'react-dom', ...types],
      online,
    );
    // `next build` checks types under strict, and renders the page on the server.
    for (const bundler of ['--turbopack', '--webpack']) project.run('npx', ['next', 'build', bundler], quiet);
    return project;
  },
};

const expo: Framework = {
  name: 'Expo',
  try(tarballs) {
    const project = new Project(
      { main: 'index.js' },
      {
        'index.js': `import { registerRootComponent } from 'expo';
          import { start } from './client';
          registerRootComponent(() => (start({}), null));`,
        'client.ts': nativeApp,
        'app.json': JSON.stringify({ expo: { name: 'shop', slug: 'shop', platforms: ['android', 'ios'] } }),
        'tsconfig.json': tsconfig({ module: 'esnext', moduleResolution: 'bundler', types: [] }, ['client.ts']),
      },
    );
    project.install([tarballPath(tarballs, 'react-native'), 'expo@56', 'typescript@5'], online);
    // The versions of React and React Native that belong to this version of Expo.
    const versions = project.node(
      '-p',
      `const { react, 'react-native': native } = require('expo/bundledNativeModules.json');
       \`react@\${react} react-native@\${native}\``,
    );
    project.install(versions.trim().split(' '), online);
    project.run('npx', ['tsc', '--noEmit']);
    const platforms = ['android', 'ios'].flatMap((platform) => ['--platform', platform]);
    project.run('npx', ['expo', 'export', '--no-bytecode', ...platforms], quiet);
    return project;
  },
};

const express: Framework = {
  name: 'Express',
  try(tarballs) {
    const options = { module: 'nodenext', types: ['node'], skipLibCheck: true, outDir: 'out' };
    const project = new Project({}, { ...shops, 'tsconfig.json': tsconfig(options, Object.keys(shops)) });
    const types = ['typescript@5', '@types/express', '@types/node'];
    project.install([tarballPath(tarballs, 'node'), 'express', ...types], online);
    project.run('npx', ['tsc']);
    for (const shop of ['out/esm.mjs', 'out/cjs.cjs']) {
      const output = project.node(shop);
      if (output !== shopOutput) throw new Error(`${shop} wrote: ${output}`);
    }
    return project;
  },
};

export const frameworks: readonly Framework[] = [vite, express, next, expo];
