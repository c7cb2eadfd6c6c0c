import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { errorFrom, type ErrorData } from '../../../base/errors/errors.js'
import type { RunKey } from '../../digest.js'
import type { WrittenFile } from '../../parquet/write.js'

/** The task of one writing thread. */
export interface PartTask {
  /** See `Store.location`. */
  readonly location: string
  readonly run: RunKey
  readonly name: string
  readonly file: string
}

export type PartReport =
  | { readonly type: 'written'; readonly written?: WrittenFile }
  | { readonly type: 'refused'; readonly error: ErrorData }
  | { readonly type: 'failed'; readonly message: string }

/**
 * Writes one part of a run in a separate thread, from the committed rows of the store. The tables of a large run take
 * seconds each and do not depend on one another.
 *
 * @throws whatever writing the part in this thread would throw
 */
export async function writePartInThread(task: PartTask): Promise<WrittenFile | undefined> {
  const worker = new Worker(new URL('./part-thread.js', import.meta.url), {
    workerData: task,
    // Rows become garbage as soon as they are written. A large young generation would keep them, then promote them.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  try {
    const [report] = (await once(worker, 'message')) as [PartReport]
    if (report.type === 'written') return report.written
    throw report.type === 'refused' ? errorFrom(report.error) : new Error(report.message)
  } finally {
    await worker.terminate()
  }
}

/**
 * Collects all garbage of this thread, which takes some hundredths of a second. Without it, the heap stays as large as
 * it ever was, and that memory is missing for the writing threads.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  try {
    // Only contexts that are created while the flag is set have the function.
    const collect = runInNewContext('gc') as () => void
    collect()
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** The memory that sealing may use together with the rest of the program, and the memory that one writing thread needs. */
const roomBytes = 290 * 2 ** 20
const threadBytes = 50 * 2 ** 20

/** The number of threads that fit into memory. It is 0 if the program uses nearly all of it. @param residentBytes resident bytes */
export const threadsFor = (residentBytes: number): number =>
  Math.max(0, Math.floor((roomBytes - residentBytes) / threadBytes))

/** Runs jobs in their order, at most `lanes` of them at once. @returns the results in the same order */
export async function inLanes<T>(lanes: number, jobs: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = []
  const waiting = jobs.entries()
  const lane = async (): Promise<void> => {
    for (const [index, job] of waiting) results[index] = await job()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
