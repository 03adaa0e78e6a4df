import { CreateSourceCommand } from './create-source.command.js';
import { DisableSourceCommand } from './disable-source.command.js';
import { EnableSourceCommand } from './enable-source.command.js';
import { LimitSourceCommand } from './limit-source.command.js';
import { ListSourcesCommand } from './list-sources.command.js';
import { RestrictSourceCommand } from './restrict-source.command.js';
import { RevokeKeyCommand } from './revoke-key.command.js';
import { RotateKeyCommand } from './rotate-key.command.js';
import { ShowSourceCommand } from './show-source.command.js';

/** What the noun `sources` can do, in the order in which help lists it. */
export const sourcesCommands = [
  CreateSourceCommand,
  ListSourcesCommand,
  ShowSourceCommand,
  RotateKeyCommand,
  RevokeKeyCommand,
  DisableSourceCommand,
  EnableSourceCommand,
  LimitSourceCommand,
  RestrictSourceCommand,
] as const;
