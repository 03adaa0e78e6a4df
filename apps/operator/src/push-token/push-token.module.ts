import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { RegistryAccess } from '../sources/registry-access.js';
import { MintPushTokenCommand } from './mint-push-token.command.js';
import { OpenPushTokenCommand } from './open-push-token.command.js';

@Command({
  name: 'push-token',
  description: 'The tracking tokens of push notifications',
  subCommands: [MintPushTokenCommand, OpenPushTokenCommand],
})
export class PushTokenCommand extends NounCommand {}

@Module({
  imports: [ConnectionModule],
  providers: [RegistryAccess, PushTokenCommand, MintPushTokenCommand, OpenPushTokenCommand],
})
export class PushTokenModule {}
