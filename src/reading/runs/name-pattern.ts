import { wildcard } from '../../../base/text/wildcard.js'

/**
 * Compiles a filter of names: a pattern with `*`, `?` and `[abc]`, or any part of a name. The case is ignored, and without a filter every name fits.
 */
export function compileNamePattern(pattern: string | undefined): (name: string) => boolean {
  if (pattern === undefined) return () => true
  const matcher = wildcard(/[*?[]/.test(pattern) ? pattern.toLowerCase() : `*${pattern.toLowerCase()}*`)
  return name => matcher.test(name.toLowerCase())
}
