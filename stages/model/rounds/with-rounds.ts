import { AttemptError, type Model, type ModelAnswer, type ModelRequest } from '../model.js'
import { Conversation, type KeptTurn } from './conversation.js'
import { openLedger, type LedgerOptions } from './ledger.js'
import { type AskTask, leadByTask } from './task-rounds.js'
import { callTools, type Tools } from './tool-rounds.js'

export interface RoundsOptions extends LedgerOptions {
  /** Needed if a task leads the conversation. */
  readonly askTask?: AskTask
  /** Needed if the model may call tools. */
  readonly tools?: Tools
}

/**
 * Wraps a model so that it also answers requests of several rounds. For the caller, a conversation is one answer in one
 * slot. Its rounds are sent one after another. Each is admitted by the caller (`further`) and committed before the
 * next.
 *
 * A failed round fails the attempt. The next attempt goes through the conversation again, finds the answered rounds,
 * and continues behind them.
 */
export function withRounds(model: Model, options: RoundsOptions): Model {
  const ledger = openLedger(options)
  return {
    ...(model.close === undefined ? {} : { close: () => model.close?.() ?? Promise.resolve() }),
    async answer(request, signal, watch, further) {
      if (request.input.conversation === undefined) return model.answer(request, signal, watch)
      let sent = 0
      const conversation = new Conversation(request, ledger, async round => {
        // The caller has already admitted the first request of an attempt.
        if (++sent > 1) await further?.next(round)
        const answer = await model.answer(round, signal, watch)
        further?.answered(answer.usage)
        return answer
      })
      try {
        return await converse(request, conversation, { options, signal })
      } catch (error) {
        throw conversation.hasProgressed ? markProgress(error) : error
      }
    },
  }
}

/** Reads the stored turns of a conversation, perhaps one without an answer. It sends no request and calls no tool. */
export async function keptTurns(
  request: ModelRequest,
  options: Pick<LedgerOptions, 'store' | 'identity' | 'codes' | 'clock'>,
): Promise<readonly KeptTurn[]> {
  const isMissing = new Error('not kept')
  const missing = (): Promise<never> => Promise.reject(isMissing)
  const ledger = openLedger({ ...options, run: missing, stamp: {} })
  const conversation = new Conversation(request, ledger, missing)
  const replay = { askTask: missing, tools: { call: missing } }
  try {
    await converse(request, conversation, { options: replay, signal: new AbortController().signal })
  } catch (error) {
    if (error !== isMissing && !(error instanceof AttemptError)) throw error
  }
  return conversation.turns
}

async function converse(
  request: ModelRequest,
  conversation: Conversation,
  { options, signal }: { readonly options: Pick<RoundsOptions, 'askTask' | 'tools'>; readonly signal: AbortSignal },
): Promise<ModelAnswer> {
  const { conversation: rules, messages } = request.input
  const answerTo = callTools(conversation, {
    tools: options.tools,
    most: rules?.maxToolRounds ?? 0,
    repeatTools: rules?.repeatTools,
    signal,
  })
  if (rules?.follow === undefined) return conversation.answer((await answerTo(messages)).body)
  if (options.askTask === undefined) throw new Error('internal error: no task is there to lead the conversation')
  return leadByTask(request, conversation, { follow: rules.follow, askTask: options.askTask, answerTo })
}

function markProgress(error: unknown): unknown {
  if (!(error instanceof AttemptError)) return error
  const { isRetryable, retryAfter, access, isUnreachable, usage } = error
  return new AttemptError(error.class, error.message, {
    isRetryable,
    access,
    isUnreachable,
    usage,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    hasProgressed: true,
    cause: error.cause,
  })
}
