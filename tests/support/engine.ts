import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { runCli, startCli, type Ended, type Started } from './cli.js'
import { isRunning, killIfRunning } from './processes.js'
import { temporaryFolder } from './store.js'
import { writeTextTask } from './text-task.js'

const standIn = join(import.meta.dirname, 'fake-engine.mjs')

/** The behaviour of the stand-in, see `fake-engine.mjs`. */
export interface Behaviour {
  readonly loadMs?: number
  readonly dieAtStart?: string
  readonly dieAfter?: number
  readonly ignoreTerm?: boolean
  readonly grandchild?: 'in the group' | 'apart'
  readonly say?: readonly string[]
  readonly answerMs?: number
}

/** An entry of the stand-in's journal: its command line, or a request. */
export type JournalEntry = { readonly pid: number } & (
  | { readonly type: 'started'; readonly args: readonly string[]; readonly variables: readonly string[] }
  | { readonly type: 'grandchild'; readonly grandchild: number }
  | { readonly type: 'asked'; readonly url: string; readonly body: Readonly<Record<string, unknown>> }
)

export interface Engines {
  readonly folder: string
  readonly store: string
  /** The flags that evaluate the task, except those of the model. */
  readonly line: readonly string[]
  env(behaviour?: Behaviour, more?: Readonly<Record<string, string>>): NodeJS.ProcessEnv
  run(args: readonly string[], behaviour?: Behaviour, more?: Readonly<Record<string, string>>): Promise<Ended>
  start(args: readonly string[], behaviour?: Behaviour): Started
  journal(): readonly JournalEntry[]
  /** Resolves when the journal has entries that `has` accepts. */
  until(has: (entries: readonly JournalEntry[]) => boolean): Promise<void>
  /** Returns the running processes of the stand-in and their children. */
  alive(): readonly number[]
  /** Resolves when none of them runs any more. */
  untilGone(): Promise<void>
  /** Returns the log of the engine that was started last. */
  log(): string
}

/** Creates a folder with a task of `docs` questions, and a `PATH` on which the stand-in has the names of all engines. */
export async function engines(docs = 12): Promise<Engines> {
  const folder = await temporaryFolder()
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await chmod(standIn, 0o755)
  for (const name of ['vllm', 'lmdeploy', 'llama-server', 'ollama', 'python3']) await symlink(standIn, join(bin, name))
  const task = await writeTextTask(join(folder, 'task'), docs)
  const store = join(folder, 'store')
  const file = join(folder, 'journal.jsonl')
  const line = ['eval', '--tasks', task, '--store', store]
  const env: Engines['env'] = (behaviour = {}, more = {}) => ({
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    FAKE_ENGINE: JSON.stringify({ ...behaviour, journal: file }),
    ...more,
  })
  const journal = (): JournalEntry[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(text => text !== '')
          .map(text => JSON.parse(text) as JournalEntry)
      : []
  const alive = (): number[] =>
    [
      ...new Set(
        journal().flatMap(entry => (entry.type === 'grandchild' ? [entry.pid, entry.grandchild] : [entry.pid])),
      ),
    ].filter(isRunning)
  onTestFinished(() => alive().forEach(killIfRunning))
  return {
    folder,
    store,
    line,
    env,
    run: (args, behaviour, more) => runCli([...line, ...args], { env: env(behaviour, more) }),
    start: (args, behaviour) => startCli([...line, ...args], { env: env(behaviour) }),
    journal,
    async until(has) {
      while (!has(journal())) await sleep(5)
    },
    alive,
    async untilGone() {
      while (alive().length > 0) await sleep(5)
    },
    log: () => {
      const logs = join(store, 'logs')
      return readFileSync(join(logs, readdirSync(logs).at(-1) ?? ''), 'utf8')
    },
  }
}
