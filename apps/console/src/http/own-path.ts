/** Whether the text is a path of the console as every browser reads it: no other host, no control characters. */
export function isOwnPath(origin: string, text: string): boolean {
  // Browsers read a backslash as a slash, and leave control characters out.
  if (!text.startsWith('/') || /^\/[/\\]|[\p{Cc}\\]/u.test(text)) return false;
  return URL.canParse(text, origin) && new URL(text, origin).origin === origin;
}
