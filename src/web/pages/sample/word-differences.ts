/** The words that two texts do not share, by the longest common subsequence of their words. */

export type Spans = readonly (readonly [start: number, end: number])[]

/** The table of the subsequence grows with the product of the words. Longer texts are not compared. */
const mostCells = 4_000_000

interface Word {
  readonly text: string
  readonly start: number
}

/** Finds the differing words as spans of UTF-16 positions in `a` and in `b`. Undefined if the texts are too long. */
export function wordDifferences(a: string, b: string): { readonly a: Spans; readonly b: Spans } | undefined {
  const [first, second] = [splitWords(a), splitWords(b)]
  const before = sharedAtStart(first, second)
  const after = sharedAtStart(first.slice(before).toReversed(), second.slice(before).toReversed())
  const [left, right] = [first.slice(before, first.length - after), second.slice(before, second.length - after)]
  if ((left.length + 1) * (right.length + 1) > mostCells) return undefined
  const shared = sharedWords(left, right)
  return { a: makeSpans(left, shared.a), b: makeSpans(right, shared.b) }
}

const splitWords = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu)].map(({ 0: word, index }) => ({
    text: word,
    start: index,
  }))

function sharedAtStart(a: readonly Word[], b: readonly Word[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count]?.text === b[count]?.text) count += 1
  return count
}

/** Finds the word indexes of a longest common subsequence. */
function sharedWords(a: readonly Word[], b: readonly Word[]): { readonly a: Set<number>; readonly b: Set<number> } {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i]?.text === b[j]?.text ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const shared = { a: new Set<number>(), b: new Set<number>() }
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i]?.text === b[j]?.text) {
      shared.a.add(i)
      shared.b.add(j)
      i += 1
      j += 1
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  return shared
}

/** Neighbouring words that are not shared are one span. */
function makeSpans(words: readonly Word[], shared: ReadonlySet<number>): Spans {
  const spans: [number, number][] = []
  let isOpen = false
  words.forEach(({ text, start }, index) => {
    const last = spans.at(-1)
    if (shared.has(index)) isOpen = false
    else if (isOpen && last !== undefined) last[1] = start + text.length
    else {
      spans.push([start, start + text.length])
      isOpen = true
    }
  })
  return spans
}
