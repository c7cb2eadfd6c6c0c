import { z } from 'zod'
import type { ResponseBody, Usage } from '../../cache/records.js'
import { AttemptError } from './attempt-error.js'
import type { BackendArgs, BackendContext, BackendDefinition, Model, ModelRequest } from './define-backend.js'
import { outputArgs } from './model-args.js'

/** A model that gives texts and nothing else: what most have to say of an answer. */
export interface TextModel {
  /** One attempt. Whatever it throws but an {@link AttemptError} or a PipelineError counts as `server`, to be tried again. */
  generate(request: ModelRequest, signal: AbortSignal): Promise<TextAnswer>
  close?(): Promise<void>
}

export interface TextAnswer {
  readonly text: string
  /** @default 'stop' */
  readonly finishReason?: ResponseBody['finishReason']
  readonly usage?: Usage | undefined
}

type Part = 'args' | 'summary' | 'requests' | 'code' | 'concurrency' | 'identify' | 'open'

/** A backend as its author writes it. What may be left out is what a plugin rarely has anything of its own to say about. */
export interface BackendDraft<Shape extends BackendArgs> extends Omit<BackendDefinition<Shape>, Part> {
  /** By name, or all of them as `z.object(…)`. */
  readonly args: Shape | z.ZodObject<Shape>
  /** @default its id */
  readonly summary?: string
  /** @default texts: `generate_until` */
  readonly requests?: BackendDefinition['requests']
  /** @default a plugin's own files, which are always part of it */
  readonly code?: BackendDefinition['code']
  /** @default 'adaptive' */
  readonly concurrency?: BackendDefinition['concurrency']
  /** @default its id with the arguments that can change an output */
  readonly identify?: BackendDefinition<Shape>['identify']
  open(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<Model | TextModel> | Model | TextModel
}

/** A draft with all that it leaves out. */
export function completed<Shape extends BackendArgs>(draft: BackendDraft<Shape>): BackendDefinition<Shape> {
  const args = draft.args instanceof z.ZodObject ? draft.args.shape : draft.args
  return {
    ...draft,
    args,
    summary: draft.summary ?? draft.id,
    requests: draft.requests ?? ['generate_until'],
    code: draft.code ?? { files: [] },
    concurrency: draft.concurrency ?? 'adaptive',
    identify: draft.identify ?? (given => Promise.resolve({ backend: draft.id, args: outputArgs({ args }, given) })),
    open: async (given, context) => answering(await draft.open(given, context), draft.id),
  }
}

function answering(model: Model | TextModel, id: string): Model {
  if ('answer' in model) return model
  return {
    async answer(request, signal) {
      if (request.input.type !== 'generate_until')
        throw new AttemptError('invalid_request', `${id} gives texts, and no ${request.input.type}`, {
          isRetryable: false,
        })
      const { text, finishReason = 'stop', usage } = await model.generate(request, signal)
      return { body: { text, finishReason }, usage }
    },
    ...(model.close && { close: () => model.close?.() ?? Promise.resolve() }),
  }
}
