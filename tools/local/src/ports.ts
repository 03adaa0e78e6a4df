import { freePorts, isPortFree } from '@sluice/testing';
import { ExpectedFailure } from './expected-failure.js';
import { type StackSettings } from './settings.js';

const defaultConsolePort = 8070;

/** Distinct ports. Every start chooses new management ports; the settings determine the others. */
export interface StackPorts {
  readonly gateway: number;
  readonly kafka: number;
  readonly clickhouse: number;
  readonly console: number;
  readonly management: readonly number[];
}

/** @throws ExpectedFailure that names the variable of every taken port. */
export async function choosePorts(settings: StackSettings, managementPorts: number): Promise<StackPorts> {
  const [gateway = 0, kafka = 0, clickhouse = 0, consoleFreePort = 0, ...management] = await freePorts(
    4 + managementPorts,
  );
  const problems: string[] = [];
  const choose = async (name: string, requestedPort: number, freePort: number): Promise<number> => {
    if (requestedPort === 0) return freePort;
    if (!(await isPortFree(requestedPort))) {
      problems.push(`Port ${requestedPort} is taken: set ${name} to another one, or to 0 for any free one.`);
    }
    return requestedPort;
  };
  const chooseConsolePort = async (freePort: number): Promise<number> => {
    const { consolePort: requestedPort } = settings;
    if (requestedPort !== undefined) return choose('CONSOLE_PORT', requestedPort, freePort);
    return (await isPortFree(defaultConsolePort)) ? defaultConsolePort : freePort;
  };
  const ports = {
    gateway: await choose('GATEWAY_PORT', settings.gatewayPort, gateway),
    kafka: settings.kafkaBrokers ? kafka : await choose('KAFKA_PORT', settings.kafkaPort, kafka),
    clickhouse: settings.clickhouseUrl
      ? clickhouse
      : await choose('CLICKHOUSE_PORT', settings.clickhousePort, clickhouse),
    console: await chooseConsolePort(consoleFreePort),
    management,
  };
  if (settings.examplePort !== undefined) await choose('EXAMPLE_PORT', settings.examplePort, 0);
  if (problems.length > 0) throw new ExpectedFailure(problems.join('\n'));
  return ports;
}
