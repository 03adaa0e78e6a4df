import { type advice } from './advice.js';

/** A situation that the overview calls a problem, as services export it in the half hour after it began. */
export interface Situation {
  /** Values of each series by minute, in the notation of promtool: `0+60x30` grows by 60 a minute for 30 minutes. */
  series: Readonly<Record<string, string>>;
  /** Alerts that fire in it within these minutes. */
  alerts: readonly string[];
  /** 30 unless it says otherwise. */
  withinMinutes?: number;
}

/** The situation behind each advice, or the reason why nobody is alerted. */
export const situations: Readonly<Record<keyof typeof advice, Situation | string>> = {
  kafkaDown: {
    series: { sluice_spool_breaker_open: '1x60', sluice_spool_drained_messages_per_second: '0x60' },
    alerts: ['PublishFailing'],
  },
  topics: {
    series: {
      'sluice_publisher_failures_total{code="UNKNOWN_TOPIC_OR_PARTITION"}': '0+60x60',
      sluice_publisher_send_duration_seconds_count: '0+600x60',
    },
    alerts: ['PublishFailing'],
  },
  clickhouseDown: {
    series: {
      'sluice_clickhouse_insert_failures_total{table="events",code="ECONNREFUSED",kind="server"}': '0+10x60',
      'sluice_consumer_oldest_waiting_seconds{topic="tracking.track.v1",partition="0"}': '0+60x60',
    },
    alerts: ['InsertsFailing', 'DataLate', 'DataBudgetBurn'],
  },
  tables: {
    series: { 'sluice_clickhouse_insert_failures_total{table="events",code="UNKNOWN_TABLE",kind="server"}': '0+10x60' },
    alerts: ['InsertsFailing'],
  },
  gatewayDown: {
    series: { 'up{job="gateway",instance="a"}': '0x60', 'up{job="gateway",instance="b"}': '1x60' },
    alerts: ['GatewayDown'],
  },
  gatewaysDown: {
    series: { 'up{job="gateway",instance="a"}': '0x60', 'up{job="gateway",instance="b"}': '0x60' },
    alerts: ['GatewayMissing', 'GatewayDown'],
  },
  spoolRefused: {
    series: { sluice_spool_refused_messages: '3x60', sluice_spool_damaged_messages: '1x60' },
    alerts: ['SpoolRefused', 'SpoolDamaged'],
  },
  spool: {
    series: { sluice_spool_messages: '500x60', sluice_spool_oldest_age_seconds: '0+60x60' },
    alerts: ['SpoolNotDraining', 'DataBudgetBurn'],
  },
  names: {
    series: { 'sluice_gateway_source_names_reached{source="Ab3dEf6hIj9k"}': '1x60' },
    alerts: ['SourceNames'],
  },
  consumerDown: {
    series: { 'up{job="tracking",instance="a"}': '0x60' },
    alerts: ['ConsumerMissing', 'DataBudgetBurn'],
  },
  // Another process of the consumer answers: the group gives it the partitions, or their messages become late.
  consumerHangs: {
    series: {
      'up{job="tracking",instance="a"}': '0x60',
      'up{job="tracking",instance="b"}': '1x60',
      'sluice_consumer_oldest_waiting_seconds{topic="tracking.track.v1",partition="0"}': '0+60x60',
    },
    alerts: ['DataLate', 'DataBudgetBurn'],
  },
  joining: {
    series: {
      'up{job="tracking",instance="a"}': '1x60',
      'sluice_consumer_assigned_partitions{topic="tracking.track.v1"}': '0x60',
      'sluice_consumer_topic_partitions{topic="tracking.track.v1"}': '12x60',
    },
    alerts: ['PartitionsUnassigned', 'DataBudgetBurn'],
  },
  noConsumer: {
    series: { 'up{job="tracking",instance="a"}': '0x60' },
    alerts: ['ConsumerMissing', 'DataBudgetBurn'],
  },
  lost: {
    series: { 'sluice_consumer_lost_offsets_total{topic="tracking.track.v1",state="waiting"}': '_x5 7x55' },
    alerts: ['RetentionTook'],
  },
  foreignView: {
    series: {
      'sluice_clickhouse_foreign_view_failing{table="events",view="analysts.totals",code="CANNOT_PARSE_TEXT"}': '1x60',
    },
    alerts: ['ForeignViewFails'],
  },
  stuck: {
    series: {
      'sluice_consumer_stuck_seconds{topic="tracking.track.v1",partition="3",what="block",code="UNKNOWN_TABLE"}':
        '0+60x60',
    },
    alerts: ['PartitionStuck'],
  },
  stuckForAMoment: {
    series: {
      'sluice_consumer_stuck_seconds{topic="tracking.track.v1",partition="3",what="block",code="no_answer"}': '0+60x60',
    },
    alerts: ['PartitionStuck'],
  },
  late: {
    series: { 'sluice_consumer_oldest_waiting_seconds{topic="tracking.track.v1",partition="0"}': '0+60x60' },
    alerts: ['DataLate', 'DataBudgetBurn'],
  },
  catchingUp: 'It ends by itself within minutes; a backlog that does not becomes `late`.',
  letters: {
    series: { 'sluice_consumer_dead_letters_total{topic="tracking.track.v1",reason="unknown contract"}': '_x20 1x40' },
    alerts: ['DeadLetters'],
  },
  sourceRefused: {
    series: { 'sluice_gateway_source_refused_total{source="Ab3dEf6hIj9k",reason="invalid_fields"}': '0+60x60' },
    alerts: ['SourceRefused'],
    withinMinutes: 40,
  },
  sourceSilent: {
    // A day with 50 messages a minute, then none.
    series: { 'sluice_gateway_source_messages_total{source="Ab3dEf6hIj9k"}': '0+50x1440 72000x1440' },
    alerts: ['SourceSilent'],
    withinMinutes: 1_440 + 100,
  },
  migrations:
    'It changes only when someone installs a version: its services do not start before their migrations are applied (ConsumerMissing), and `operator migrate` says what differs.',
  unasked: 'It is a setting of the console; Prometheus finds its processes by itself.',
  none: 'It says that nothing is known yet, and asks for nothing.',
};
