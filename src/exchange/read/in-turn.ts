/** Converts a list to an asynchronous sequence. */
export async function* inTurn<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value)
}
