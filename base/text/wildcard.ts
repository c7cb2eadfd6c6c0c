/**
 * A pattern of a shell as an expression: `*`, `?`, `[abc]`, `[!a-c]`; letter case counts. Python's `fnmatch`.
 */
export function wildcard(pattern: string): RegExp {
  const source = pattern.replace(/\[(!?)(\]?[^\]]*)\]|[\s\S]/g, (part: string, not?: string, set?: string) => {
    if (set !== undefined)
      return `[${not === '!' ? '^' : ''}${set.replace(/[\\^\]]/g, '\\$&').replace(/^\\\^/, '\\^')}]`
    if (part === '*') return '[\\s\\S]*'
    if (part === '?') return '[\\s\\S]'
    return part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  })
  return new RegExp(`^(?:${source})$`, 'u')
}

/** Whether a name is meant as a pattern. */
export const isWildcard = (name: string): boolean => /[*?]|\[[^\]]+\]/.test(name)
