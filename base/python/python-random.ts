/** Python's random number generator, so that a seed draws the same values here as in Python. */

const size = 624
const period = 397

/** Draws of one generator, in order. */
export interface PythonRandom {
  /** A number in [0, 1) with 53 random bits, as `random.random()`. */
  random(): number
  /** An integer in [0, limit), as `random.randrange(limit)`; `limit` is below 2³². */
  below(limit: number): number
  /**
   * A number from the standard normal distribution, as `random.gauss(0.0, 1.0)`. Numbers are made in pairs, so every second call uses no new random
   * bits.
   */
  gauss(): number
  /** A copy of the list in random order, as by `random.shuffle`. */
  shuffled<T>(items: readonly T[]): T[]
}

/**
 * Creates the generator `random.Random(seed)` of CPython 3.11 and later, for an integer seed from 0 below 2³².
 *
 * Sources: Matsumoto and Nishimura, Mersenne Twister (1998), MT19937 with `init_by_array`; CPython, `Lib/random.py`, for the distributions.
 */
export function pythonRandom(seed: number): PythonRandom {
  const state = seedState(seed)
  let index = size
  const word = (): number => {
    if (index === size) {
      twist(state)
      index = 0
    }
    return temperWord(state[index++] ?? 0)
  }
  const below = (limit: number): number => {
    const unused = Math.clz32(limit)
    for (;;) {
      const drawn = word() >>> unused
      if (drawn < limit) return drawn
    }
  }
  const random = (): number => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992
  let spare: number | undefined
  const gauss = (): number => {
    if (spare !== undefined) {
      const value = spare
      spare = undefined
      return value
    }
    const angle = random() * 2 * Math.PI
    const radius = Math.sqrt(-2 * Math.log(1 - random()))
    spare = Math.sin(angle) * radius
    return Math.cos(angle) * radius
  }
  return {
    random,
    below,
    gauss,
    shuffled: items => shuffle([...items], below),
  }
}

function shuffle<T>(items: T[], below: (limit: number) => number): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = below(i + 1)
    const lastItem = items[i] as T
    items[i] = items[j] as T
    items[j] = lastItem
  }
  return items
}

/** Seeds the state as Python does: `init_by_array` with one word. */
function seedState(seed: number): Uint32Array {
  const state = new Uint32Array(size)
  state[0] = 19650218
  const before = (i: number): number => {
    const last = state[i - 1] ?? 0
    return last ^ (last >>> 30)
  }
  for (let i = 1; i < size; i++) state[i] = Math.imul(1812433253, before(i)) + i
  let i = 1
  const next = (): void => {
    if (++i < size) return
    state[0] = state[size - 1] ?? 0
    i = 1
  }
  for (let k = 0; k < size; k++, next()) state[i] = ((state[i] ?? 0) ^ Math.imul(before(i), 1664525)) + seed
  for (let k = 1; k < size; k++, next()) state[i] = ((state[i] ?? 0) ^ Math.imul(before(i), 1566083941)) - i
  state[0] = 0x80000000
  return state
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < size; i++) {
    const joined = ((state[i] ?? 0) & 0x80000000) | ((state[(i + 1) % size] ?? 0) & 0x7fffffff)
    state[i] = (state[(i + period) % size] ?? 0) ^ (joined >>> 1) ^ ((joined & 1) * 0x9908b0df)
  }
}

function temperWord(word: number): number {
  let y = word
  y ^= y >>> 11
  y ^= (y << 7) & 0x9d2c5680
  y ^= (y << 15) & 0xefc60000
  y ^= y >>> 18
  return y >>> 0
}

/**
 * Draws `size` of `count` indices, in the order of `random.sample(range(count), size)`.
 *
 * Source: CPython 3.11, `Lib/random.py`, `Random.sample`. For a small pool it swaps items, otherwise it draws duplicates again.
 *
 * @throws Error if `size` exceeds `count`.
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
