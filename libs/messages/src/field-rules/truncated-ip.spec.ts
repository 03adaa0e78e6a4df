import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { truncateIp } from './truncated-ip.js';

it.each([
  ['203.0.113.77', '203.0.113.0'],
  ['0.0.0.0', '0.0.0.0'],
  ['::ffff:203.0.113.77', '203.0.113.0'],
  ['::FFFF:203.0.113.77', '203.0.113.0'],
  ['2001:db8:7:7::79', '2001:db8:7::'],
  ['2001:0DB8:0007:0007:0000:0000:0000:0079', '2001:db8:7::'],
  ['2001:db8::1', '2001:db8::'],
  ['2001::1', '2001::'],
  ['fe80::1%eth0', 'fe80::'],
  ['::1', '::'],
  ['::', '::'],
  ['0:0:5:1:2:3:4:5', '0:0:5::'],
  ['64:ff9b::192.0.2.1', '64:ff9b::'],
  ['::192.0.2.1', '::'],
])('%s is truncated to %s', (address, network) => expect(truncateIp(address)).toBe(network));

it.each([
  '',
  'localhost',
  '203.0.113',
  '203.0.113.256',
  '203.0.113.77:443',
  '203.0.113.77, 10.0.0.1',
  '2001:db8',
  ' ::1',
])('%j is not an address', (text) => expect(truncateIp(text)).toBeUndefined());

it('a truncated address is in the network of the address, and the same for all of it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const network = truncateIp(address) ?? '';
      const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
      const list = new BlockList();
      list.addSubnet(network, family === 'ipv4' ? 24 : 48, family);
      expect(list.check(address.replace(/^::ffff:(?=\d+\.)/, ''), family)).toBe(true);
      expect(truncateIp(network)).toBe(network);
    }),
    { numRuns: 2_000 },
  );
});
