import { z } from 'zod'
import { affectsOutput, transport } from '../../backend-args.js'

/** The arguments that all models in Python have. */
export const pythonArguments = {
  batch_size: transport(
    z.number().int().min(1).default(1).describe('the maximum number of requests that the model gets at once'),
  ),
  device: transport(z.string().optional().describe('where the model computes, such as cuda:0 or cpu')),
  python: transport(
    z.string().optional().describe('the Python interpreter (default: $PIPELINE_PYTHON, else python3)'),
    { names: 'command' },
  ),
  max_retries: transport(z.number().int().min(0).optional().describe('further attempts after a failed one')),
  args: affectsOutput(
    z.record(z.string(), z.json()).default({}).describe('further arguments; each may also be given by its own name'),
  ),
}

/** The code that decides what a model is given and how its answer is read. The identity has a number for that in Python. */
export const pythonCode = {
  files: ['stages/model/backends/python/model-requests.ts'],
}

/** Another batch is ready while the model computes one. */
export const requestsFor = ({ batch_size: size }: { readonly batch_size: number }): number => 2 * size
