import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { PipelineError, type ErrorCode } from '../../base/errors.js'
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
