/** Sends a run through the Python package of a tracker, in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { workerEnvironment } from '../../../cache/code/python/python-environment.js'
import { projectRoot } from '../../../cache/code/project-root.js'
import type { Environment } from '../../config/settings.js'

/** The interpreter of the process, and the environment that it sees. */
export interface PackageProcess {
  readonly python: string
  readonly env: Environment
  readonly signal: AbortSignal
}

/** The variables of each package, which hold its login. Those of model servers stay here. */
const ownVariables = /^(WANDB_|SWANLAB_|TRACKIO_|HF_|GRADIO_|(HTTPS?|ALL)_PROXY$|https?_proxy$|all_proxy$)/

/**
 * Runs `src/python/track.py`.
 *
 * @returns where the run is, if the package says so
 * @throws PipelineError if the package is missing or fails
 */
export async function runPackage(
  tool: string,
  request: Readonly<Record<string, Json>>,
  { python, env, signal }: PackageProcess,
): Promise<string | undefined> {
  const own = Object.entries(env).filter(([name]) => ownVariables.test(name))
  const child = spawn(python, ['-u', join(projectRoot, 'src/python/track.py')], {
    env: { ...workerEnvironment(env), ...Object.fromEntries(own), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: 'pipe',
    signal,
  })
  // The end of the process is reported below.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify({ tool, ...request }))
  const [answer, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr), waitForEnd(child, python)])
  const read = readAnswer(answer)
  const { where, missing, error } = read
  if (typeof missing === 'string')
    throw new PipelineError(
      'usage',
      `${python} has no package "${missing}". Install it: ${python} -m pip install ${missing}, or name the Python that has it with ${option('python')} or PIPELINE_PYTHON`,
    )
  if ('where' in read) return typeof where === 'string' ? where : undefined
  const last = errorOutput.trim().split('\n').at(-1) ?? ''
  throw new PipelineError('usage', `${tool} failed: ${typeof error === 'string' ? error : last}`)
}

async function waitForEnd(child: ReturnType<typeof spawn>, python: string): Promise<void> {
  try {
    await once(child, 'close')
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new PipelineError(
      'usage',
      `there is no Python "${python}". Name one with ${option('python')} or PIPELINE_PYTHON`,
      { cause: error },
    )
  }
}

function readAnswer(answer: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(answer)
    return isObject(parsed) ? parsed : {}
  } catch {
    // A process that died has answered nothing or half a line.
    return {}
  }
}
