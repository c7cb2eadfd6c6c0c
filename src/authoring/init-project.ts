/** Writes the first files of a project: a task and a configuration. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { stringify } from 'yaml'
import { PipelineError } from '../../base/errors/errors.js'
import { refuseStorePath } from '../../cache/output-path.js'
import { present } from '../../base/values/present.js'
import type { JsonObject } from '../../cache/records.js'
import { writtenYaml } from './data-task-text.js'
import { writeTaskFromData, type DataTaskDraft } from './task-from-data.js'
import { writeStarter } from './task-starter.js'

/** The choices from flags or from the user's answers. */
export interface ProjectChoices {
  /** The folder of the project. */
  readonly dir: string
  /** The name of the task. */
  readonly name: string
  readonly model: string
  readonly modelArgs: JsonObject
  /** The variable that holds the key, where the model needs one, and the variable that the model reads. */
  readonly key?: { readonly variable: string; readonly usual: string }
  /** The data file. Without one, the task gets rows to be changed. */
  readonly data?: string
  readonly target?: string
}

/** The files that were written. */
export interface WrittenProject {
  readonly files: readonly string[]
  readonly config: string
  /** Notes about guesses from the data. */
  readonly guesses: readonly string[]
}

/** The name of the configuration. */
const configName = 'eval.yaml'

/** Returns the path of a new configuration in a folder. @throws PipelineError if it exists already, or would be a part of a store */
export function findNewConfig(dir: string): string {
  const config = join(dir, configName)
  refuseStorePath({ path: config, label: 'init' })
  if (!existsSync(config)) return config
  throw new PipelineError('usage', `init: ${config} is there already. Remove it, or give another folder with --dir`)
}

/**
 * Writes a new project.
 *
 * @param onDraft is called with the task for the data, before anything is written. Nothing is written if it throws.
 * @throws PipelineError if one of the files exists already, or the data cannot be read
 */
export async function writeProject(
  choices: ProjectChoices,
  onDraft?: (draft: DataTaskDraft) => void | Promise<void>,
): Promise<WrittenProject> {
  const { dir, name, data, target } = choices
  const config = findNewConfig(dir)
  const task =
    data === undefined
      ? { files: await writeStarter(name, dir), guesses: [] }
      : await writeTaskFromData(name, { dir, file: data, ...present({ target, onDraft }) }).then(
          ({ file, guesses }) => ({ files: [file], guesses }),
        )
  await writeFile(config, formatConfig(choices))
  return { files: [...task.files, config], config, guesses: task.guesses }
}

function formatConfig({ name, model, modelArgs, key }: ProjectChoices): string {
  const keys = {
    model,
    ...(Object.keys(modelArgs).length > 0 && { model_args: modelArgs }),
    tasks: `./${name}`,
    ...(key !== undefined && key.variable !== key.usual && { env: { [key.usual]: `\${${key.variable}}` } }),
  }
  return `# Made by pipeline init. Keys are the flags of pipeline eval: docs/cli/configuration.md\n${stringify(keys, writtenYaml)}`
}

/** Makes the name of a task from the name of a data file. */
export function nameTask(data: string | undefined): string {
  if (data === undefined) return 'mytask'
  const plain = basename(data, extname(data))
    .replace(/\W+/g, '_')
    .replace(/^[^a-z]+/i, '')
  return plain === '' ? 'mytask' : plain
}
