/** `.env`: variables for the commands that are typed in its folder. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { messageOf } from '../../../base/errors/errors.js'
import { isFileSync } from '../../../base/files/path-kinds.js'

/** The variables of a folder's `.env`. */
export interface EnvFile {
  readonly path: string
  /** The variables with a value, including ones that the shell also sets. */
  readonly variables: Readonly<Record<string, string>>
  /** The reason why the file could not be read. */
  readonly problem?: string
}

/** Reads `.env`. A folder of this name is a virtual environment of Python, and no such file. */
export function readEnvFile(folder: string): EnvFile | undefined {
  const path = join(folder, '.env')
  if (!isFileSync(path)) return undefined
  try {
    const text = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
    const given = Object.entries(parseEnv(text)).filter(([, value]) => value !== undefined && value !== '')
    return { path, variables: Object.fromEntries(given) as Record<string, string> }
  } catch (error) {
    return { path, variables: {}, problem: messageOf(error) }
  }
}
