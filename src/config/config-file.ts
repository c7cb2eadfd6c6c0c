import { emptyTable } from '../../base/values/named-values.js'
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { PipelineError, messageOf, systemCode } from '../../base/errors/errors.js'
import { readText } from '../../base/files/files.js'
import { inOrderOfPlaces } from '../../base/errors/place-order.js'
import { shownPath } from '../../base/files/shown-path.js'
import { didYouMean } from '../../base/text/suggest.js'
import { projectRoot } from '../../cache/code/project-root.js'
import { shellWord } from '../../base/text/shell-word.js'
import { configSchema, expectationOf, type Config } from './config-schema.js'
import { keyOf } from './option.js'
import { allOptions } from './options.js'
import { lineOptions } from './options/line-options.js'
import { parseYamlMappings, type YamlMapping } from './yaml-mapping.js'

/** The settings of one run. */
export interface ConfiguredRun {
  readonly config: Config
  /** The position of the run in the file: `file:line:column`. */
  readonly place: string
}

/**
 * Reads `--config FILE.yaml`: one run, or a list of runs.
 *
 * Keys are the flags of `eval`, with underscores or dashes. A path that begins with `./` or `../` is relative to the folder of the file. Any other
 * is relative to the working directory, as on the command line.
 *
 * @throws PipelineError that names every mistake with file:line:column.
 */
export async function readConfigFile(path: string): Promise<readonly ConfiguredRun[]> {
  return parseConfig(await textOf(path), path)
}

async function textOf(path: string): Promise<string> {
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
  const runs = parseYamlMappings(text, shownPath(path)).map(mapping => ({ ...checked(mapping), mapping }))
  const problems = runs.flatMap(run => run.problems)
  if (problems.length > 0) throw new PipelineError('config', inOrderOfPlaces(problems))
  return runs.map(({ config, mapping }) => ({ config: fromFolder(config, folder), place: mapping.placeOf([]) }))
}

function checked(mapping: YamlMapping): { readonly config: Config; readonly problems: readonly string[] } {
  const keys = new Map(Object.keys(mapping.value).map(key => [key, key.replaceAll('-', '_')]))
  const value = emptyTable<unknown>()
  const problems: string[] = []
  for (const [key, name] of keys) {
    if (name in value) problems.push(`${mapping.placeOfKey(key)}  ${key}: is given twice`)
    // A key without a value is ignored.
    else if (mapping.value[key] !== null) value[name] = mapping.value[key]
  }
  const parsed = configSchema.safeParse(value)
  if (parsed.success) return { config: parsed.data, problems }
  const original = new Map([...keys].map(([key, name]) => [name, key]))
  problems.push(...parsed.error.issues.flatMap(issue => problemsOf(issue, mapping, original)))
  return { config: {}, problems }
}

type Issue = NonNullable<ReturnType<typeof configSchema.safeParse>['error']>['issues'][number]

function problemsOf(issue: Issue, mapping: YamlMapping, original: ReadonlyMap<string, string>): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, 100).map(name => {
      const key = original.get(name) ?? name
      return `${mapping.placeOfKey(key)}  ${key}: no such key.${didYouMean(name, Object.keys(configSchema.shape))}`
    })
  }
  const name = String(issue.path[0])
  const key = original.get(name) ?? name
  const given = JSON.stringify(mapping.value[key])
  const expected = expectationOf(name) ?? issue.message
  return [`${mapping.placeOf([key, ...issue.path.slice(1)])}  ${key}: expected ${expected}, given ${given}`]
}

function fromFolder(config: Config, folder: string): Config {
  const place = (path: string): string => (/^\.\.?(\/|$)/.test(path) ? resolve(folder, path) : path)
  const placed = (value: unknown): unknown =>
    typeof value === 'string' ? place(value) : Array.isArray(value) ? value.map(placed) : value
  const { model_args: args } = config
  const values: Readonly<Record<string, unknown>> = config
  const paths = pathKeys.flatMap(key => (values[key] === undefined ? [] : [[key, placed(values[key])] as const]))
  return {
    ...config,
    // A path is a text before and after.
    ...(Object.fromEntries(paths) as Partial<Config>),
    ...(args !== undefined &&
      typeof args !== 'string' && {
        model_args: Object.fromEntries(
          Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? place(value) : value]),
        ),
      }),
  }
}

const pathKeys = Object.entries({ ...allOptions, ...lineOptions }).flatMap(([name, spec]) =>
  'isPath' in spec ? [keyOf(name)] : [],
)
