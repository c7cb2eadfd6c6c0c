import { BatchLoop, freeUnsent } from './batch/batch-loop.js'
import type { InferOptions, InferOutcome } from './infer-options.js'
import { InferLoop } from './schedule/loop/infer-loop.js'

/**
 * Sends the pending requests of a run to the model until none is left, and commits each answer.
 *
 * A slot is held until its answer is durable. After a kill, at most as many requests are repeated as were in flight.
 * Requests in a provider's batch are not sent singly.
 *
 * @throws whatever the store or `openModel` throws; requests in flight are cancelled then
 */
export async function inferRun(given: InferOptions): Promise<InferOutcome> {
  const { batch } = given
  const options = { failuresAfter: await given.store.requests.lastFailure(), ...given }
  if (batch?.submits === true) return new BatchLoop(options, batch).run()
  if (batch !== undefined) await freeUnsent(batch.store, options.run)
  const asked = await new InferLoop(options).run()
  if (batch === undefined || asked.ended !== 'finished') return asked
  const collected = await new BatchLoop(options, batch).run()
  return {
    ended: collected.ended,
    answered: asked.answered + collected.answered,
    failed: asked.failed + collected.failed,
  }
}
