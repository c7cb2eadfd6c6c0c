import { PipelineError } from '../../base/errors/errors.js'
import { spellReferences } from '../../base/errors/option-words.js'
import { commandLine } from '../../src/cli/command-line-words.js'

/** A text as the command line shows it. */
export const typed = (text: string): string => spellReferences(text, commandLine)

/** The PipelineError that something is refused with. */
export async function refusal(refused: Promise<unknown>): Promise<PipelineError> {
  const error: unknown = await refused.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  )
  if (error instanceof PipelineError) return error
  throw error instanceof Error ? error : new Error(String(error))
}

/** The same as the command line shows it. */
export const typedRefusal = async (refused: Promise<unknown>): Promise<string> =>
  typed((await refusal(refused)).said.join('\n'))
