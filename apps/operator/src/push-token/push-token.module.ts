import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { MintPushTokenCommand } from './mint-push-token.command.js';
import { OpenPushTokenCommand } from './open-push-token.command.js';
import { Sources } from '../sources/sources.js';
import { PushTokenCommand } from './push-token.command.js';

@Module({
  imports: [ConnectionModule],
  providers: [Sources, PushTokenCommand, MintPushTokenCommand, OpenPushTokenCommand],
})
export class PushTokenModule {}
