import type { BackendContext, Model, ModelRequest } from '../../define-backend.js'
import { frameFormat } from './frame-arguments.js'

type FrameArguments = Parameters<typeof frameFormat>[0]

/** A model that is shown videos as frames, where its arguments say so. */
export async function showingFrames(model: Model, args: FrameArguments, context: BackendContext): Promise<Model> {
  const format = frameFormat(args)
  if (format === undefined) return model
  const { framedModel } = await import('./framed-model.js')
  return framedModel(model, format, context)
}

/** What stands for a request in a batch, where its videos are shown as frames. */
export async function shownInBatches(
  args: FrameArguments,
  context: BackendContext,
): Promise<{ readonly shown?: (request: ModelRequest) => Promise<ModelRequest> }> {
  const format = frameFormat(args)
  if (format === undefined) return {}
  const { framedRequests } = await import('./framed-model.js')
  const framed = await framedRequests(format, context)
  return { shown: request => framed(request, context.interrupted ?? new AbortController().signal) }
}
