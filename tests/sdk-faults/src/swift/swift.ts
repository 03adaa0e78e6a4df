import { killRun } from '../kills/kill-run.js';
import { eventsPerLife } from '../kills/arrivals.js';
import { type KillPlatform, type Program, type Statement } from '../kills/platform.js';
import { SwiftDevice, runSwift as toolchain } from './swift-device.js';

const source = { apiKey: 'key-of-the-test', sourceIdentifier: 'Source000001' };

/** Processes of the Swift SDK, whose `track` returns when the message is in a file. Their clock is the machine's. */
export const swiftPlatform: KillPlatform = {
  command: {
    name: 'swift',
    limit: 'kills',
    defaults: { limit: 5_000, duration: '10h', devices: 4 },
    devices: 'devices that live at the same time, with one or two processes each',
    // sdks/swift/Tests/Device/Mutant.swift
    mutants: ['drops-half', 'new-key', 'forgets-file', 'writes-late'],
    tailMs: 0,
  },
  // Other faults would make the device pause for longer than its processes live.
  shares: [['cut after', 2.5]],
  isCalmDrain: true,
  killsPerDrain: 50,
  maxEvents: 40,
  quietShare: 0,
  build: async ({ mutant }) => {
    await toolchain('build', '--product', 'sluice-device', '-j', '1', '-Xswiftc', '-warnings-as-errors');
    return makeProgram(mutant);
  },
};

export const swiftRun = killRun(swiftPlatform);

function makeProgram(mutant: string | undefined): Program {
  const extraArguments = mutant === undefined ? [] : [mutant];
  return {
    start: ({ host, folder, mode, life }) =>
      new SwiftDevice(mode === 'track' ? 'live' : 'drain', folder, host, source, String(life), ...extraArguments)
        .process,
    read,
    remove: () => Promise.resolve(),
  };
}

/** `took LIFE NUMBER` or `report CODE COUNT TEXT`. */
function read(line: string): Statement | undefined {
  const [verb, ...rest] = line.split(' ');
  if (verb === 'report') return { what: 'reported', text: rest.join(' ') };
  const [life, number] = rest;
  if (verb !== 'took' || number === undefined) return undefined;
  return { what: 'taken', number: Number(life) * eventsPerLife + Number(number), at: Date.now(), isWritten: true };
}
