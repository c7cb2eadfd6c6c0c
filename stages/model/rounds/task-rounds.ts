import type { Json } from '../../../base/values/canonical-json.js'
import type { ChatMessage, Follow, JsonObject, RequestType, ResponseBody } from '../../../cache/records.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../model.js'
import { type Conversation, turnOf } from './conversation.js'

/** The state of a conversation when a task is asked for its next turn. */
interface RoundState {
  readonly type: RequestType
  /** The round of the question to come: 1 after the first answer. */
  readonly round: number
  /** The answers so far, as the task left them. */
  readonly outputs: readonly string[]
  /** What the task gave to itself last. */
  readonly info?: Json | undefined
  /** What the model was shown last, with its answer at the end. */
  readonly messages: readonly ChatMessage[]
}

/** What a task says comes next. Plain data, to be kept. */
interface NextRound {
  /** The whole of what the model is shown next; `null` where the conversation is over. */
  readonly messages: readonly ChatMessage[] | null
  readonly outputs: readonly string[]
  readonly info?: Json
}

/** Asks a task's function what comes after an answer. */
export type AskTask = (follow: Follow, state: RoundState) => Promise<NextRound>

/** As lmms-eval's `max_agentic_steps` where a task does not say. */
const usualSteps = 12
/** No benchmark asks this often; a function that never ends does. */
const mostRounds = 100

/**
 * A conversation that a task leads: after each answer its function says what is asked next, or that it is over.
 *
 * `generate_until_multi_round`: the answers themselves are judged. `generate_until_agentic`: the last one, after
 * `max_agentic_steps` rounds at most. As in lmms-eval's evaluator.py (`_run_generate_until_agentic`) and
 * models/chat/vllm.py (`generate_until_multi_round`); what each round is shown is what the function gives, and nothing else.
 *
 * @param answerTo one round, with whatever tools are called in it
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
  const most = mostOf(request)
  let state: Pick<RoundState, 'outputs' | 'info'> = { outputs: [] }
  let next: readonly ChatMessage[] = first
  for (let round = 1; ; round += 1) {
    const { body, messages } = await parts.answerTo(next)
    const asked: RoundState = {
      ...state,
      type,
      round,
      outputs: [...state.outputs, body.text],
      messages: [...messages, turnOf(body)],
    }
    const { text } = await conversation.step(`next ${round}`, async () => ({
      text: JSON.stringify(await parts.askTask(parts.follow, asked)),
    }))
    const told = JSON.parse(text) as NextRound
    state = { outputs: told.outputs, ...(told.info === undefined ? {} : { info: told.info }) }
    if (told.messages === null) return conversation.answer(body, saidOf(type, state, body))
    if (round === most) return atTheLimit(conversation, request, { state, last: body })
    next = told.messages
  }
}

function mostOf({ input, generation }: ModelRequest): number {
  if (input.type !== 'generate_until_agentic') return mostRounds
  const { max_agentic_steps: steps = usualSteps } = generation
  if (typeof steps === 'number') return steps
  throw new AttemptError('invalid_request', 'max_agentic_steps must be a whole number, 1 or more', {
    isRetryable: false,
  })
}

function saidOf(
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
  const { text = last.text } = saidOf(type, state, last)
  const hasState = state.info !== undefined && state.info !== null
  const isSaid = !hasState || text.trimStart().startsWith('{')
  return conversation.answer(last, {
    text: isSaid ? text : JSON.stringify(outOfSteps(state.info, { text, outputs: state.outputs })),
    rawFinishReason: 'max_agentic_steps',
  })
}

/**
 * What stands in place of an answer where the steps of an agent ran out before its task was done: what is known of the state
 * that it reached. lmms-eval's evaluator.py, `_run_generate_until_agentic`.
 */
export function outOfSteps(
  info: Json,
  last: { readonly text: string; readonly outputs: readonly string[] },
): JsonObject {
  const known = objectOf(info)
  const state = objectOf(known['state'])
  const { tool_calls: calls, valid_tool_calls: valid = calls, invalid_steps: invalid } = known
  const shown = reported.flatMap(name => (name in state ? [[name, state[name]] as const] : []))
  return {
    success: false,
    error: 'max_agentic_steps_reached',
    tool_calls: numberOf(calls),
    valid_tool_calls: numberOf(valid),
    invalid_steps: numberOf(invalid),
    state: known['state'] ?? {},
    last_model_output: last.text,
    trace: last.outputs,
    ...Object.fromEntries(shown),
  }
}

/** Fields of the state that lmms-eval's tasks score by. */
const reported = ['cash', 'days_elapsed', 'inventory', 'mobile_data_working'] as const

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

const numberOf = (value: Json | undefined): number => (Number.isFinite(Number(value)) ? Number(value) : 0)
