import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { PipelineError } from '../../base/errors/errors.js'

/**
 * Finds out who labels: `$PIPELINE_AUTHOR`, else git's `user.name`, else the login name.
 *
 * @throws PipelineError (usage) if none of them is set
 */
export async function authorName(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const name = env['PIPELINE_AUTHOR']?.trim() || (await gitName(env)) || loginName()
  if (name === '')
    throw new PipelineError('usage', 'nobody knows who you are: give --author NAME, or set PIPELINE_AUTHOR')
  return name
}

/** Git may be missing, or have no name for this user. Then the login name tells who labels. */
async function gitName(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['config', 'user.name'], { env, timeout: 5_000 })
    return stdout.trim()
  } catch {
    return ''
  }
}

/** In a container, a user may have no entry among the users of the system. */
function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
