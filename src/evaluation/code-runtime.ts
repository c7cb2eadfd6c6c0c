import { HelperPrograms } from '../../base/processes/helper-programs.js'
import { present } from '../../base/values/present.js'
import { usualTimeLimit } from '../../base/time/time-limit.js'
import type { CodeRuntime } from '../../cache/code/code-runtime.js'
import { workerEnvironment } from '../../cache/code/python/python-environment.js'
import { PythonRuntime } from '../../cache/code/python/python-runtime.js'
import { codeTimeout, huggingFaceHome, variable } from '../config/variables.js'
import { hidingSecrets } from '../config/hidden-secrets.js'
import type { EvalSettings, PythonSettings, Surroundings } from '../config/settings.js'

/** A runtime of users' code that must be closed. */
export interface OpenedRuntime extends CodeRuntime {
  close(): Promise<void>
}

/**
 * Opens the runtime of users' code for one plan. Python workers start at the first call. The caller must call close().
 *
 * @throws PipelineError if a variable of the environment is wrong
 */
export function openRuntime({
  env,
  includePaths,
  python = variable(env, 'PIPELINE_PYTHON') ?? 'python3',
  allowNetwork = false,
  pythonSeconds = 60,
  pythonMemoryMb,
  modelArgs,
  judgeArgs,
  judgeFor,
}: PythonSettings &
  Pick<Surroundings, 'env' | 'includePaths'> &
  Pick<EvalSettings, 'judgeArgs' | 'judgeFor'> &
  Partial<Pick<EvalSettings, 'modelArgs'>>): OpenedRuntime {
  const seconds = codeTimeout(env)
  const runtime = new PythonRuntime({
    python,
    allowsNetwork: allowNetwork,
    seconds: pythonSeconds,
    ...(pythonMemoryMb !== undefined && { memory: pythonMemoryMb * 2 ** 20 }),
    packages: includePaths,
    // `HF_HOME` is always set, because code of tasks may read all files in that folder.
    env: { ...workerEnvironment(env), HF_HOME: huggingFaceHome(env) },
  })
  const programs = new HelperPrograms(workerEnvironment(env))
  return {
    env,
    timeLimit: seconds === undefined ? usualTimeLimit : Math.ceil(seconds * 1000),
    python: runtime,
    programs,
    hide: hidingSecrets({ env, ...present({ modelArgs, judgeArgs, judgeFor }) }),
    close: () => {
      programs.close()
      return runtime.close()
    },
  }
}

/** Runs `work` with a runtime of users' code, and closes the runtime afterwards. */
export async function withRuntime<Result>(
  settings: Parameters<typeof openRuntime>[0],
  work: (runtime: CodeRuntime) => Promise<Result>,
): Promise<Result> {
  const runtime = openRuntime(settings)
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}
