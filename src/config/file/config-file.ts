import { emptyTable } from '../../../base/values/named-values.js'
import { existsSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { PipelineError, messageOf, systemCode } from '../../../base/errors/errors.js'
import { readText } from '../../../base/files/files.js'
import { pathText, schemaMistakes, type SchemaMistake } from '../../../base/errors/schema-mistakes.js'
import { inOrderOfPlaces } from '../../../base/errors/place-order.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { projectRoot } from '../../../cache/code/project-root.js'
import { shellWord } from '../../../base/text/shell-word.js'
import { configSchema, expectationAt, type Config } from './config-schema.js'
import { referenceProblem } from './config-env.js'
import { expandExperiment, isExperiment } from './experiment.js'
import { formatFileKey } from '../option.js'
import { allOptions } from '../options.js'
import { lineOptions } from '../options/line-options.js'
import { lmmsTrackOptions, readTracker, trackOptions, type NamedTracker } from '../options/track-options.js'
import { parseYamlMappings, type YamlMapping } from './yaml-mapping.js'

/** The settings of one run. */
export interface ConfiguredRun {
  readonly config: Config
  /** The position of the run in the file: `file:line:column`. */
  readonly location: string
  /** The position of a value in the file: `file:line:column`. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** The names of what the run combines, such as `mini/cot`, if the file is an experiment. */
  readonly cell?: string
}

/**
 * Reads `--config FILE.yaml`: one run, a list of runs, or an experiment, which is a run for each of its combinations.
 *
 * Keys are the flags of `eval`, with underscores or dashes. A path that begins with `./` or `../` is relative to the folder of the file. Any other
 * is relative to the working directory, as on the command line.
 *
 * @throws PipelineError that names every mistake with file:line:column.
 */
export async function readConfigFile(path: string): Promise<readonly ConfiguredRun[]> {
  return parseConfig(await readConfigText(path), path)
}

async function readConfigText(path: string): Promise<string> {
  try {
    return await readText(path)
  } catch (error) {
    const where = systemCode(error) === 'ENOENT' ? comesWithUs(path) : ''
    throw new PipelineError('config', `--config ${path}: ${messageOf(error)}${where}`, { cause: error })
  }
}

/** Finds the examples of the documents, which name them from the project's folder, in an installed package, too. */
function comesWithUs(path: string): string {
  const ours = join(projectRoot, path)
  return !isAbsolute(path) && existsSync(ours) ? `. The one that came with the program: ${shellWord(ours)}` : ''
}

/** Parses the text of a configuration file, as {@link readConfigFile} does. */
export function parseConfig(text: string, path: string): readonly ConfiguredRun[] {
  const folder = dirname(resolve(path))
  const runs = listMappings(text, path).map(run => ({ ...checkMapping(run.mapping), ...run }))
  // Runs of an experiment share keys, and so their mistakes.
  const problems = [...new Set(runs.flatMap(run => run.problems))]
  if (problems.length > 0) throw new PipelineError('config', inOrderOfPlaces(problems))
  return runs.map(({ config, mapping, cell }) => ({
    config: fromFolder(config, folder),
    location: mapping.placeOf([]),
    at: path => mapping.placeOf(path),
    ...(cell !== undefined && { cell }),
  }))
}

/** @throws PipelineError if the text is no YAML, or the keys of an experiment are wrong */
function listMappings(
  text: string,
  path: string,
): readonly { readonly mapping: YamlMapping; readonly cell?: string }[] {
  const mappings = parseYamlMappings(text, shownPath(path))
  const [only] = mappings
  if (only === undefined || mappings.length > 1 || !isExperiment(only)) return mappings.map(mapping => ({ mapping }))
  const { runs, problems } = expandExperiment(only, basename(path, extname(path)))
  if (problems.length > 0) throw new PipelineError('config', inOrderOfPlaces(problems))
  return runs
}

function checkMapping(mapping: YamlMapping): { readonly config: Config; readonly problems: readonly string[] } {
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

/** Arguments that are references to variables, which a model would get as they are written. */
const referenceProblems = (mapping: YamlMapping): readonly string[] =>
  Object.entries(mapping.value)
    .filter(([key]) => /^(model|judge)[-_]args$/.test(key))
    .flatMap(([key, value]) => referencesIn(value, [key], mapping))

function referencesIn(value: unknown, path: readonly PropertyKey[], mapping: YamlMapping): readonly string[] {
  if (typeof value === 'string') {
    const problem = referenceProblem(value)
    return problem === undefined ? [] : [`${mapping.placeOf(path)}  ${path.join('.')}: ${problem}`]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => referencesIn(inner, [...path, key], mapping))
}

/** Keys whose values may be secrets, which no message repeats. */
const holdsSecrets: ReadonlySet<string> = new Set([
  'model_args',
  'judge_args',
  'env',
  ...Object.keys({ ...trackOptions, ...lmmsTrackOptions }).map(formatFileKey),
])

function formatProblem(
  { path: [name = '', ...inner], text, isUnknownKey }: SchemaMistake,
  mapping: YamlMapping,
  original: ReadonlyMap<string, string>,
): string {
  const path = [original.get(String(name)) ?? name, ...inner]
  const location = isUnknownKey && inner.length === 0 ? mapping.placeOfKey(String(path[0])) : mapping.placeOf(path)
  return `${location}  ${pathText(path)}: ${text}`
}

function fromFolder(config: Config, folder: string): Config {
  const locate = (path: string): string => (/^\.\.?(\/|$)/.test(path) ? resolve(folder, path) : path)
  const resolvePaths = (value: unknown): unknown =>
    typeof value === 'string' ? locate(value) : Array.isArray(value) ? value.map(resolvePaths) : value
  const { model_args: args, track } = config
  const values: Readonly<Record<string, unknown>> = config
  const paths = pathKeys.flatMap(key => (values[key] === undefined ? [] : [[key, resolvePaths(values[key])] as const]))
  return {
    ...config,
    // A path is a text before and after.
    ...(Object.fromEntries(paths) as Partial<Config>),
    ...(args !== undefined &&
      typeof args !== 'string' && {
        model_args: Object.fromEntries(
          Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? locate(value) : value]),
        ),
      }),
    ...(track !== undefined && { track: track.map(one => trackerFrom(one, locate)) }),
  }
}

/** A tracker whose paths are meant from the file's folder. */
function trackerFrom(one: string | NamedTracker, locate: (path: string) => string): NamedTracker {
  const { name, given } = typeof one === 'string' ? readTracker(one) : one
  if (typeof given === 'string') return { name, given: locate(given) }
  const settings = Object.entries(given).map(([key, value]) => [key, typeof value === 'string' ? locate(value) : value])
  return { name, given: Object.fromEntries(settings) as NamedTracker['given'] }
}

const pathKeys = Object.entries({ ...allOptions, ...lineOptions }).flatMap(([name, spec]) =>
  'isPath' in spec ? [formatFileKey(name)] : [],
)
