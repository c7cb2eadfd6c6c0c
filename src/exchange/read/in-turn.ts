/** Yields the values of a list one after another, where an asynchronous sequence is asked for. */
export async function* inTurn<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value)
}
