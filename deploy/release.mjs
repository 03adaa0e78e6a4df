// How `npx nx release` writes the version: into each package.json, and into the texts that say it again.
import js from '@nx/js/src/release/version-actions';
import { places } from './version-places.mjs';

/** Called for each package; each call writes the same. */
export default class VersionActions extends js.default {
  async updateProjectVersion(tree, version) {
    for (const [file, place] of places) {
      const text = tree.read(file, 'utf8');
      if (!place.test(text)) throw new Error(`${file} has no version at ${place}`);
      tree.write(file, text.replace(place, `$1${version}`));
    }
    return super.updateProjectVersion(tree, version);
  }
}

export const { afterAllProjectsVersioned } = js;
