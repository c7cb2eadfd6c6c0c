import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { waitOutside, WaitLimitError } from '../../../../base/time/outside-wait.js'
import { tellWait } from '../../../../cache/events.js'
import type { InferOptions } from '../../infer-options.js'
import type { Model } from '../../model.js'

/** The time that the opening of a model may take to end when the loop must end, in milliseconds. */
const graceMs = 5_000

/**
 * Opens the model, and reports a long wait.
 *
 * @param mustEnd tells whether the loop must end because of a signal or an error
 * @returns undefined if the loop must end before the model is open
 */
export async function openModelFor(
  { openModel, drain, stop, emit }: Pick<InferOptions, 'openModel' | 'drain' | 'stop' | 'emit'>,
  mustEnd: () => boolean,
): Promise<Model | undefined> {
  const what = 'the model to open'
  const opening = openModel()
  const wait = { what, onSlow: tellWait(emit, what) }
  try {
    return await waitOutside(() => opening, { ...wait, signal: AbortSignal.any([drain, stop]) })
  } catch (error) {
    if (!mustEnd()) throw error
    // A model that is being opened stops at the same signal. Code that never answers is abandoned.
    return await waitOutside(() => opening, { ...wait, limitMs: graceMs }).catch((late: unknown) => {
      if (late instanceof WaitLimitError) return undefined
      throw late
    })
  }
}

/** Closes the model at the end. Every answer is stored by then, so a failure is only told. */
export async function closeModel(model: Model, { run, emit }: Pick<InferOptions, 'run' | 'emit'>): Promise<void> {
  try {
    await model.close?.()
  } catch (error) {
    const named = error instanceof PipelineError ? '' : `close of the model backend ${run.asked.model.backend} failed: `
    emit({ type: 'note', text: `${named}${messageOf(error)} (no answer is lost)` })
  }
}
