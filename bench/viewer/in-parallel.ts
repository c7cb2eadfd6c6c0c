/** Calls a function for 0 to `count` − 1, several at a time, and returns its results in order. */
export async function inParallel<T>(count: number, atOnce: number, make: (number: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const number = next
      next += 1
      made[number] = await make(number)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work))
  return made
}
