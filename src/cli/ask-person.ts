import { createInterface } from 'node:readline/promises'

/** Tells whether a person sits at the terminal who can answer. */
export const isPersonThere = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/**
 * Asks a question on standard error.
 *
 * @param signal ends the question
 * @returns undefined where the input, or the question, ends without an answer
 */
export async function askPerson(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = new Promise<undefined>(resolve => lines.once('close', () => resolve(undefined)))
    const answered = lines.question(question, signal === undefined ? {} : { signal })
    return (await Promise.race([answered, ended]))?.trim()
  } catch (error) {
    if (signal?.aborted === true) return undefined
    throw error
  } finally {
    lines.close()
  }
}

/** Asks the user to confirm. Any answer other than yes means no. */
export const askToConfirm = async (question: string, signal?: AbortSignal): Promise<boolean> =>
  /^y(es)?$/i.test((await askPerson(`${question} [y/N] `, signal)) ?? '')
