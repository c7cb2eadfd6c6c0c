import { resolve } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import type { BackendContext } from '../../define-backend.js'
import { secretsIn } from '../../../../base/text/secrets.js'
import { definedOnly, type EngineStart, freePort } from '../engines/launch-engine.js'
import { installHint, modelsFolder, type OllamaArguments } from './arguments.js'

const startupSeconds = 60
/** The maximum number of parallel requests by default. Each needs memory for its own context. */
const mostParallel = 16

/** Prepares the start of `ollama serve`, which is configured by its environment. */
export async function serverStart(
  args: OllamaArguments,
  context: BackendContext,
  concurrency: number,
): Promise<EngineStart> {
  const port = args.port ?? (await freePort())
  const [program = 'ollama', ...words] = args.executable ?? []
  const logFile = args.log_file ?? context.logFile?.('ollama')
  if (logFile === undefined) throw new PipelineError('config', 'model ollama: give log_file=PATH')
  const env = {
    ...context.env,
    OLLAMA_HOST: `127.0.0.1:${port}`,
    OLLAMA_NUM_PARALLEL: String(Math.min(context.concurrency ?? concurrency, mostParallel)),
    OLLAMA_MODELS: modelsFolder(args.models_dir, context.env),
  }
  return {
    name: 'ollama',
    command: [program, ...words, 'serve'],
    env: definedOnly(env),
    secrets: secretsIn(env),
    logFile: resolve(logFile),
    origin: `http://127.0.0.1:${port}`,
    healthPath: '/api/version',
    startupMs: (args.startup_timeout ?? startupSeconds) * 1000,
    graceMs: args.shutdown_timeout * 1000,
    installHint,
  }
}
