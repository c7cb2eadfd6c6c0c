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
import { readAssignments, refuseListItems } from './assignments.js'
import { emptyMapping, inFolder, mergeMappings, type ConfigMapping, type Path } from './config-mapping.js'
import { readExtended } from './extended-file.js'
import { parseYamlMappings } from './yaml-mapping.js'

/** The settings of one run. */
export interface ConfiguredRun {
  readonly config: Config
  /** The keys as they are written, with their places. */
  readonly mapping: ConfigMapping
  /** The position of the run in the file: `file:line:column`. */
  readonly location: string
  /** The position of a value in the file: `file:line:column`. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** The names of what the run combines, such as `mini/cot`, if the file is an experiment. */
  readonly cell?: string
}

/** The sources of keys beside a configuration file. */
export interface ConfigSources {
  /** Texts of `--set`. */
  readonly set?: readonly string[]
}

/**
 * Reads `--config FILE.yaml`: one run, a list of runs, or an experiment, which is a run for each of its combinations.
 *
 * Keys are the flags of `eval`, with underscores or dashes. A path that begins with `./` or `../` is relative to the folder of its file. Any other
 * is relative to the working directory, as on the command line.
 *
 * @param path without it, there is one run, with the keys of the other sources
 * @throws PipelineError that names every mistake with file:line:column.
 */
export async function readConfigFile(
  path: string | undefined,
  sources: ConfigSources = {},
): Promise<readonly ConfiguredRun[]> {
  if (path === undefined) return configureRuns([emptyMapping], 'experiment', sources)
  const mappings = readMappings(await readConfigText(path), path)
  const extended = await Promise.all(mappings.map(mapping => readExtended(mapping, path)))
  return configureRuns(extended, nameOfFile(path), sources)
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

/** Parses the text of a configuration file, as {@link readConfigFile} does, without the files that it extends. */
export const parseConfig = (text: string, path: string): readonly ConfiguredRun[] =>
  configureRuns(readMappings(text, path), nameOfFile(path), {})

const nameOfFile = (path: string): string => basename(path, extname(path))

const readMappings = (text: string, path: string): readonly ConfigMapping[] =>
  parseYamlMappings(text, shownPath(path)).map(mapping => inFolder(mapping, dirname(resolve(path))))

/** @param experiment the name of an experiment that names none */
function configureRuns(
  mappings: readonly ConfigMapping[],
  experiment: string,
  sources: ConfigSources,
): readonly ConfiguredRun[] {
  const layered = mappings.map(mapping => addSources(mapping, sources))
  const runs = expandMappings(layered, experiment).map(run => ({ ...checkMapping(run.mapping), ...run }))
  // Runs of an experiment share keys, and so their mistakes.
  const problems = [...new Set(runs.flatMap(run => run.problems))]
  if (problems.length > 0) throw new PipelineError('config', inOrderOfPlaces(problems))
  return runs.map(({ config, mapping, cell }) => ({
    config: fromFolder(config, mapping),
    mapping,
    location: mapping.placeOf([]),
    at: path => mapping.placeOf(path),
    ...(cell !== undefined && { cell }),
  }))
}

function addSources(mapping: ConfigMapping, { set = [] }: ConfigSources): ConfigMapping {
  if (set.length === 0) return mapping
  refuseListItems(set, mapping)
  return mergeMappings([mapping, readAssignments(set)], mapping)
}

/** @throws PipelineError if the keys of an experiment are wrong */
function expandMappings(
  mappings: readonly ConfigMapping[],
  name: string,
): readonly { readonly mapping: ConfigMapping; readonly cell?: string }[] {
  const [only] = mappings
  if (only === undefined || mappings.length > 1 || !isExperiment(only)) return mappings.map(mapping => ({ mapping }))
  const { runs, problems } = expandExperiment(only, name)
  if (problems.length > 0) throw new PipelineError('config', inOrderOfPlaces(problems))
  return runs
}

function checkMapping(mapping: ConfigMapping): { readonly config: Config; readonly problems: readonly string[] } {
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
const referenceProblems = (mapping: ConfigMapping): readonly string[] =>
  Object.entries(mapping.value)
    .filter(([key]) => /^(model|judge)[-_]args$/.test(key))
    .flatMap(([key, value]) => referencesIn(value, [key], mapping))

function referencesIn(value: unknown, path: readonly PropertyKey[], mapping: ConfigMapping): readonly string[] {
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
  mapping: ConfigMapping,
  original: ReadonlyMap<string, string>,
): string {
  const path = [original.get(String(name)) ?? name, ...inner]
  const location = isUnknownKey && inner.length === 0 ? mapping.placeOfKey(String(path[0])) : mapping.placeOf(path)
  return `${location}  ${pathText(path)}: ${text}`
}

/** Resolves relative paths from the folders of the files that they stand in. */
function fromFolder(config: Config, mapping: ConfigMapping): Config {
  const locate = (path: string, at: Path): string =>
    /^\.\.?(\/|$)/.test(path) ? resolve(mapping.folderOf(at), path) : path
  const resolvePaths = (value: unknown, at: Path): unknown =>
    typeof value === 'string'
      ? locate(value, at)
      : Array.isArray(value)
        ? value.map(inner => resolvePaths(inner, at))
        : value
  const { model_args: args, track } = config
  const values: Readonly<Record<string, unknown>> = config
  const paths = pathKeys.flatMap(key =>
    values[key] === undefined ? [] : [[key, resolvePaths(values[key], [key])] as const],
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
      track: track.map(one => trackerFrom(one, (path, name) => locate(path, ['track', name]))),
    }),
  }
}

/** A tracker whose paths are meant from the file's folder. */
function trackerFrom(one: string | NamedTracker, locate: (path: string, tracker: string) => string): NamedTracker {
  const { name, given } = typeof one === 'string' ? readTracker(one) : one
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
