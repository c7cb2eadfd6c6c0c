/** The settings that every command gets from its working folder: `pipeline.yaml` and `.env`. */
import { join } from 'node:path'
import { isFileSync } from '../../../base/files/path-kinds.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import type { Environment } from '../settings.js'
import { decodeEnvFile, parseEnvFile } from './env-file.js'
import type { FolderDefaults } from './folder-defaults.js'
import { readFileSync } from 'node:fs'
import { messageOf } from '../../../base/errors/errors.js'

/** The name of the file with the defaults of a folder. */
export const folderFile = 'pipeline.yaml'

/** The settings of a folder. */
export interface FolderSettings {
  readonly defaults?: FolderDefaults
  readonly envFile?: EnvFile
  /** Variables that the shell does not set, with their values. */
  readonly variables: Readonly<Record<string, string>>
  /** Notes about the files in use. */
  readonly notes: readonly string[]
}

/** The settings of a folder without any. */
export const noFolderSettings: FolderSettings = { variables: {}, notes: [] }

/**
 * Reads the settings of a folder. Variables of the shell have precedence over both files.
 *
 * @throws PipelineError that names every mistake of `pipeline.yaml`
 */
export async function readFolderSettings(folder: string, env: Environment): Promise<FolderSettings> {
  const envFile = readEnvFile(folder)
  const path = join(folder, folderFile)
  // Most folders have no such file, and need not load what reads it.
  const read = isFileSync(path) ? await (await import('./folder-defaults.js')).readFolderDefaults(path) : undefined
  const defaults = typeof read === 'string' ? undefined : read
  const fromFile = unset(envFile?.variables ?? {}, env)
  const fromDefaults = unset(
    Object.fromEntries(Object.entries(defaults?.environment ?? {}).map(([name, { value }]) => [name, value])),
    { ...fromFile, ...env },
  )
  const parts = [
    ...(defaults === undefined ? [] : [`${defaults.file} (${defaults.keys.join(', ')})`]),
    ...(Object.keys(fromFile).length === 0
      ? []
      : [`.env (${formatQuantity(Object.keys(fromFile).length, 'variable')})`]),
  ]
  return {
    ...(defaults && { defaults }),
    ...(envFile && { envFile }),
    variables: { ...fromFile, ...fromDefaults },
    notes: [
      ...(typeof read === 'string' ? [`note: ${read}`] : []),
      ...(envFile?.problem === undefined ? [] : [`note: ${shownPath(envFile.path)} is ignored: ${envFile.problem}`]),
      ...(envFile?.notes ?? []).map(note => `note: ${note}`),
      ...(parts.length === 0 ? [] : [`defaults of this folder: ${parts.join(', ')}`]),
    ],
  }
}

const unset = (variables: Readonly<Record<string, string>>, env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => env[name] === undefined))

/** The variables of a folder's `.env`. */
interface EnvFile {
  readonly path: string
  /** The variables with a value, including ones that the shell also sets. */
  readonly variables: Readonly<Record<string, string>>
  /** Remarks about single lines, with their position. */
  readonly notes?: readonly string[]
  /** The reason why the file could not be read. */
  readonly problem?: string
}

/** Reads `.env`. A folder of this name is a virtual environment of Python, and no such file. */
function readEnvFile(folder: string): EnvFile | undefined {
  const path = join(folder, '.env')
  if (!isFileSync(path)) return undefined
  try {
    const { variables, problems } = parseEnvFile(decodeEnvFile(readFileSync(path)))
    const filled = Object.entries(variables).filter(([, value]) => value !== '')
    return {
      path,
      variables: Object.fromEntries(filled),
      notes: problems.map(({ line, reason }) => `${shownPath(path)}:${line}  ${reason}`),
    }
  } catch (error) {
    return { path, variables: {}, problem: messageOf(error) }
  }
}
