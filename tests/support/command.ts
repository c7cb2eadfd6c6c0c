import { Command } from 'commander'
import type { DefineCommand, Tools } from '../../src/cli/command.js'
import { plain } from '../../src/present/text/layout/paint.js'

/** What a command printed. */
export interface Printed {
  /** The lines for people. */
  readonly text: string
  /** The data for programs. */
  readonly data: string
  /** The notes on standard error. */
  readonly told: string
}

/** Runs a command in this process, and collects what it prints. */
export async function runCommand(
  define: DefineCommand,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Printed> {
  const [text, data, told]: [string[], string[], string[]] = [[], [], []]
  const terminal = {
    print: (lines: string | readonly string[]) => void text.push(...[lines].flat()),
    printData: (line: string) => void data.push(line),
    tell: (line: string) => void told.push(line),
    mask: () => undefined,
    paint: { out: plain, err: plain },
  }
  const command = new Command().exitOverride()
  define(command, { terminal, env, words: [], folder: {} } as unknown as Tools, () => undefined)
  await command.parseAsync(words, { from: 'user' })
  return { text: text.join('\n'), data: data.join('\n'), told: told.join('\n') }
}
