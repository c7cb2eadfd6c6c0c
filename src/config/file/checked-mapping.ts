/** Checks a mapping of configuration keys, and resolves its paths. */
import { resolve } from 'node:path'
import { pathText, schemaMistakes, type SchemaMistake } from '../../../base/errors/schema-mistakes.js'
import { emptyTable } from '../../../base/values/named-values.js'
import { formatFileKey } from '../option.js'
import { allOptions } from '../options.js'
import { lineOptions } from '../options/line-options.js'
import { lmmsTrackOptions, readTracker, trackOptions, type NamedTracker } from '../options/track-options.js'
import { findReference } from './config-env.js'
import type { ConfigMapping, Path } from './config-mapping.js'
import { configSchema, expectationAt, type Config } from './config-schema.js'

/**
 * Checks the keys of a run and the types of their values.
 *
 * @returns the mistakes, each with its position in the file
 */
export function checkMapping(mapping: ConfigMapping): {
  readonly config: Config
  readonly problems: readonly string[]
} {
  const keys = new Map(Object.keys(mapping.value).map(key => [key, key.replaceAll('-', '_')]))
  const value = emptyTable<unknown>()
  const problems: string[] = []
  for (const [key, name] of keys) {
    if (name in value) problems.push(`${mapping.placeOfKey(key)}  ${key}: is given twice`)
    // A key without a value is ignored.
    else if (mapping.value[key] !== null) value[name] = mapping.value[key]
  }
  const parsed = configSchema.safeParse(value)
  if (parsed.success) return { config: parsed.data, problems: [...problems, ...referenceProblems(mapping)] }
  const original = new Map([...keys].map(([key, name]) => [name, key]))
  const mistakes = schemaMistakes(parsed.error.issues, value, {
    known: Object.keys(configSchema.shape),
    expected: expectationAt,
    isHidden: ([key]) => holdsSecrets.has(String(key)),
  })
  problems.push(...mistakes.map(mistake => formatProblem(mistake, mapping, original)))
  return { config: {}, problems }
}

/** Keys with free text, in which `$NAME` is not an error: prompts and notes. References in `env` are replaced. */
const freeTexts: ReadonlySet<string> = new Set([
  ...['env', 'gen_kwargs', 'name', 'note', 'override', 'reasoning_tags', 'system_instruction', 'tag'],
])

/** Lists references to variables in values where they are not replaced, such as a model's name, a path or an address. */
const referenceProblems = (mapping: ConfigMapping): readonly string[] =>
  Object.entries(mapping.value)
    .filter(([key]) => !freeTexts.has(key.replaceAll('-', '_')))
    .flatMap(([key, value]) => referencesIn(value, [key], mapping))

function referencesIn(value: unknown, path: readonly PropertyKey[], mapping: ConfigMapping): readonly string[] {
  if (typeof value === 'string') {
    const reference = findReference(value)
    if (reference === undefined) return []
    const instead = /^(model|judge)[-_]args$/.test(String(path[0]))
      ? 'set the variable that the model reads there (docs/models/), or give the argument with --model-args'
      : 'write the value itself, or give it as a flag'
    return [
      `${mapping.placeOf(path)}  ${path.join('.')}: ${reference} is not replaced here. Variables are replaced in the values of env only: ${instead}`,
    ]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => referencesIn(inner, [...path, key], mapping))
}

/** Keys with values that may be secret. Messages do not repeat them. */
const holdsSecrets: ReadonlySet<string> = new Set([
  'model_args',
  'judge_args',
  'env',
  ...Object.keys({ ...trackOptions, ...lmmsTrackOptions }).map(formatFileKey),
])

function formatProblem(
  { path: [name = '', ...inner], text, isUnknownKey }: SchemaMistake,
  mapping: ConfigMapping,
  original: ReadonlyMap<string, string>,
): string {
  const path = [original.get(String(name)) ?? name, ...inner]
  const location = isUnknownKey && inner.length === 0 ? mapping.placeOfKey(String(path[0])) : mapping.placeOf(path)
  return `${location}  ${pathText(path)}: ${text}`
}

/** Resolves relative paths from the folder of the file that contains them. */
export function resolvePaths(config: Config, mapping: ConfigMapping): Config {
  const locate = (path: string, at: Path): string =>
    /^\.\.?(\/|$)/.test(path) ? resolve(mapping.folderOf(at), path) : path
  const resolveValue = (value: unknown, at: Path): unknown =>
    typeof value === 'string'
      ? locate(value, at)
      : Array.isArray(value)
        ? value.map(inner => resolveValue(inner, at))
        : value
  const { model_args: args, track } = config
  const values: Readonly<Record<string, unknown>> = config
  const paths = pathKeys.flatMap(key =>
    values[key] === undefined ? [] : [[key, resolveValue(values[key], [key])] as const],
  )
  return {
    ...config,
    // A path is a text before and after.
    ...(Object.fromEntries(paths) as Partial<Config>),
    ...(args !== undefined &&
      typeof args !== 'string' && {
        model_args: Object.fromEntries(
          Object.entries(args).map(([name, value]) => [
            name,
            typeof value === 'string' ? locate(value, ['model_args', name]) : value,
          ]),
        ),
      }),
    ...(track !== undefined && {
      track: track.map(tracker => trackerFrom(tracker, (path, name) => locate(path, ['track', name]))),
    }),
  }
}

/** Parses a tracker, and resolves its paths from the file's folder. */
function trackerFrom(tracker: string | NamedTracker, locate: (path: string, tracker: string) => string): NamedTracker {
  const { name, given } = typeof tracker === 'string' ? readTracker(tracker) : tracker
  if (typeof given === 'string') return { name, given: locate(given, name) }
  const settings = Object.entries(given).map(([key, value]) => [
    key,
    typeof value === 'string' ? locate(value, name) : value,
  ])
  return { name, given: Object.fromEntries(settings) as NamedTracker['given'] }
}

const pathKeys = Object.entries({ ...allOptions, ...lineOptions }).flatMap(([name, spec]) =>
  'isPath' in spec ? [formatFileKey(name)] : [],
)
