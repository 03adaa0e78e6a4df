// How `npx nx release` writes the version: into each package.json, into the other files that contain it,
// and into the changelogs of the SDKs, whose changes since the last release are below `## next`.
import js from '@nx/js/src/release/version-actions';
import { changelogs, places } from './version-places.mjs';

/** Called for each package; each call writes the same. */
export default class VersionActions extends js.default {
  async updateProjectVersion(tree, version) {
    for (const [file, place] of places) {
      const text = tree.read(file, 'utf8');
      if (text.search(place) < 0) throw new Error(`${file} has no version at ${place}`);
      tree.write(file, text.replace(place, `$1${version}`));
    }
    for (const file of changelogs) tree.write(file, tree.read(file, 'utf8').replace(/^## next$/m, `## ${version}`));
    return super.updateProjectVersion(tree, version);
  }
}

export const { afterAllProjectsVersioned } = js;
