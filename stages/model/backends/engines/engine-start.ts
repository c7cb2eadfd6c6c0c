import { resolve } from 'node:path'
import { PipelineError } from '../../../../base/errors.js'
import type { BackendContext } from '../../define-backend.js'
import { firstSet } from '../http/protocol/endpoint.js'
import { installHint, type Engine } from './engine.js'
import { freePort } from './free-port.js'
import type { EngineStart } from './launch-engine.js'
import { launchable, type LaunchArguments } from './launchable.js'
import { definedOnly, secretsOf } from './program-environment.js'

const seconds = 1000
const launchSeconds = 1800

/** How an engine is started for a run. */
export async function engineStart(
  engine: Engine,
  given: LaunchArguments,
  context: BackendContext,
): Promise<EngineStart> {
  const { model, words: flags } = await launchable(engine, given, context)
  const port = given.port ?? (await freePort())
  const [program, ...words] = engine.program
  const [executable = program, ...before] = given.executable ?? []
  const key = firstSet(given.api_key)
  const env = { ...context.env, ...(key === undefined ? {} : { [engine.keyVariable]: key }) }
  const source = model.type === 'files' ? model.path : model.name
  const place = { model, source, name: given.model, port: String(port) }
  const logFile = given.log_file ?? context.logFile?.(engine.id)
  if (logFile === undefined) throw new PipelineError('config', `model ${engine.id}: give log_file=PATH`)
  return {
    name: engine.id,
    command: [executable, ...before, ...words, ...engine.serve(place), ...flags],
    env: definedOnly(env),
    secrets: secretsOf(env),
    logFile: resolve(logFile),
    origin: `http://127.0.0.1:${port}`,
    healthPath: engine.healthPath,
    startupMs: (given.startup_timeout ?? launchSeconds) * seconds,
    graceMs: given.shutdown_timeout * seconds,
    installHint: installHint(engine),
  }
}
