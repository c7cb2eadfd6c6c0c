import { wildcard } from './wildcard.js'

/** Docs that a list of ids and shell patterns means. */
export interface NamePatterns {
  /** The ids and patterns, without blanks around them. */
  readonly wanted: readonly string[]
  /** Lists the ids and patterns that fit a doc. @param task the doc's task, for patterns such as `TASK/ID` */
  readonly findHits: (task: string, id: string) => readonly string[]
}

/** Compiles ids and shell patterns (`*`, `?`, `[abc]`). Each text may be several, with commas between. */
export function compileNamePatterns(texts: readonly string[]): NamePatterns {
  // An id may contain a comma.
  const parts = texts.flatMap(text => [text, ...text.split(',')]).map(part => part.trim())
  const wanted = [...new Set(parts)].filter(part => part !== '')
  const patterns = wanted.map(pattern => ({ pattern, test: wildcard(pattern) }))
  return {
    wanted,
    findHits: (task, id) => {
      const full = `${task}/${id}`
      return patterns
        .filter(({ pattern, test }) => pattern === id || pattern === full || test.test(id) || test.test(full))
        .map(({ pattern }) => pattern)
    },
  }
}

/** Lists the names in a text that matched no doc. A text that is an id as a whole is not split at commas. */
export function listMissing(text: string, matched: ReadonlySet<string>): readonly string[] {
  const [whole, ...parts] = compileNamePatterns([text]).wanted
  if (whole === undefined || matched.has(whole)) return []
  return (parts.length === 0 ? [whole] : parts).filter(part => !matched.has(part))
}
