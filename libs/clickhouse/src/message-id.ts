const member = Buffer.from('"message_id":"');
const uuidLength = 36;
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The message id in the bytes of a finished row; undefined when there is none. The gateway writes it before anything a
 * client chose, so the first member of that name is it; within JSON text the quotes of another would be escaped.
 */
export function messageIdOf(value: Buffer): string | undefined {
  const at = value.indexOf(member);
  if (at < 0) return undefined;
  const id = value.toString('latin1', at + member.length, at + member.length + uuidLength);
  return isUuid.test(id) ? id.toLowerCase() : undefined;
}
