/** So many tasks are read at once, so that what they ask is asked in turns, and one that is long to open keeps few waiting. */
const mostReaders = 4

/** How many tasks are read at once, of so many. */
export const readersOf = (tasks: number): number => Math.min(mostReaders, tasks)

/**
 * Reads tasks in their order, some at once. Returns when all are read, or when `drain` is aborted and what was begun has
 * come to its end.
 *
 * @param read gets a signal that is aborted by `drain`, and where another task failed
 * @returns whether each task was begun
 * @throws what `read` threw first
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
  const readers = Array.from({ length: readersOf(tasks.length) }, () =>
    readOn().catch((error: unknown) => {
      errors.push(error)
      failed.abort()
    }),
  )
  await Promise.all(readers)
  if (errors.length > 0) throw errors[0]
  return waiting.length === 0
}
