import { type Kafka, RecordSnapshot } from '@sluice/kafka';
import { SuppressionReader } from '@sluice/privacy';
import { type GatewayConfig } from '../config.js';

/** Follows the suppressions; without Kafka, those of the snapshot are in force. */
export const suppressionReader = (kafka: Kafka, { GATEWAY_DATA_DIR, PRIVACY_KEY }: GatewayConfig): SuppressionReader =>
  new SuppressionReader(kafka, PRIVACY_KEY, new RecordSnapshot(GATEWAY_DATA_DIR, 'suppressions'));
