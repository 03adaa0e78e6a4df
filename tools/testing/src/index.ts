export { type App, type AppOptions, appSpec, isOk, type RunningApp, runOperator, spawnApp, startApp } from './app.js';
export { launchChromium, launchPersistent, rendererIds, shippedChromium } from './browser/chromium.js';
export { catalogCases, type EntityCases } from './catalog/entity-cases.js';
export {
  keyedId,
  makeVariantLog,
  readVariantModel,
  toVariantRow,
  unkeyedId,
  type VariantMessage,
} from './catalog/variant-log.js';
export { hasNewerClickHouse } from './clickhouse/newer-clickhouse.js';
export {
  type ClickHouseOptions,
  type ClickHouseRelease,
  type ClickHouseUser,
  prepareClickHouse,
  type PreparedClickHouse,
} from './clickhouse/prepare-clickhouse.js';
export { removeReplacedPartsAtOnce } from './clickhouse/remove-replaced-parts.js';
export { type RunningClickHouse, startClickHouse, type StartClickHouseOptions } from './clickhouse/start-clickhouse.js';
export { ConsolePerson } from './console-person.js';
export { eventually } from './eventually.js';
export { freePort, freePorts, isPortFree } from './free-port.js';
export { type KafkaOptions, prepareKafka, type PreparedKafka } from './kafka/prepare-kafka.js';
export { type Local, LocalStack, sendTo } from './local-stack.js';
export { fromMaven, fromNpm, fromPyPi, hasProgram, installOnce, runProgram } from './installed.js';
export { type Listener } from './kafka/listener.js';
export { type RunningKafka, startKafka, type StartKafkaOptions } from './kafka/start-kafka.js';
export {
  type FieldForm,
  fieldForms,
  maxRuledNames,
  messageWith,
  messageWrappings,
  pathOfField,
  type RuledField,
  ruledBags,
  ruledNames,
  type WrappedMessage,
} from './messages/ruled-field.js';
export { type DocumentedMetric, documentedMetrics, exportedMetrics } from './metrics/documented-metrics.js';
export { MissingToolError } from './missing-tool-error.js';
export { logTail } from './server/log-tail.js';
export { ServerProcess } from './server/server-process.js';
export { type ServerSpec } from './server/server-spec.js';
export { ServerStartError } from './server/server-start-error.js';
export { signalGroup } from './server/signal-group.js';
export { Random } from './random.js';
export { Rooms } from './rooms.js';
export { spellMember, spellText } from './spelled-json.js';
export { type RunningServers } from './running-servers.js';
export { findSqlExamples } from './sql-examples.js';
export { startTestServers } from './test-servers.js';
export { makeTlsFiles, type TlsFiles } from './tls-files.js';
