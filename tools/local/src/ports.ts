import { freePorts, isPortFree } from '@sluice/testing';
import { ExpectedFailure } from './expected-failure.js';
import { type Settings } from './settings.js';

const defaultConsolePort = 8070;

/** Distinct ports. Every start chooses new management ports; the settings determine the others. */
export interface Ports {
  readonly gateway: number;
  readonly kafka: number;
  readonly clickhouse: number;
  readonly console: number;
  readonly management: readonly number[];
}

/** @throws ExpectedFailure that names the variable of every taken port. */
export async function choosePorts(settings: Settings, managementPorts: number): Promise<Ports> {
  const [gateway = 0, kafka = 0, clickhouse = 0, browser = 0, ...management] = await freePorts(4 + managementPorts);
  const problems: string[] = [];
  const choose = async (name: string, wanted: number, anyFree: number): Promise<number> => {
    if (wanted === 0) return anyFree;
    if (!(await isPortFree(wanted))) {
      problems.push(`Port ${wanted} is taken: set ${name} to another one, or to 0 for any free one.`);
    }
    return wanted;
  };
  const consolePort = async (anyFree: number): Promise<number> => {
    const { consolePort: wanted } = settings;
    if (wanted !== undefined) return choose('CONSOLE_PORT', wanted, anyFree);
    return (await isPortFree(defaultConsolePort)) ? defaultConsolePort : anyFree;
  };
  const ports = {
    gateway: await choose('GATEWAY_PORT', settings.gatewayPort, gateway),
    kafka: settings.kafkaBrokers ? kafka : await choose('KAFKA_PORT', settings.kafkaPort, kafka),
    clickhouse: settings.clickhouseUrl
      ? clickhouse
      : await choose('CLICKHOUSE_PORT', settings.clickhousePort, clickhouse),
    console: await consolePort(browser),
    management,
  };
  if (settings.examplePort !== undefined) await choose('EXAMPLE_PORT', settings.examplePort, 0);
  if (problems.length > 0) throw new ExpectedFailure(problems.join('\n'));
  return ports;
}
