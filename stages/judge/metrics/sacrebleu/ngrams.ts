/** The n-grams of one sequence by number: `[n − 1][position]`. Equal numbers are equal n-grams. */
export type Ngrams = readonly (readonly number[])[]

/** N-grams of several sequences, numbered together so that they can be counted without making a text of each. */
interface NumberedNgrams {
  readonly sequences: readonly Ngrams[]
  /** All numbers are below it. */
  readonly size: number
}

/** The n-grams of `sequences` with 1 ≤ n ≤ `longest`; an n-gram is its beginning of n − 1 symbols and one more symbol. */
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
    const known = longer.get(key)
    if (known !== undefined) return known
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

/** How often each number stands in `ngrams`. */
export function countNgrams(ngrams: Ngrams, size: number): Uint32Array {
  const counts = new Uint32Array(size)
  for (const order of ngrams) for (const ngram of order) counts[ngram] = (counts[ngram] ?? 0) + 1
  return counts
}

/** How often each number stands in the sequence that it stands in most often. */
export function mostNgrams(sequences: readonly Ngrams[], size: number): Uint32Array {
  const [first, ...more] = sequences.map(ngrams => countNgrams(ngrams, size))
  const most = first ?? new Uint32Array(size)
  for (const counts of more) {
    for (let ngram = 0; ngram < size; ngram++) most[ngram] = Math.max(most[ngram] ?? 0, counts[ngram] ?? 0)
  }
  return most
}

/** For each n, how many of the n-grams are among `allowed`, each as often at most as that says. */
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
