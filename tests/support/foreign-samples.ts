import type { ForeignLog, ForeignSample, ForeignTask } from '../../src/exchange/foreign-log.js'

/** A task of another tool's log with all its samples. */
export interface ReadTask {
  readonly task: ForeignTask
  readonly samples: readonly ForeignSample[]
}

/** Reads all tasks and samples of a small log. */
export async function everySample(log: ForeignLog): Promise<readonly ReadTask[]> {
  const all: ReadTask[] = []
  for await (const task of log.tasks()) {
    const samples: ForeignSample[] = []
    for await (const sample of task.samples()) samples.push(sample)
    all.push({ task, samples })
  }
  return all
}

/** Returns the mean of a score over the samples that have it. */
export function meanOf(samples: readonly ForeignSample[], metric: string): number {
  const values = samples.flatMap(({ scores }) => (typeof scores[metric] === 'number' ? [scores[metric]] : []))
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
