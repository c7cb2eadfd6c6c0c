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
