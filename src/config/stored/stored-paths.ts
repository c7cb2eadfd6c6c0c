import { isFileSync } from '../../../base/files/path-kinds.js'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { JsonObject, StoredConfig } from '../../../cache/records.js'

/** The identities of a run's models in its keys. */
interface Models {
  readonly model?: object | undefined
  readonly judge?: object | undefined
  /** The judges of single tasks and metrics. */
  readonly judges?: object | undefined
}

/**
 * Makes the relative paths of a stored configuration absolute, so that it does not depend on the working directory.
 *
 * @param folder the working directory of the command that started the run
 * @param models the identities of the models, if they are known
 */
export function withAbsolutePaths(config: StoredConfig, folder: string, models: Models): StoredConfig {
  const {
    tasks,
    system_instruction: system,
    model_args: modelArgs,
    judge_args: judgeArgs,
    judge_for: judgeFor,
    prices,
  } = config
  return {
    ...config,
    ...(tasks && { tasks: tasks.map(name => (isTaskPath(name) ? resolve(folder, name) : name)) }),
    ...(modelArgs && { model_args: absoluteArguments(modelArgs, folder, models.model) }),
    ...(judgeArgs && { judge_args: absoluteArguments(judgeArgs, folder, models.judge) }),
    ...(judgeFor && { judge_for: absoluteChoices(judgeFor, folder, models.judges) }),
    ...(prices !== undefined && { prices: resolve(folder, prices) }),
    ...(typeof system === 'string' &&
      isNamedFile(resolve(folder, system)) && { system_instruction: resolve(folder, system) }),
  }
}

/** Names of tasks, tags and groups have neither a slash nor an ending. */
export const isTaskPath = (name: string): boolean => /[\\/]|\.ya?ml$|\.[cm]?[jt]s(#.+)?$|^\.\.?$/.test(name)

/**
 * Makes path arguments absolute. A text in the model's identity is part of the run's id and stays unchanged. Other texts are paths if they look like
 * one, if their argument takes paths, or if the model is local and the file exists.
 */
function absoluteArguments(args: JsonObject, folder: string, identity: object = {}): JsonObject {
  const identityText = JSON.stringify(identity)
  const isLocal = identityText.includes('"files":{')
  const isPath = (name: string, value: string): boolean =>
    /^\.\.?([\\/]|$)/.test(value) ||
    /_(file|dir|path|folder)$/.test(name) ||
    (isLocal && value !== '' && existsSync(resolve(folder, value)))
  const absolute = Object.entries(args).map(([name, value]) => {
    const isMeant = typeof value === 'string' && !identityText.includes(JSON.stringify(value)) && isPath(name, value)
    return [name, isMeant ? resolve(folder, value) : value]
  })
  return Object.fromEntries(absolute) as JsonObject
}

const absoluteChoices = (
  choices: NonNullable<StoredConfig['judge_for']>,
  folder: string,
  identities: object | undefined,
): NonNullable<StoredConfig['judge_for']> =>
  Object.fromEntries(
    Object.entries(choices).map(([pattern, judges]) => [
      pattern,
      judges.map(judge => ({ ...judge, args: absoluteArguments(judge.args, folder, identities) })),
    ]),
  )

function isNamedFile(path: string): boolean {
  if (path.includes('\n')) return false
  try {
    return isFileSync(path)
  } catch {
    // The text is too long for a path, or has a file in place of a folder.
    return false
  }
}
