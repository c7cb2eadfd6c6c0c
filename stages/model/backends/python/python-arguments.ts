import { z } from 'zod'
import { affectsOutput, transport } from '../../backend-args.js'

/** The arguments that all models in Python have. */
export const pythonArguments = {
  batch_size: transport(
    z.number().int().min(1).default(1).describe('the maximum number of requests that the model gets at once'),
  ),
  device: transport(
    z
      .string()
      .optional()
      .describe('where the model computes, such as cuda:0 or cpu; one for each process: cuda:0+cuda:1'),
  ),
  processes: transport(z.number().int().min(1).default(1).describe('the number of processes; each loads the model')),
  timeout: transport(
    z.number().positive().optional().describe('seconds after which the process of an unanswered batch is ended'),
  ),
  python: transport(
    z.string().optional().describe('the Python interpreter (default: $PIPELINE_PYTHON, else python3)'),
    { names: 'command' },
  ),
  max_retries: transport(z.number().int().min(0).optional().describe('further attempts after a failed one')),
  args: affectsOutput(
    z.record(z.string(), z.json()).default({}).describe('further arguments; each may also be given by its own name'),
  ),
}

/**
 * The code that decides what a model is given and how its answer is read. It has no revision: the digests of these files
 * are in the keys, so that no change of the Python code can be forgotten.
 */
export const pythonCode = {
  files: [
    'src/python/models.py',
    'src/python/models_classes.py',
    'src/python/models_cpu.py',
    'src/python/models_files.py',
    'src/python/models_hf.py',
    'src/python/models_hf_prompts.py',
    'src/python/models_hf_text.py',
    'src/python/models_lmms.py',
    'src/python/models_load.py',
    'src/python/models_main.py',
    'src/python/models_media.py',
    'src/python/models_standins.py',
    'stages/model/backends/python/model-requests.ts',
  ],
}

/** Arguments that say where a model computes. They are not in keys, because they do not name another computation. */
export const placeArguments: readonly string[] = ['device', 'device_map']

/** Another batch is ready while a process computes one. */
export const requestsFor = ({ batch_size: size, processes }: PythonSizes): number => 2 * size * processes

interface PythonSizes {
  readonly batch_size: number
  readonly processes: number
}
