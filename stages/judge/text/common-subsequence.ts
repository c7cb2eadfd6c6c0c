/**
 * Rows of the table of subsequence lengths, with 32 cells in each number. A bit is 0 where one more token makes the
 * longest common subsequence longer. `next` computes the row for one more token of the other text.
 *
 * Source: Hyyrö, "Bit-parallel LCS-length computation revisited" (2004).
 */
interface Rows {
  readonly blocks: number
  readonly next: (row: Int32Array, token: string) => void
}

function rowsOver(tokens: readonly string[]): Rows {
  const blocks = Math.ceil(tokens.length / 32)
  const positions = collectPositions(tokens, blocks)
  return {
    blocks,
    next: (row, token) => {
      const matches = positions.get(token)
      if (matches === undefined) return
      let carry = 0
      for (let block = 0; block < blocks; block++) {
        const same = row[block] ?? 0
        const up = same & (matches[block] ?? 0)
        const sum = (same >>> 0) + (up >>> 0) + carry
        carry = sum > 0xffffffff ? 1 : 0
        row[block] = sum | (same & ~up)
      }
    },
  }
}

const goesUp = (row: Int32Array | undefined, at: number): boolean => (((row?.[at >> 5] ?? 0) >>> (at & 31)) & 1) === 0

/** The length of the longest common subsequence. It keeps one row of the table. */
export function subsequenceLength(a: readonly string[], b: readonly string[]): number {
  if (b.length > a.length) return subsequenceLength(b, a)
  const { blocks, next } = rowsOver(b)
  const row = new Int32Array(blocks).fill(-1)
  for (const token of a) next(row, token)
  let length = 0
  for (let j = 0; j < b.length; j++) length += goesUp(row, j) ? 1 : 0
  return length
}

/**
 * The positions in `a` of one longest common subsequence, ascending. If there are several, the choice changes a
 * union of them. `prefer` therefore names the text that is shortened first.
 */
export function findSubsequence(a: readonly string[], b: readonly string[], prefer: 'a' | 'b'): readonly number[] {
  const [preferred, other] = prefer === 'a' ? [a, b] : [b, a]
  const rowAt = makeRowLookup(preferred, other)
  const positions: number[] = []
  let [i, j] = [preferred.length, other.length]
  while (i > 0 && j > 0) {
    if (preferred[i - 1] === other[j - 1]) {
      i--
      j--
      positions.push(prefer === 'a' ? i : j)
    } else if (goesUp(rowAt(j), i - 1)) j--
    else i--
  }
  return positions.reverse()
}

/**
 * Returns the row over `tokens` after `count` of the others. Rows must be requested from the last to the first. To
 * save memory, only one row in √n is kept, and the rows between are computed again.
 */
function makeRowLookup(
  tokens: readonly string[],
  otherTokens: readonly string[],
): (count: number) => Int32Array | undefined {
  const { blocks, next } = rowsOver(tokens)
  const step = Math.ceil(Math.sqrt(otherTokens.length + 1))
  const row = new Int32Array(blocks).fill(-1)
  const keptRows = [row.slice()]
  for (const [at, token] of otherTokens.entries()) {
    next(row, token)
    if ((at + 1) % step === 0) keptRows.push(row.slice())
  }
  let [first, rows]: [number, readonly Int32Array[]] = [-1, []]
  return count => {
    const start = count - (count % step)
    if (start !== first)
      [first, rows] = [start, between(keptRows[start / step] ?? row, otherTokens.slice(start, start + step - 1))]
    return rows[count - start]
  }

  function between(before: Int32Array, tokensOn: readonly string[]): readonly Int32Array[] {
    const newRows = [before]
    let last = before
    for (const token of tokensOn) {
      last = last.slice()
      next(last, token)
      newRows.push(last)
    }
    return newRows
  }
}

/** The positions of each item as a bit set, with 32 positions in each number. */
export function collectPositions(items: readonly string[], blocks: number): ReadonlyMap<string, Int32Array> {
  const positions = new Map<string, Int32Array>()
  items.forEach((item, i) => {
    const bits = positions.get(item) ?? new Int32Array(blocks)
    bits[i >> 5] = (bits[i >> 5] ?? 0) | (1 << (i & 31))
    positions.set(item, bits)
  })
  return positions
}

/** The words of a line or sentence. */
export type Line = readonly string[]

const formatKey = (line: Line): string => line.join('\n')

/** Each line once, in the order of first occurrence. Words contain no line break. */
export const distinctLines = (lines: readonly Line[]): readonly Line[] => [
  ...new Map(lines.map(line => [formatKey(line), line])).values(),
]

/**
 * Returns a function that lists, for a line, those of `lines` that share a word with it, each once. Other lines
 * have no common subsequence with it.
 */
export function linesInCommon(lines: readonly Line[]): (line: Line) => readonly Line[] {
  const distinct = distinctLines(lines)
  const positions = new Map<string, number[]>()
  for (const [at, line] of distinct.entries()) {
    for (const word of new Set(line)) {
      const lineNumbers = positions.get(word)
      if (lineNumbers === undefined) positions.set(word, [at])
      else lineNumbers.push(at)
    }
  }
  return line => {
    const lineNumbers = new Set<number>()
    for (const word of new Set(line)) for (const at of positions.get(word) ?? []) lineNumbers.add(at)
    return Array.from(lineNumbers, at => distinct[at] ?? [])
  }
}
