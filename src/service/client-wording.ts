/** Words of mistakes that clients make. */
import type { MistakeWording } from '../../base/errors/schema-mistakes.js'

/** Clients write JSON. Their values are not repeated, because they may be secrets or hostile. */
export const ofClient = {
  from: 'json',
  isHidden: () => true,
  unknown: 'there is no such field',
} as const satisfies MistakeWording

/**
 * Removes a command of a terminal at the end of a message, which a client of the service cannot type. It looks without a pattern, because messages quote texts
 * of clients that are made to be slow to match.
 */
export function withoutCommand(text: string): string {
  const at = text.lastIndexOf('  (pipeline ')
  const isLast = at !== -1 && text.endsWith(')') && text.indexOf(')', at) === text.length - 1
  return isLast ? text.slice(0, at).trimEnd() : text
}
