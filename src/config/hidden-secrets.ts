/** Hides the secrets of a run's settings in what code of users says: errors, reasons and notes. */
import { hiddenError } from '../../base/errors/hidden-error.js'
import { makeMask, secretsIn } from '../../base/text/secrets.js'
import type { StageEvent } from '../../cache/events.js'
import type { BatchClient, BatchResult } from '../../stages/model/batch/batch-client.js'
import type { Model } from '../../stages/model/model.js'
import { secretTexts } from './secrets.js'
import type { EvalSettings, Hooks } from './settings.js'

export type Hide = (text: string) => string

/** Returns a function that replaces the secrets of the environment and of the models' arguments in a text. */
export const hidingSecrets = ({
  env,
  modelArgs,
  judgeArgs,
  judgeFor,
}: Pick<EvalSettings, 'env' | 'judgeArgs' | 'judgeFor'> & Partial<Pick<EvalSettings, 'modelArgs'>>): Hide =>
  makeMask([...secretsIn(env), ...[modelArgs, judgeArgs, judgeFor].flatMap(args => secretTexts(args))])

/** Wraps hooks so that events contain no secrets. */
export const hidingHooks = <Given extends Pick<Hooks, 'emit'>>(hooks: Given, hide: Hide): Given => ({
  ...hooks,
  emit: event => hooks.emit(hiddenEvent(event, hide)),
})

function hiddenEvent(event: StageEvent, hide: Hide): StageEvent {
  if (event.type === 'note') return { ...event, text: hide(event.text) }
  if (event.type === 'request-failed') return { ...event, message: hide(event.message) }
  if (event.type !== 'pace' || event.standstill === undefined) return event
  return { ...event, standstill: { ...event.standstill, message: hide(event.standstill.message) } }
}

/** Runs `work`. Its error shows no secret. */
export async function withHiddenErrors<Result>(hide: Hide, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw hiddenError(error, hide)
  }
}

/** Wraps a model so that its failures, which are stored, contain no secrets. */
export const hidingModel = (model: Model, hide: Hide): Model => ({
  answer: (...request) => withHiddenErrors(hide, () => model.answer(...request)),
  ...(model.close && { close: () => model.close?.() ?? Promise.resolve() }),
})

/** Wraps a batch client so that failures and rejections, which are stored, contain no secrets. */
export function hidingBatches(client: BatchClient, hide: Hide): BatchClient {
  const hideErrors = <Result>(work: () => Promise<Result>) => withHiddenErrors(hide, work)
  const [upload, discard] = [client.upload?.bind(client), client.discard?.bind(client)]
  const cancelling = client.cancelling?.bind(client)
  return {
    address: client.address,
    measure: entry => hideErrors(() => client.measure(entry)),
    ...(client.findAlike && {
      findAlike: async request => hideErrors(async () => client.findAlike?.(request)),
    }),
    submit: (...args) => hideErrors(() => client.submit(...args)),
    find: (...args) => hideErrors(() => client.find(...args)),
    async status(...args) {
      const { reason, ...status } = await hideErrors(() => client.status(...args))
      return { ...status, ...(reason !== undefined && { reason: hide(reason) }) }
    },
    async *results(...args) {
      try {
        for await (const result of client.results(...args)) yield { ...result, read: hidingRead(result, hide) }
      } catch (error) {
        throw hiddenError(error, hide)
      }
    },
    close: () => client.close(),
    ...(upload && { upload: (...args) => hideErrors(() => upload(...args)) }),
    ...(discard && { discard: (...args) => hideErrors(() => discard(...args)) }),
    ...(cancelling && { cancelling }),
  }
}

const hidingRead =
  (result: BatchResult, hide: Hide): BatchResult['read'] =>
  request => {
    try {
      return result.read(request)
    } catch (error) {
      throw hiddenError(error, hide)
    }
  }
