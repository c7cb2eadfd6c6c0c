import { explainedError, openStore, type Access, type LockListener } from '../../cache/open.js'
import type { Judgement, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { PipelineError } from '../../base/errors.js'
import { surroundings } from '../config/eval-settings.js'
import type { Tools } from './command-table.js'
import { findRun } from '../evaluation/run-reference.js'
import type { Terminal } from './display/terminal.js'

/** Where the store is, by flag or environment. */
export const storeDir = (flags: { readonly store?: string }, { env }: Tools): string =>
  surroundings(flags, {}, env).store

/** A store, and the terminal on which is told where another process keeps it locked. */
export interface StorePlace {
  readonly dir: string
  readonly terminal: Terminal
}

/** The store of a command. */
export const storePlace = (flags: { readonly store?: string }, tools: Tools): StorePlace => ({
  dir: storeDir(flags, tools),
  terminal: tools.terminal,
})

/** Opens the store for as long as `work` takes. */
export async function withOpenStore<T>(
  { dir, terminal }: StorePlace,
  access: Access,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  const store = await openStore(dir, { access, waiting: waitingOn(terminal) })
  try {
    return await work(store)
  } catch (error) {
    throw await explainedError(dir, error)
  } finally {
    await store.close()
  }
}

export const waitingOn = (terminal: Terminal): LockListener => ({
  tell: line => {
    terminal.tell(line)
  },
})

/** A run of the store, with the judgement that is meant: the one that the reference names, else the newest finished. */
export interface OpenedRun {
  readonly run: Run
  readonly judgement?: Judgement
}

/** @throws PipelineError where the reference names no run, or a judgement that there is not. */
export async function openRun(store: Store, reference: string): Promise<OpenedRun> {
  const { run, judgement: number } = findRun(reference, await store.runs.list())
  const judgements = await store.judgements.list(run)
  if (number === undefined) {
    const newest = judgements.findLast(({ finishedAt }) => finishedAt !== undefined)
    return { run, ...(newest && { judgement: newest }) }
  }
  const judgement = judgements.find(one => one.number === number)
  if (judgement !== undefined) return { run, judgement }
  const there = judgements.map(one => `@${one.number}`).join(', ')
  throw new PipelineError(
    'usage',
    `${run.name} has no judgement @${number}; it has ${there === '' ? 'none' : there}   (pipeline judge ${run.name})`,
  )
}
