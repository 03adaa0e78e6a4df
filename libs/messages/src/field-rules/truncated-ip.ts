import { isIP, isIPv4 } from 'node:net';

const groups = 8;
const groupsKept = 3;
const mapped = /^::ffff:(?=\d+\.)/i;

/**
 * The network of an address: /24 of IPv4, /48 of IPv6. An IPv4 address that is written as IPv6 counts as IPv4.
 * @returns undefined for a text that is not an address
 */
export function truncatedIp(text: string): string | undefined {
  const address = text.replace(mapped, '');
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0`;
  return isIP(address) === 6 ? networkOf(address) : undefined;
}

function networkOf(address: string): string {
  const [before = '', after = ''] = address.split('::');
  const [left, right] = [groupsOf(before), groupsOf(after)];
  // Without `::`, no group is left out.
  const zeros = Array.from({ length: groups - left.length - right.length }, () => 0);
  const kept = [...left, ...zeros, ...right].slice(0, groupsKept);
  while (kept.at(-1) === 0) kept.pop();
  return `${kept.map((group) => group.toString(16)).join(':')}::`;
}

/** An address of IPv4 at the end counts as the two groups for which it stands. */
const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : parseInt(group, 16)));
