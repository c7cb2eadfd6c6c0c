import type { PythonRandom } from './python-random.js'

/**
 * Which of `count` items a sample of `size` has, in the order of `random.sample(range(count), size)`.
 *
 * Source: CPython 3.11, `Lib/random.py`, `Random.sample`: it swaps within a pool where that is small, else draws again what was drawn.
 *
 * @throws Error where there are fewer items than are wished.
 */
export function sampleIndices(random: PythonRandom, count: number, size: number): readonly number[] {
  if (size > count) throw new Error(`a sample of ${size} can't be drawn from ${count}`)
  const poolSize = 21 + (size > 5 ? 4 ** Math.ceil(Math.log(size * 3) / Math.log(4)) : 0)
  return count <= poolSize ? fromPool(random, count, size) : byRetry(random, count, size)
}

function fromPool(random: PythonRandom, count: number, size: number): readonly number[] {
  const pool = Array.from({ length: count }, (_, index) => index)
  return Array.from({ length: size }, (_, drawn) => {
    const at = random.below(count - drawn)
    const item = pool[at] ?? 0
    pool[at] = pool[count - drawn - 1] ?? 0
    return item
  })
}

function byRetry(random: PythonRandom, count: number, size: number): readonly number[] {
  const drawn = new Set<number>()
  while (drawn.size < size) drawn.add(random.below(count))
  return [...drawn]
}
