import { BatchLoop, freeUnsent } from './batch/batch-loop.js'
import type { InferOptions, InferOutcome } from './infer-options.js'
import { InferLoop } from './schedule/loop/infer-loop.js'

/**
 * Asks the model what is pending in a run, until nothing is, and makes each answer durable.
 *
 * A slot is held until its answer is durable, so that after a kill at most as many requests are asked again as
 * were under way at once. What is with the provider in a batch is not asked one by one.
 *
 * @throws whatever the store or `openModel` throws; what is under way is broken off then.
 */
export async function inferRun(options: InferOptions): Promise<InferOutcome> {
  const { batch } = options
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
