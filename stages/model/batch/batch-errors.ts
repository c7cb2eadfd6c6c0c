import { PipelineError } from '../../../base/errors/errors.js'
import { command } from '../../../base/errors/option-words.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import type { AttemptError } from '../model.js'
import type { BatchStatus } from './batch-client.js'

/** Refers to the command that gives up a batch. */
export const forgetCommand = (name: string): string => command('cache batches', [], { forget: name })

/** @throws PipelineError if a batch belongs to another address than the current one */
export function refuseOther({ id, name, address, open }: ProviderBatch, here: string): void {
  if (address === here) return
  throw new PipelineError(
    'config',
    [
      `${formatRequestCount(open)} of this run ${open === 1 ? 'is' : 'are'} in batch ${id ?? name} at ${address}, and the model is now asked at ${here}.`,
      `Collect them where they are, with the same base_url; or give them up: ${forgetCommand(name)}`,
    ],
    { reason: 'batch-elsewhere', data: { batch: name, requests: open, address, here } },
  )
}

/** The error for a batch that the provider refused. */
export const refusedBatch = ({ id = '', requests }: ProviderBatch, { reason = 'without a reason' }: BatchStatus) =>
  new PipelineError(
    'config',
    [
      `the provider refused batch ${id} of ${formatRequestCount(requests)}: ${reason}`,
      'None of them was answered. When that is fixed, the same command submits them again.',
    ],
    { reason: 'batch-refused', data: { batch: id, requests } },
  )

/** The error for results that are incomplete after several downloads. */
export const missingResults = ({ name, id = name }: ProviderBatch, error: AttemptError) =>
  new PipelineError(
    'config',
    [
      `batch ${id}: ${error.message}, at every download. Those that came are kept.`,
      `The same command downloads them again. To send the rest again, although it is already paid for: ${forgetCommand(name)}`,
    ],
    { cause: error, reason: 'batch-incomplete', data: { batch: name } },
  )

/** Joins all problems into one error. */
export const joinProblems = (problems: readonly PipelineError[]): PipelineError =>
  new PipelineError(
    'config',
    problems.flatMap(problem => problem.said),
  )

/** The error for a batch that this account cannot access. */
export const unreachableBatch = ({ name, id = name }: ProviderBatch, error: AttemptError) =>
  new PipelineError(
    'config',
    [
      `batch ${id} could not be looked at: ${error.message}`,
      `Its requests are kept for it: ask with the account that handed it in, or give it up: ${forgetCommand(name)}`,
    ],
    { cause: error, reason: 'batch-unreachable', data: { batch: name } },
  )

/** Writes a number of requests: `1 request`, `12 requests`. */
export const formatRequestCount = (requests: number): string => (requests === 1 ? '1 request' : `${requests} requests`)
