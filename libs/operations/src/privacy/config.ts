import { list, num } from '@sluice/service';

/** Variables of the processes that erase and export people. */
export const erasureVariables = {
  PRIVACY_AD_REQUEST_PATHS: list({
    default: [] as string[],
    desc: 'Paths within the body of an ad request at which the id of a person stands. Without them, rows of ad_requests cannot be found: keep them for at most 30 days (TABLE_TTL_DAYS)',
    example: 'user.id,device.ifa',
  }),
  PRIVACY_VERIFY_AFTER_SECONDS: num({
    default: 130,
    desc: 'Seconds after which nothing that was under way when a person was suppressed can be stored any more: an erasure is verified after them. An INSERT may take 120',
  }),
  PRIVACY_BACKUP_DAYS: num({
    default: 30,
    desc: 'Days for which a backup of ClickHouse is kept: an erasure stays open until backups with the person are gone',
  }),
};
