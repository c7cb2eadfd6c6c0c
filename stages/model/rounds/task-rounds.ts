import { plainValue } from '../../../cache/code/python/wire.js'
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import type { ChatMessage, Follow, JsonObject, RequestType, ResponseBody } from '../../../cache/records.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../model.js'
import { type Conversation, makeAssistantMessage } from './conversation.js'

/** The state of a conversation that a task's function receives. */
interface RoundState {
  readonly type: RequestType
  /** The number of the next round. It is 1 after the first answer. */
  readonly round: number
  /** The answers so far, as the function returned them. */
  readonly outputs: readonly (string | null)[]
  /** The value that the function returned last for its own use. */
  readonly info?: Json | undefined
  /** The messages that the model was shown last, followed by its answer. */
  readonly messages: readonly ChatMessage[]
}

/** The function's decision about the next round. It is plain data that can be stored. */
interface NextRound {
  /** All messages of the next round. `null` if the conversation is over. */
  readonly messages: readonly ChatMessage[] | null
  readonly outputs: readonly (string | null)[]
  readonly info?: Json
}

/** Calls a task's function that decides what comes after an answer. */
export type AskTask = (follow: Follow, state: RoundState) => Promise<NextRound>

/** The default of lmms-eval's `max_agentic_steps`. */
const defaultSteps = 12
/** The maximum number of rounds. No benchmark needs more, but a faulty function may never end. */
const mostRounds = 100

/**
 * Leads a conversation with a task's function. After each answer, the function returns the next messages or ends it.
 *
 * `generate_until_multi_round`: the answers are judged. `generate_until_agentic`: the last answer is judged, after at
 * most `max_agentic_steps` rounds. It follows lmms-eval's evaluator.py (`_run_generate_until_agentic`) and
 * models/chat/vllm.py (`generate_until_multi_round`). Each round shows only the messages that the function returns.
 *
 * @param answerTo sends one round, with all tool calls in it
 */
export async function leadByTask(
  request: ModelRequest,
  conversation: Conversation,
  parts: {
    readonly follow: Follow
    readonly askTask: AskTask
    readonly answerTo: (
      messages: readonly ChatMessage[],
    ) => Promise<{ readonly body: ResponseBody; readonly messages: readonly ChatMessage[] }>
  },
): Promise<ModelAnswer> {
  const { type, messages: first } = request.input
  const most = readMaxRounds(request)
  let state: Pick<RoundState, 'outputs' | 'info'> = { outputs: [] }
  let next: readonly ChatMessage[] = first
  for (let round = 1; ; round += 1) {
    const { body, messages } = await parts.answerTo(next)
    const roundState: RoundState = {
      ...state,
      type,
      round,
      outputs: [...state.outputs, body.text],
      messages: [...messages, makeAssistantMessage(body)],
    }
    const { text } = await conversation.step(`next ${round}`, async () => ({
      text: JSON.stringify(await parts.askTask(parts.follow, roundState)),
    }))
    const nextRound = JSON.parse(text) as NextRound
    state = { outputs: nextRound.outputs, ...(nextRound.info === undefined ? {} : { info: nextRound.info }) }
    if (nextRound.messages === null) return conversation.answer(body, makeFinalFields(type, state, body))
    if (round === most) return atTheLimit(conversation, request, { state, last: body })
    next = nextRound.messages
  }
}

function readMaxRounds({ input, generation }: ModelRequest): number {
  if (input.type !== 'generate_until_agentic') return mostRounds
  const { max_agentic_steps: steps = defaultSteps } = generation
  if (typeof steps === 'number') return steps
  throw new AttemptError('invalid_request', 'max_agentic_steps must be a whole number, 1 or more', {
    isRetryable: false,
  })
}

function makeFinalFields(
  type: RequestType,
  { outputs }: Pick<RoundState, 'outputs'>,
  last: ResponseBody,
): Partial<ResponseBody> {
  const text = outputs.at(-1) ?? last.text
  return type === 'generate_until_agentic' ? { text } : { text, outputs }
}

function atTheLimit(
  conversation: Conversation,
  { input: { type } }: ModelRequest,
  { state, last }: { readonly state: Pick<RoundState, 'outputs' | 'info'>; readonly last: ResponseBody },
): ModelAnswer {
  if (type !== 'generate_until_agentic')
    throw new AttemptError('invalid_request', `the task asked for more than ${mostRounds} rounds`, {
      isRetryable: false,
    })
  const { text = last.text } = makeFinalFields(type, state, last)
  const hasState = state.info !== undefined && state.info !== null
  const isSaid = !hasState || text.trimStart().startsWith('{')
  return conversation.answer(last, {
    text: isSaid ? text : JSON.stringify(outOfSteps(state.info, { text, outputs: state.outputs })),
    rawFinishReason: 'max_agentic_steps',
  })
}

/**
 * Makes the answer of an agent that used all its steps before its task was done. It reports the known part of the
 * state. Source: lmms-eval's evaluator.py, `_run_generate_until_agentic`.
 */
export function outOfSteps(
  info: Json,
  last: { readonly text: string; readonly outputs: readonly (string | null)[] },
): JsonObject {
  // A function in Python gives whole floating-point numbers with a mark.
  const infoFields = convertToObject(plainValue(info))
  const state = convertToObject(infoFields['state'])
  const { tool_calls: calls, valid_tool_calls: valid = calls, invalid_steps: invalid } = infoFields
  const reportedEntries = reported.flatMap(name => (name in state ? [[name, state[name]] as const] : []))
  return {
    success: false,
    error: 'max_agentic_steps_reached',
    tool_calls: convertToNumber(calls),
    valid_tool_calls: convertToNumber(valid),
    invalid_steps: convertToNumber(invalid),
    state: infoFields['state'] ?? {},
    last_model_output: last.text,
    trace: last.outputs,
    ...Object.fromEntries(reportedEntries),
  }
}

/** The fields of the state that lmms-eval's tasks score. */
const reported = ['cash', 'days_elapsed', 'inventory', 'mobile_data_working'] as const

const convertToObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

const convertToNumber = (value: Json | undefined): number => (Number.isFinite(Number(value)) ? Number(value) : 0)
