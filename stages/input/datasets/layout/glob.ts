/**
 * The paths that a pattern means, sorted: `*` and `?` stay within one name, `**` crosses folders, `[…]` is one character.
 * Hidden files and folders, and folders that begin with `__`, are meant only by a pattern that writes them so.
 *
 * Source: the rules of `datasets` for `data_files` (its `resolve_pattern`, on fsspec's glob).
 */
export function globPaths(pattern: string, paths: readonly string[]): readonly string[] {
  const wanted = pattern.replace(/^(?:\.\/)+/, '')
  const expression = globExpression(wanted)
  const hidden = namesBeginning(wanted, '.').length
  const special = namesBeginning(folderOf(wanted), '__').length
  return paths
    .filter(
      path =>
        expression.test(path) &&
        namesBeginning(path, '.').length === hidden &&
        namesBeginning(folderOf(path), '__').length === special,
    )
    .sort(byCodeUnit)
}

/** Whether a text is a pattern rather than a path. */
export const isPattern = (text: string): boolean => /[*?[\]]/.test(text)

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A glob as a regular expression of whole paths. */
export function globExpression(pattern: string): RegExp {
  const token = /\*\*\/|\*\*|\*|\?|\[(!?)([^\]]+)\]|[^*?[]+|\[/g
  const source = pattern.replace(token, (text, negated: string | undefined, characters: string | undefined) => {
    if (text === '**/') return '(?:.*/)?'
    if (text === '**') return '.*'
    if (text === '*') return '[^/]*'
    if (text === '?') return '[^/]'
    if (characters !== undefined)
      return `[${negated === '!' ? '^' : ''}${characters.replace(/[\\\]]/g, '\\$&').replace(/^\^/, '\\^')}]`
    return text.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${source}$`, 's')
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

const namesBeginning = (path: string, start: string): readonly string[] =>
  path.split('/').filter(name => name.startsWith(start) && !/^\.{1,2}$/.test(name))
