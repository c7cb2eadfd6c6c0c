import type { Columns } from './columns.js'

/**
 * Returns the value that each sample has in the other run, NaN where it has none. Docs are paired by task and id, and docs with equal ids by their order, as
 * `compare` pairs them. Values of different metrics are not compared.
 */
export function otherValues(columns: Columns, other: Columns): Float64Array {
  const values = new Float64Array(columns.length).fill(NaN)
  const metrics = columns.dictionary.metrics.map(name => other.dictionary.metrics.indexOf(name))
  const { identity, metric } = columns.columns
  const next = makePairer(other)
  for (let at = 0; at < columns.length; at += 1) {
    const position = next(identity[at] ?? 0, at)
    if (position === -1) continue
    if (metrics[metric[at] ?? 0] === other.columns.metric[position]) values[at] = other.columns.value[position] ?? NaN
  }
  return values
}

/** Returns a function that finds the next unpaired position with an identity: at the same position if it can, since two runs of the same tasks have the same order. */
export function makePairer({ length, columns: { identity } }: Columns): (wanted: number, likely: number) => number {
  const takenFlags = new Uint8Array(length)
  let table: Int32Array | undefined
  let mask = 0
  const hash = (number: number): number => (Math.imul(number % 0x7fffffff, 0x9e3779b1) ^ (number / 0x7fffffff)) >>> 0
  const build = (): Int32Array => {
    let size = 16
    while (size < 2 * length) size *= 2
    mask = size - 1
    const slots = new Int32Array(size).fill(-1)
    for (let at = 0; at < length; at += 1) {
      let slot = hash(identity[at] ?? 0) & mask
      while (slots[slot] !== -1) slot = (slot + 1) & mask
      slots[slot] = at
    }
    return slots
  }
  let isInOrder = true
  return (wanted, likely) => {
    // As long as all samples so far were at the same position, no earlier one with the same identity is left.
    if (isInOrder && likely < length && identity[likely] === wanted) {
      takenFlags[likely] = 1
      return likely
    }
    isInOrder = false
    table ??= build()
    for (let slot = hash(wanted) & mask; ; slot = (slot + 1) & mask) {
      const at = table[slot] ?? -1
      if (at === -1) return -1
      if (identity[at] !== wanted || takenFlags[at] === 1) continue
      takenFlags[at] = 1
      return at
    }
  }
}
