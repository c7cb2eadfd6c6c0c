/** Compiles a shell pattern with `*`, `?`, `[abc]` and `[!a-c]`, as Python's `fnmatch`. It is case-sensitive. */
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

/** Returns whether a name is a shell pattern. */
export const isWildcard = (name: string): boolean => /[*?]|\[[^\]]+\]/.test(name)
