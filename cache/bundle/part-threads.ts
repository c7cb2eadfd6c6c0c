import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { PipelineError, type ErrorCode } from '../../base/errors/errors.js'
import type { RunKey } from '../digest.js'
import type { WrittenFile } from '../parquet/write.js'

/** What a thread is asked to write. */
export interface PartTask {
  /** The store's folder. */
  readonly dir: string
  readonly run: RunKey
  readonly name: string
  readonly file: string
}

export type PartReport =
  | { readonly type: 'written'; readonly written?: WrittenFile }
  | { readonly type: 'failed'; readonly problems: readonly string[]; readonly code?: ErrorCode }

/**
 * Writes one part of a run in a thread of its own, from the store as it is committed: the tables of a large run take
 * seconds each and need nothing of one another.
 *
 * @throws whatever writing it here would have thrown
 */
export async function writePartInThread(task: PartTask): Promise<WrittenFile | undefined> {
  const worker = new Worker(new URL('./part-thread.js', import.meta.url), {
    workerData: task,
    // Rows are garbage as soon as they are in the file: in a large nursery they would wait for long, and move on.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  try {
    const [report] = (await once(worker, 'message')) as [PartReport]
    if (report.type === 'written') return report.written
    if (report.code !== undefined) throw new PipelineError(report.code, report.problems)
    throw new Error(report.problems.join('\n'))
  } finally {
    await worker.terminate()
  }
}

/**
 * Collects all garbage of this thread, in some hundredths of a second. Left to itself V8 collects when a heap has grown, and the heap
 * of a program that has done most of its work stays as large as it was: room that is held beside that of new threads.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  try {
    // Only contexts that are made while the flag is set have it.
    const collect = runInNewContext('gc') as () => void
    collect()
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** What sealing keeps below, with all that the program holds already, and what a thread that writes a table takes of it. */
const roomBytes = 290 * 2 ** 20
const threadBytes = 50 * 2 ** 20

/** Threads that there is memory for; beside nearly as much of it as there may be, none. @param held resident bytes */
export const threadsFor = (held: number): number => Math.max(0, Math.floor((roomBytes - held) / threadBytes))

/** Does jobs in their order, so many at a time. @returns what each gives, in the same order */
export async function inLanes<T>(lanes: number, jobs: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = []
  const waiting = jobs.entries()
  const lane = async (): Promise<void> => {
    for (const [index, job] of waiting) results[index] = await job()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
