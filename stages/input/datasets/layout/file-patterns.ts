/**
 * Finds the paths that match a pattern, sorted: `*` and `?` match within one name, `**` across folders, `[…]` one
 * character. Hidden files and folders, and folders that begin with `__`, match only patterns that spell them so.
 *
 * Source: the rules of `datasets` for `data_files` (its `resolve_pattern`, on fsspec's glob).
 */
export function globPaths(pattern: string, paths: readonly string[]): readonly string[] {
  const wanted = pattern.replace(/^(?:\.\/)+/, '')
  const expression = globExpression(wanted)
  const hidden = namesBeginning(wanted, '.').length
  const special = namesBeginning(extractFolder(wanted), '__').length
  return paths
    .filter(
      path =>
        expression.test(path) &&
        namesBeginning(path, '.').length === hidden &&
        namesBeginning(extractFolder(path), '__').length === special,
    )
    .sort(byCodeUnit)
}

/** Returns whether a text is a pattern rather than a path. */
export const isPattern = (text: string): boolean => /[*?[\]]/.test(text)

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Converts a glob to a regular expression for whole paths. */
function globExpression(pattern: string): RegExp {
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

const extractFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

const namesBeginning = (path: string, start: string): readonly string[] =>
  path.split('/').filter(name => name.startsWith(start) && !/^\.{1,2}$/.test(name))

/** Patterns by split. */
type SplitPatterns = Readonly<Record<string, readonly string[]>>

const keywords: SplitPatterns = {
  train: ['train', 'training'],
  validation: ['validation', 'valid', 'dev', 'val'],
  test: ['test', 'testing', 'eval', 'evaluation'],
}
const separator = '[-._ 0-9]'

const inFolderNames = makeSplitPatterns(keyword => [
  `**/${keyword}/**`,
  `**/${keyword}${separator}*/**`,
  `**/*${separator}${keyword}/**`,
  `**/*${separator}${keyword}${separator}*/**`,
])
const inFileNames = makeSplitPatterns(keyword => [
  `**/${keyword}${separator}*`,
  `**/*${separator}${keyword}${separator}*`,
])

function makeSplitPatterns(patterns: (keyword: string) => readonly string[]): SplitPatterns {
  return Object.fromEntries(Object.entries(keywords).map(([split, words]) => [split, words.flatMap(patterns)]))
}

const ignored = new Set(
  'README.md config.json dataset_info.json dataset_infos.json dummy_data.zip dataset_dict.json'.split(' '),
)
const shard = /^data\/(.+)-\d{5}-of-\d{5}[^/]*\.[^/]*$/

/**
 * Finds the files of each split by their names: `data/<split>-00000-of-00002.parquet`; else folders, else files, with
 * a word for train, validation or test in their name; else all are `train`.
 *
 * Source: `datasets`, `get_data_patterns`.
 *
 * @param paths relative to the folder of the data
 */
export function automaticSplits(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const sharded = globPaths('data/*-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9]*.*', paths)
  const bySplit = new Map<string, string[]>()
  for (const path of sharded) {
    const split = shard.exec(path)?.[1]
    if (split !== undefined) bySplit.set(split, [...(bySplit.get(split) ?? []), path])
  }
  if (bySplit.size > 0) return new Map([...bySplit].sort(([a], [b]) => order(a) - order(b) || byCodeUnit(a, b)))
  for (const patterns of [inFolderNames, inFileNames, { train: ['**'] }]) {
    const splitFiles = findSplitFiles(patterns, paths)
    if (splitFiles.size > 0) return splitFiles
  }
  return new Map()
}

const order = (split: string): number => {
  const index = Object.keys(keywords).indexOf(split)
  return index === -1 ? Infinity : index
}

/** Finds the files of each split that patterns name; splits without files are left out. */
function findSplitFiles(patterns: SplitPatterns, paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const splitEntries = Object.entries(patterns).map(([split, list]) => [split, listMatchingFiles(list, paths)] as const)
  return new Map(splitEntries.filter(([, files]) => files.length > 0))
}

/** Finds the files that patterns name, each once, in the order of the patterns. */
export function listMatchingFiles(patterns: readonly string[], paths: readonly string[]): readonly string[] {
  const files = patterns.flatMap(pattern =>
    globPaths(pattern, paths).filter(path => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return !ignored.has(name) || pattern.endsWith(name)
    }),
  )
  return [...new Set(files)]
}
