import { isIP, isIPv4 } from 'node:net';

const groups = 8;
const groupsKept = 3;
const mappedPrefix = /^::ffff:(?=\d+\.)/i;

/**
 * The network of an address: /24 of IPv4, /48 of IPv6. An IPv4 address that is written as IPv6 counts as IPv4.
 * @returns undefined for a text that is not an address
 */
export function truncateIp(text: string): string | undefined {
  const address = text.replace(mappedPrefix, '');
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0`;
  return isIP(address) === 6 ? truncateIpv6(address) : undefined;
}

function truncateIpv6(address: string): string {
  const [before = '', after = ''] = address.split('::');
  const [leading, trailing] = [parseGroups(before), parseGroups(after)];
  // Without `::`, no group is left out.
  const zeros = Array.from({ length: groups - leading.length - trailing.length }, () => 0);
  const network = [...leading, ...zeros, ...trailing].slice(0, groupsKept);
  while (network.at(-1) === 0) network.pop();
  return `${network.map((group) => group.toString(16)).join(':')}::`;
}

/** An address of IPv4 at the end counts as the two groups for which it stands. */
const parseGroups = (text: string): number[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : parseInt(group, 16)));
