/** The number of tasks read at the same time. Several take turns, and one that opens slowly delays few. */
const mostReaders = 4

export const countReaders = (tasks: number): number => Math.min(mostReaders, tasks)

/**
 * Reads tasks in order, several at the same time. Returns when all are read, or when `drain` is aborted and the started ones have ended.
 *
 * @param read gets a signal that is aborted by `drain`, or if another task failed
 * @returns whether every task was started
 * @throws the first error of `read`
 */
export async function readTasks<T>(
  tasks: readonly T[],
  drain: AbortSignal,
  read: (task: T, index: number, drain: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const failed = new AbortController()
  const signal = AbortSignal.any([drain, failed.signal])
  const waiting = [...tasks.entries()]
  const readOn = async (): Promise<void> => {
    while (!signal.aborted) {
      const next = waiting.shift()
      if (next === undefined) return
      await read(next[1], next[0], signal)
    }
  }
  const errors: unknown[] = []
  const readers = Array.from({ length: countReaders(tasks.length) }, () =>
    readOn().catch((error: unknown) => {
      errors.push(error)
      failed.abort()
    }),
  )
  await Promise.all(readers)
  if (errors.length > 0) throw errors[0]
  return waiting.length === 0
}
