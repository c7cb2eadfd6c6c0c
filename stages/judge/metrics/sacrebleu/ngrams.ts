/** The n-grams of one sequence as numbers: `[n − 1][position]`. Equal numbers mean equal n-grams. */
export type Ngrams = readonly (readonly number[])[]

/** The n-grams of several sequences with common numbers, which are counted without building a text for each. */
interface NumberedNgrams {
  readonly sequences: readonly Ngrams[]
  /** An exclusive upper bound of all numbers. */
  readonly size: number
}

/**
 * Numbers the n-grams of `sequences` with 1 ≤ n ≤ `longest`. An n-gram is identified by its first n − 1 symbols and
 * its last symbol.
 */
export function numberNgrams(sequences: readonly (readonly string[])[], longest: number): NumberedNgrams {
  const symbols = new Map<string, number>()
  const coded = sequences.map(sequence =>
    sequence.map(symbol => {
      const code = symbols.get(symbol) ?? symbols.size
      if (code === symbols.size) symbols.set(symbol, code)
      return code
    }),
  )
  const longer = new Map<number, number>()
  let size = symbols.size
  const extend = (beginning: number, code: number): number => {
    const key = beginning * symbols.size + code
    const earlierCode = longer.get(key)
    if (earlierCode !== undefined) return earlierCode
    longer.set(key, size)
    return size++
  }
  const numbered = coded.map(codes => {
    const orders: number[][] = []
    for (let n = 1; n <= longest; n++) {
      const shorter = orders.at(-1)
      orders.push(shorter === undefined ? codes : codes.slice(n - 1).map((code, at) => extend(shorter[at] ?? 0, code)))
    }
    return orders
  })
  return { sequences: numbered, size }
}

/** Counts how often each number occurs in `ngrams`. */
export function countNgrams(ngrams: Ngrams, size: number): Uint32Array {
  const counts = new Uint32Array(size)
  for (const order of ngrams) for (const ngram of order) counts[ngram] = (counts[ngram] ?? 0) + 1
  return counts
}

/** For each number, the largest count in any one sequence. */
export function mostNgrams(sequences: readonly Ngrams[], size: number): Uint32Array {
  const [first, ...more] = sequences.map(ngrams => countNgrams(ngrams, size))
  const most = first ?? new Uint32Array(size)
  for (const counts of more) {
    for (let ngram = 0; ngram < size; ngram++) most[ngram] = Math.max(most[ngram] ?? 0, counts[ngram] ?? 0)
  }
  return most
}

/** For each n, the number of n-grams in `allowed`. Each n-gram counts at most as often as `allowed` says. */
export function clippedMatches(ngrams: Ngrams, allowed: Uint32Array): number[] {
  const used = new Uint32Array(allowed.length)
  return ngrams.map(order => {
    let matches = 0
    for (const ngram of order) {
      const before = used[ngram] ?? 0
      used[ngram] = before + 1
      if (before < (allowed[ngram] ?? 0)) matches++
    }
    return matches
  })
}
