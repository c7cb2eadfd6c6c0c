import { createInterface } from 'node:readline/promises'

/** Tells whether a person sits at the terminal who can answer. */
export const isPersonThere = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** Asks a question on standard error. @returns undefined where the input ends without an answer */
export async function askPerson(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = new Promise<undefined>(resolve => lines.once('close', () => resolve(undefined)))
    return (await Promise.race([lines.question(question), ended]))?.trim()
  } finally {
    lines.close()
  }
}

/** Asks for a yes. Anything else is a no. */
export const askToConfirm = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await askPerson(`${question} [y/N] `)) ?? '')
