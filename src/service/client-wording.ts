/** Words of mistakes that clients make. */
import type { PipelineError } from '../../base/errors/errors.js'
import { spellReferences, typedCommand, type Spelling } from '../../base/errors/option-words.js'
import type { MistakeWording } from '../../base/errors/schema-mistakes.js'
import { formatFileKey } from '../config/option.js'

/** Clients write JSON. Their values are not repeated, because they may be secrets or hostile. */
export const ofClient = {
  from: 'json',
  isHidden: () => true,
  unknown: 'there is no such field',
} as const satisfies MistakeWording

/** Spells references for clients of the service: `model_args: {"nframes":8}`, as in the JSON of a request. */
const clientSpelling: Spelling = {
  option: (name, value) =>
    value === undefined ? formatFileKey(name) : `${formatFileKey(name)}: ${JSON.stringify(value)}`,
  command: typedCommand,
}

/** Words the problems of an error for a client of the service. */
export const clientProblems = ({ said }: Pick<PipelineError, 'said'>): readonly string[] =>
  said.map(problem => spellReferences(problem, clientSpelling))

/**
 * Removes a command of a terminal at the end of a message, which a client of the service cannot type. It looks without a pattern, because messages quote texts
 * of clients that are made to be slow to match.
 */
export function withoutCommand(text: string): string {
  const at = text.lastIndexOf('  (pipeline ')
  const isLast = at !== -1 && text.endsWith(')') && text.indexOf(')', at) === text.length - 1
  return isLast ? text.slice(0, at).trimEnd() : text
}
