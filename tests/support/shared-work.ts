import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from './cli.js'
import { between } from './seeded.js'
import type { spawnFakeOpenai } from './fake-openai-process.js'

/** Waits until something is so, while a process runs. */
export async function until({ child, ended }: Started, isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReached())) {
    if (child.exitCode !== null) throw new Error(`ended too early: ${(await ended).stderr}`)
    await sleep(5)
  }
}

interface SharedWork {
  readonly server: Pick<Awaited<ReturnType<typeof spawnFakeOpenai>>, 'allow'>
  /** Counts the answers in the store. */
  readonly answers: () => number
  /** Starts a process in the place of a killed one. */
  readonly start: () => Started
  /** Chooses victims and moments. @default each process in its turn, after five answers */
  readonly random?: () => number
}

/** Kills processes, each time with requests in flight, and starts another in the place of each. */
export async function killInTurn(
  processes: Started[],
  times: number,
  { server, answers, start, random }: SharedWork,
): Promise<void> {
  for (let kill = 0; kill < times; kill++) {
    const before = answers()
    await server.allow(20)
    const at = random === undefined ? kill % processes.length : between(random, 0, processes.length - 1)
    const victim = processes[at]!
    const more = random === undefined ? 5 : between(random, 0, 15)
    await until(victim, () => answers() > before + more)
    victim.child.kill('SIGKILL')
    await victim.ended
    processes[at] = start()
  }
}
