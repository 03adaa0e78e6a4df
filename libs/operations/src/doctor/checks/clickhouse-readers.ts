import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { selectFrom } from '../select-rows.js';
import { describeFailure } from '../../operation-error.js';

const setting = 'optimize_use_implicit_projections';

interface ProfileElement {
  readonly user: string;
  readonly profile: string;
  readonly setting: string;
  readonly value: string;
  readonly inherited: string;
}

export const clickhouseReaders: DoctorCheck = {
  check: 'clickhouse.readers',
  tested: 'users who read have a profile with exact counts',
  run: async ({ servers, question }) => {
    const { CLICKHOUSE_DATABASE: database, CLICKHOUSE_USER: user } = question.config;
    const [server] = servers.all;
    if (!server) return well('no server');
    try {
      const readers = await selectFrom<{ name: string }>(
        server,
        `SELECT DISTINCT assumeNotNull(user_name) AS name FROM system.grants
         WHERE user_name IS NOT NULL AND access_type = 'SELECT' AND coalesce(database, {database:String}) = {database:String}
           AND is_partial_revoke = 0 AND user_name NOT IN ('default', {user:String}) ORDER BY name`,
        { database, user },
      );
      const elements = await selectFrom<ProfileElement>(
        server,
        `SELECT coalesce(user_name, '') AS user, coalesce(profile_name, '') AS profile, coalesce(setting_name, '') AS setting,
           coalesce(value, '') AS value, coalesce(inherit_profile, '') AS inherited
         FROM system.settings_profile_elements`,
      );
      const inexact = readers.filter(({ name }) => readSetting(elements, ({ user: owner }) => owner === name) !== '0');
      if (inexact.length === 0) return well(`${readers.length} users`);
      return {
        verdict: 'attention',
        found: `${setting} is not 0 for ${joinNames(inexact.map(({ name }) => name))}`,
        meaning: 'SELECT count() of these users can count rows twice; apps of Sluice set it themselves.',
        action: 'Give them the profile of docs/tables.md#a-profile-for-analysts',
      };
    } catch (error) {
      return {
        verdict: 'attention',
        found: `profiles are not shown to ${user}: ${describeFailure(error).slice(0, 100)}`,
        meaning: 'Without the profile for analysts, count() can count rows twice.',
        action: 'See that every user who reads has the profile of docs/tables.md#a-profile-for-analysts',
      };
    }
  },
};

/** The value of the setting in a profile, its own or an inherited one. */
function readSetting(
  elements: readonly ProfileElement[],
  isOwner: (element: ProfileElement) => boolean,
  depth = 5,
): string | undefined {
  const ownElements = elements.filter(isOwner);
  const direct = ownElements.find((element) => element.setting === setting);
  if (direct || depth === 0) return direct?.value;
  for (const { inherited } of ownElements) {
    const value =
      inherited === '' ? undefined : readSetting(elements, ({ profile }) => profile === inherited, depth - 1);
    if (value !== undefined) return value;
  }
  return undefined;
}
