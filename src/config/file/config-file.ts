import { existsSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { PipelineError, messageOf, systemCode } from '../../../base/errors/errors.js'
import { readText } from '../../../base/files/files.js'
import { inOrderOfPlaces } from '../../../base/errors/place-order.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { projectRoot } from '../../../cache/code/project-root.js'
import { shellWord } from '../../../base/text/shell-word.js'
import { checkMapping, resolvePaths } from './checked-mapping.js'
import type { Config } from './config-schema.js'
import { emptyMapping, inFolder, type ConfigMapping } from './config-mapping.js'
import { expandExperiment, isExperiment } from './experiment.js'
import { readExtended } from './extended-file.js'
import { addSources, type ConfigSources } from './sources.js'
import { parseYamlMappings } from './yaml-mapping.js'

/** The settings of one run. */
export interface ConfiguredRun {
  readonly config: Config
  /** The keys as written, with their positions in files. */
  readonly mapping: ConfigMapping
  /** The position of the run in the file: `file:line:column`. */
  readonly location: string
  /** The position of a value in the file: `file:line:column`. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** The names of the run's model, variant and generation settings, such as `mini/cot`, if the file is an experiment. */
  readonly cell?: string
}

/**
 * Reads `--config FILE.yaml`: one run, a list of runs, or an experiment with a run for each combination.
 *
 * Keys are the flags of `eval`, with underscores or dashes. A path that begins with `./` or `../` is relative to the folder of its file. Other paths
 * are relative to the working directory, as on the command line.
 *
 * @param path the file. Without it, the other sources make one run
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

/** Resolves the path of an example. The documentation names examples from the project's folder, and an installed package contains them, too. */
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
    config: resolvePaths(config, mapping),
    mapping,
    location: mapping.placeOf([]),
    at: path => mapping.placeOf(path),
    ...(cell !== undefined && { cell }),
  }))
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
