/** A configuration as a command line for a POSIX shell. */
import { formatArguments, formatPairs } from '../../../../base/text/arguments-text.js'
import { shellWord } from '../../../../base/text/shell-word.js'
import { isObject } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { formatFileKey, type OptionSpec } from '../../../config/option.js'
import { allOptions } from '../../../config/options.js'
import { lineOptions, lmmsOptions } from '../../../config/options/line-options.js'
import { lmmsTrackOptions } from '../../../config/options/track-options.js'
import { longFlag } from './option-fields.js'

const options: ReadonlyMap<string, OptionSpec> = new Map(
  Object.entries<OptionSpec>({ ...allOptions, ...lineOptions, ...lmmsOptions, ...lmmsTrackOptions }).map(
    ([name, spec]) => [formatFileKey(name), spec],
  ),
)

/** The command line for values without a flag, such as a mapping of docs. The page shows the file `run.yaml`. */
const withFile = 'pipeline eval --config run.yaml'

/** @param config keys of a configuration file, whose values have the right types */
export function commandLine(config: JsonObject): string {
  const words: string[] = []
  for (const [key, value] of Object.entries(config)) {
    if (value === undefined) continue
    const spec = options.get(key)
    const flags = spec === undefined ? undefined : listFlagWords(key, spec, value)
    if (flags === undefined) return withFile
    words.push(...flags)
  }
  return ['pipeline eval', ...words.map(shellWord)].join(' ')
}

/** @returns the flag with its value as words; undefined if the value cannot be written as a flag */
function listFlagWords(key: string, { flag, off }: OptionSpec, value: unknown): readonly string[] | undefined {
  const name = longFlag(flag)
  if (value === true) return [name]
  // An absent flag is false already, unless the option has a `--no-` flag.
  if (value === false) return off === undefined ? [] : [longFlag(off.flag)]
  if (Array.isArray(value)) {
    if (!value.every(part => typeof part === 'string')) return undefined
    return key === 'tasks' ? withValue(name, value.join(',')) : value.flatMap(part => withValue(name, part))
  }
  if (isObject(value)) {
    // It was parsed from JSON.
    const mapping = value as JsonObject
    if (key === 'judge_override') return listPairWords(name, mapping)
    const text = key === 'limit' ? formatPairs(mapping) : mappingFlags.has(key) ? formatArguments(mapping) : undefined
    return text === undefined ? undefined : withValue(name, text)
  }
  // The value of such a flag is optional, so that it must be joined to the flag.
  if (flag.includes('[')) return [`${name}=${String(value)}`]
  return withValue(name, String(value))
}

/** A flag for each pair; undefined if a name has the sign between them. */
function listPairWords(flag: string, mapping: JsonObject): readonly string[] | undefined {
  const pairs = Object.entries(mapping).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return pairs.flat().some(text => text.includes('='))
    ? undefined
    : pairs.flatMap(([name, value]) => withValue(flag, `${name}=${value}`))
}

const mappingFlags: ReadonlySet<string> = new Set(['model_args', 'gen_kwargs', 'judge_args'])

/** Joins a value to its flag. A separate value that begins with `-` would be parsed as a flag. */
const withValue = (name: string, value: string): readonly string[] =>
  value.startsWith('-') || value === '' ? [`${name}=${value}`] : [name, value]
