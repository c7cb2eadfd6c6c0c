import { formatClientValue } from './job-policy.js'

/**
 * Rejects a system instruction that is written like a path. The command line accepts a text or a file, a job only a text. The check does not look for
 * the file, so that it does not reveal whether the file exists.
 */
export function systemProblem(text: unknown): readonly string[] {
  if (typeof text !== 'string' || !isWrittenAsPath(text)) return []
  return [`system_instruction: ${formatClientValue(text)} is written like a path; a job gives the text itself`]
}

/** Written like a path on one line: `/a b`, `~/a`, `./a`, `a/../b`, and without white space `a/b` and `a.txt`. */
const isWrittenAsPath = (text: string): boolean =>
  !text.includes('\n') &&
  (/^([/~\\]|\.\.?([\\/]|$)|[a-z]:[\\/])|(^|[\\/])\.\.([\\/]|$)/i.test(text) ||
    // Two patterns, because the time of one for both would grow with the square of the length.
    (!/\s/.test(text) && /[\\/]|\.\w/.test(text)))
