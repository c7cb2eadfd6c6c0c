import { byCodeUnit, globPaths } from './glob.js'

/** Patterns by split. */
export type SplitPatterns = Readonly<Record<string, readonly string[]>>

const keywords: SplitPatterns = {
  train: ['train', 'training'],
  validation: ['validation', 'valid', 'dev', 'val'],
  test: ['test', 'testing', 'eval', 'evaluation'],
}
const separator = '[-._ 0-9]'

const inFolderNames = patternsOf(keyword => [
  `**/${keyword}/**`,
  `**/${keyword}${separator}*/**`,
  `**/*${separator}${keyword}/**`,
  `**/*${separator}${keyword}${separator}*/**`,
])
const inFileNames = patternsOf(keyword => [`**/${keyword}${separator}*`, `**/*${separator}${keyword}${separator}*`])

function patternsOf(patterns: (keyword: string) => readonly string[]): SplitPatterns {
  return Object.fromEntries(Object.entries(keywords).map(([split, words]) => [split, words.flatMap(patterns)]))
}

const ignored = new Set(
  'README.md config.json dataset_info.json dataset_infos.json dummy_data.zip dataset_dict.json'.split(' '),
)
const shard = /^data\/(.+)-\d{5}-of-\d{5}[^/]*\.[^/]*$/

/**
 * The files of each split where nothing says which they are: `data/<split>-00000-of-00002.parquet`; else folders, else files,
 * with a word for train, validation or test in their name; else all are `train`.
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
    const found = splitsOf(patterns, paths)
    if (found.size > 0) return found
  }
  return new Map()
}

const order = (split: string): number => {
  const place = Object.keys(keywords).indexOf(split)
  return place === -1 ? Infinity : place
}

/** The files of each split that patterns name; splits without any are left out. */
export function splitsOf(patterns: SplitPatterns, paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = Object.entries(patterns).map(([split, list]) => [split, filesOf(list, paths)] as const)
  return new Map(found.filter(([, files]) => files.length > 0))
}

/** The files that patterns name, each once, in the order of the patterns. */
export function filesOf(patterns: readonly string[], paths: readonly string[]): readonly string[] {
  const files = patterns.flatMap(pattern =>
    globPaths(pattern, paths).filter(path => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return !ignored.has(name) || pattern.endsWith(name)
    }),
  )
  return [...new Set(files)]
}
