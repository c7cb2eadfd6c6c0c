/** Adds to the count of a key. */
export function addCount<Key>(counts: Map<Key, number>, key: Key, more = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}

/** How often each item comes, in the order of their first places. */
export function countsOf<Item>(items: Iterable<Item>): ReadonlyMap<Item, number> {
  const counts = new Map<Item, number>()
  for (const item of items) addCount(counts, item)
  return counts
}

/**
 * The largest of numbers, however many there are, and at least `least`. `Math.max(...list)` fails for lists of some 100,000, since each number
 * is an argument on the stack.
 */
export function largest(least: number, numbers: Iterable<number>): number {
  let found = least
  for (const number of numbers) found = Math.max(found, number)
  return found
}
