/** `data_files` as people write it: a pattern, a list of them, these by split, or a list of `{split, path}`. */
export type SplitFiles = ReadonlyMap<string, readonly string[]>

/** Patterns without a split belong to `undefined`: they are all that there is, whatever split is asked for. */
export interface ReadSplitFiles {
  readonly bySplit?: SplitFiles
  readonly all?: readonly string[]
}

/** Reads a value of `data_files`. @returns undefined where it is none. */
export function readSplitFiles(value: unknown): ReadSplitFiles | undefined {
  const list = textsOf(value)
  if (list !== undefined) return { all: list }
  const entries = Array.isArray(value) ? value.map(entryOf) : isObject(value) ? Object.entries(value) : []
  const bySplit = new Map<string, readonly string[]>()
  for (const entry of entries) {
    const files = textsOf(entry?.[1])
    if (entry === undefined || files === undefined) return undefined
    bySplit.set(entry[0], files)
  }
  return bySplit.size === 0 ? undefined : { bySplit }
}

function textsOf(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.filter(item => typeof item === 'string')
  return texts.length > 0 && texts.length === list.length ? texts : undefined
}

function entryOf(value: unknown): readonly [string, unknown] | undefined {
  if (!isObject(value) || typeof value['split'] !== 'string') return undefined
  return [value['split'], value['path']]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
