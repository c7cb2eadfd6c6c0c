/** Words of a line or sentence. */
export type Line = readonly string[]

const keyOf = (line: Line): string => line.join('\n')

/** Each line once, in the order of their first places. Words hold no line break. */
export const distinctLines = (lines: readonly Line[]): readonly Line[] => [
  ...new Map(lines.map(line => [keyOf(line), line])).values(),
]

/** For a line those of `lines` that have a word with it in common, each once: the others have no common subsequence with it. */
export function linesInCommon(lines: readonly Line[]): (line: Line) => readonly Line[] {
  const distinct = distinctLines(lines)
  const places = new Map<string, number[]>()
  for (const [at, line] of distinct.entries()) {
    for (const word of new Set(line)) {
      const known = places.get(word)
      if (known === undefined) places.set(word, [at])
      else known.push(at)
    }
  }
  return line => {
    const found = new Set<number>()
    for (const word of new Set(line)) for (const at of places.get(word) ?? []) found.add(at)
    return Array.from(found, at => distinct[at] ?? [])
  }
}
