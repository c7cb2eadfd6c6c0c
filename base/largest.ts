/**
 * The largest of numbers, however many there are, and at least `least`. `Math.max(...list)` fails for lists of some 100,000, since each number
 * is an argument on the stack.
 */
export function largest(least: number, numbers: Iterable<number>): number {
  let found = least
  for (const number of numbers) found = Math.max(found, number)
  return found
}
