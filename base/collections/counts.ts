export function addCount<Key>(counts: Map<Key, number>, key: Key, more = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}

/** Counts equal items, in the order of their first occurrence. */
export function countItems<Item>(items: Iterable<Item>): ReadonlyMap<Item, number> {
  const counts = new Map<Item, number>()
  for (const item of items) addCount(counts, item)
  return counts
}

/**
 * Returns the maximum of `numbers` and `least`. `Math.max(...list)` fails for lists of about 100,000 numbers, because each is an argument on the
 * stack.
 */
export function largest(least: number, numbers: Iterable<number>): number {
  let maximum = least
  for (const number of numbers) maximum = Math.max(maximum, number)
  return maximum
}
