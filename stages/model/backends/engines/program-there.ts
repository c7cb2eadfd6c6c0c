import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { PipelineError, messageOf } from '../../../../base/errors.js'
import type { Env } from '../http/protocol/endpoint.js'

/**
 * Sees to it that a program can be started, without starting it: a path as it is, a name on the PATH.
 *
 * @throws PipelineError where it is not there, or may not be run.
 */
export async function refuseMissingProgram(
  program: string,
  { name, hint, env }: { readonly name: string; readonly hint: string; readonly env: Env },
): Promise<void> {
  const places = program.includes('/')
    ? [program]
    : (env['PATH'] ?? '').split(delimiter).map(folder => join(folder === '' ? '.' : folder, program))
  const problems = await Promise.all(places.map(whyNot))
  if (problems.includes(undefined)) return
  const forbidden = problems.find(problem => problem !== 'missing')
  const reason = forbidden ?? `there is no program "${program}"${program.includes('/') ? '' : ' on the PATH'}`
  throw new PipelineError('engine', `${name} cannot be started: ${reason}. ${hint}`)
}

async function whyNot(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return 'missing'
  } catch {
    return 'missing'
  }
  try {
    await access(path, constants.X_OK)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
