import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import type { Stats } from './fake-openai.js'

export interface FakeOpenaiProcess {
  readonly url: string
  readonly pid: number
  stats(): Promise<Stats>
  /** What was asked, in the order of arrival: by the texts of the answers, unless another text was set. */
  log(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** The fake server in a process of its own, with the arguments of `fake-openai-main.ts`: it outlives whoever is killed. */
export async function spawnFakeOpenai(args: readonly string[] = []): Promise<FakeOpenaiProcess> {
  const main = fileURLToPath(new URL('./fake-openai-main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })
  const url = await Promise.race([
    new Promise<string>(resolve => lines.once('line', resolve)),
    exited.then(() => Promise.reject(new Error('the fake server ended before it said its address'))),
  ])
  return {
    url,
    pid: child.pid ?? 0,
    stats: async () => (await (await fetch(new URL('/stats', url))).json()) as Stats,
    log: async () => (await (await fetch(new URL('/log', url))).json()) as string[],
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
