import { PipelineError } from '../../../base/errors/errors.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import type { AttemptError } from '../model.js'
import type { BatchStatus } from './batch-client.js'

/** @throws PipelineError where a batch is at another address than the one that is asked. */
export function refuseOther({ id, name, address, open }: ProviderBatch, here: string): void {
  if (address === here) return
  throw new PipelineError('config', [
    `${counted(open)} of this run ${open === 1 ? 'is' : 'are'} in batch ${id ?? name} at ${address}, and the model is now asked at ${here}.`,
    'Collect them where they are, with the same base_url; or give them up: pipeline cache batches --forget ' + name,
  ])
}

/** The provider answers nothing of a batch. */
export const refusedBatch = ({ id = '', requests }: ProviderBatch, { reason = 'without a reason' }: BatchStatus) =>
  new PipelineError('config', [
    `the provider refused batch ${id} of ${counted(requests)}: ${reason}`,
    'None of them was answered. When that is mended, the same line hands them in again.',
  ])

/** The results of a batch come cut short, however often they are downloaded. */
export const missingResults = ({ name, id = name }: ProviderBatch, error: AttemptError) =>
  new PipelineError(
    'config',
    [
      `batch ${id}: ${error.message}, at every download. Those that came are kept.`,
      `The same line downloads them again. To ask the rest anew, though it is paid for: pipeline cache batches --forget ${name}`,
    ],
    { cause: error },
  )

/** All problems as one error. */
export const joined = (problems: readonly PipelineError[]): PipelineError =>
  new PipelineError(
    'config',
    problems.flatMap(problem => problem.said),
  )

/** The provider does not tell this account of a batch. */
export const unreachableBatch = ({ name, id = name }: ProviderBatch, error: AttemptError) =>
  new PipelineError(
    'config',
    [
      `batch ${id} could not be looked at: ${error.message}`,
      `Its requests are kept for it: ask with the account that handed it in, or give it up: pipeline cache batches --forget ${name}`,
    ],
    { cause: error },
  )

/** `1 request`, `12 requests` */
export const counted = (requests: number): string => (requests === 1 ? '1 request' : `${requests} requests`)
