import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import type { Stats } from './fake-openai.js'

export interface FakeOpenaiProcess {
  readonly url: string
  readonly pid: number
  stats(): Promise<Stats>
  /** Returns the log of requests in the order of arrival: the texts of the answers, unless another text was set. */
  log(): Promise<readonly string[]>
  /** Allows more answers, the waiting requests first. */
  allow(answers: number): Promise<void>
  /** Resolves when all clients have disconnected and everything that they sent is counted. */
  untilLeft(): Promise<void>
  stop(): Promise<void>
}

/** Starts the fake server in a process of its own, with the arguments of `fake-openai-main.ts`. It survives when the test kills the program. */
export async function spawnFakeOpenai(args: readonly string[] = []): Promise<FakeOpenaiProcess> {
  const main = fileURLToPath(new URL('./fake-openai-main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })
  const url = await Promise.race([
    new Promise<string>(resolve => lines.once('line', resolve)),
    exited.then(() => Promise.reject(new Error('the fake server ended before it said its address'))),
  ])
  const look = async (path: string): Promise<unknown> => (await fetch(new URL(path, url))).json()
  const stats = async () => (await look('/stats')) as Stats
  return {
    url,
    pid: child.pid ?? 0,
    stats,
    log: async () => (await look('/log')) as string[],
    async allow(more) {
      await look(`/allow/${more}`)
    },
    async untilLeft() {
      // A new connection is accepted while the server answers later requests, and is then read.
      for (let none = 0; none < 3; none += 1) if ((await stats()).open > 0) none = -1
    },
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
