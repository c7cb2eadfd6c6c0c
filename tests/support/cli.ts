import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const bin = join(root, 'dist/src/cli/bin.js')

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  /** Returns what the process has written to standard error so far. */
  readonly told: () => string
  /** Returns what the process has written to standard output so far. */
  readonly printed: () => string
  readonly ended: Promise<Ended>
}

interface Told extends Ended {
  readonly line: string
}

let recent: Told[] = []

/** Returns the processes that ended since the last call. */
export function endedSinceAsked(): readonly Told[] {
  const ended = recent
  recent = []
  return ended
}

/** Starts the built program as a user would. Variables of the test's environment that change its behaviour are removed. */
export function startCli(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Started {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd ?? root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: process.env['TMPDIR'],
      NO_COLOR: '1',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]) => {
    const end = { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
    recent.push({ line: args.join(' '), ...end })
    return end
  })
  return { child, told: () => stderr, printed: () => stdout, ended }
}

/** Runs the built program until it exits. */
export const runCli = (args: readonly string[], options?: Parameters<typeof startCli>[1]): Promise<Ended> =>
  startCli(args, options).ended
