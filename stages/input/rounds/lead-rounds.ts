import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { type PythonFunction, findPythonFunction } from '../../../cache/code/python/python-function.js'
import { describeThrown } from '../../../cache/code/thrown-position.js'
import type { ChatMessage, Follow, RequestType } from '../../../cache/records.js'
import type { MediaStore } from '../../../cache/store.js'
import { openDataset } from '../datasets/open-dataset.js'
import { storedMessage } from '../draft-doc.js'
import { type MediaIntake, openMediaIntake } from '../media/media-intake.js'
import { type Prompting, withSystem } from '../prompting.js'
import { mediaOfPython } from '../python/python-docs.js'
import { askPython } from '../python/python-rounds.js'
import { type DraftMessage, readMessages } from '../render/messages.js'
import { userTurn } from '../render/prompt.js'
import { mediaIn, type ShownMedium } from '../render/visuals.js'
import type { RoundState } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'
import type { FollowFunction } from './round-rules.js'

/** The next round of a conversation, with its media stored. */
interface LedRound {
  readonly messages: readonly ChatMessage[] | null
  /** The answers. `null` is a round without an answer. */
  readonly outputs: readonly (string | null)[]
  readonly info?: Json
}

type LeadRound = (follow: Follow, state: StateOfType) => Promise<LedRound>

type StateOfType = Omit<RoundState, 'outputs'> & {
  readonly type: RequestType
  readonly outputs: readonly (string | null)[]
}

/**
 * Makes a function that asks a task's function for the next round after an answer.
 *
 * The returned function throws Error with the line of the task's code if the task's function throws or returns a malformed value. It throws
 * MediumError if a medium is missing.
 */
export function leadRounds(
  task: Task,
  follow: FollowFunction,
  { store, prompting = {} }: { readonly store: MediaStore; readonly prompting?: Prompting },
): LeadRound {
  const python = findPythonFunction(follow.call)
  let intake: Promise<MediaIntake> | undefined
  const media = (): Promise<MediaIntake> => (intake ??= openTaskIntake(task, store, python))
  const storeMessage = async (message: DraftMessage | ChatMessage): Promise<ChatMessage> =>
    isDraft(message) ? (await storedMessage(message, await media())).message : message
  const withMedia = async ({ messages, ...rest }: DraftRound): Promise<LedRound> => {
    if (messages === null) return { messages, ...rest }
    const storedMessages: ChatMessage[] = []
    for (const message of withSystem(messages, prompting)) storedMessages.push(await storeMessage(message))
    return { messages: storedMessages, ...rest }
  }
  return async ({ doc }, { type, ...rest }) => {
    // Only a function in Python can return null as an output.
    const state = rest as RoundState
    if (python === undefined) {
      const said = await saidBy(follow, [doc, follow.kwargs, state])
      return withMedia(labelFunctionErrors(follow, () => readNextQuestion(said, state, type)))
    }
    const options = { task: task.name, kwargs: follow.kwargs, state: { ...state, type }, store }
    const { next, outputs } = await saidBy({ ...follow, call: () => askPython(python, doc, options) }, [])
    const round = labelFunctionErrors(follow, () => readNextQuestion(next, state, type))
    return withMedia({ ...round, outputs: outputs ?? round.outputs })
  }
}

async function openTaskIntake(task: Task, store: MediaStore, python: PythonFunction | undefined): Promise<MediaIntake> {
  const { media } = await openDataset(task)
  return openMediaIntake(store, python === undefined ? media : mediaOfPython(media, python.host, task.folder))
}

const isDraft = (message: DraftMessage | ChatMessage): message is DraftMessage =>
  message.content.some(part => part.type === 'medium')

async function saidBy<T>(
  { call, name }: { readonly name: string; readonly call: (...args: readonly unknown[]) => T },
  args: readonly unknown[],
): Promise<Awaited<T>> {
  try {
    return await call(...args)
  } catch (error) {
    throw new Error(`${name}: ${describeThrown(error)}`, { cause: error })
  }
}

function labelFunctionErrors<T>({ name }: FollowFunction, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`${name}: ${describeThrown(error)}`, { cause: error })
  }
}

/** The next round of a conversation, before its media are stored. */
interface DraftRound {
  /** The next messages, or `null` at the end of the conversation. Messages that the function received and returned are unchanged. */
  readonly messages: readonly (DraftMessage | ChatMessage)[] | null
  readonly outputs: readonly (string | null)[]
  readonly info?: Json
}

const keys = ['text', 'visuals', 'messages', 'terminal', 'outputs', 'info'] as const

/**
 * Parses the next question that a task's function returned. See `NextQuestion`.
 *
 * @throws Error that names the malformed part
 */
export function readNextQuestion(returned: unknown, state: RoundState, type: RequestType): DraftRound {
  const before = { outputs: state.outputs, ...makeInfoField(state.info) }
  if (returned === null || returned === undefined) return { messages: null, ...before }
  if (typeof returned === 'string') return { messages: userTurn(usualVisuals(state, type), returned), ...before }
  if (Array.isArray(returned)) return { messages: goingOn(returned, state), ...before }
  if (typeof returned !== 'object') throw new Error(`must give a text, messages or an object, not a ${typeof returned}`)
  const unknown = Object.keys(returned).find(name => !keys.some(key => key === name))
  if (unknown !== undefined) throw new Error(`gives "${unknown}", which means nothing.${didYouMean(unknown, keys)}`)
  const parts = returned as Readonly<Record<(typeof keys)[number], unknown>>
  return {
    messages: parts.terminal === true ? null : shownNext(parts, state, type),
    outputs: parts.outputs === undefined || parts.outputs === null ? state.outputs : readOutputs(parts.outputs),
    ...('info' in returned ? makeInfoField(readInfo(parts.info)) : makeInfoField(state.info)),
  }
}

const makeInfoField = (info: Json | undefined): { readonly info?: Json } => (info === undefined ? {} : { info })

function shownNext(
  { text, visuals, messages }: Readonly<Record<'text' | 'visuals' | 'messages', unknown>>,
  state: RoundState,
  type: RequestType,
): DraftRound['messages'] {
  if (messages !== undefined && messages !== null) return goingOn(messages, state)
  if (typeof text !== 'string') throw new Error('gives neither text nor messages, and not terminal: true')
  return userTurn(visuals === undefined || visuals === null ? usualVisuals(state, type) : mediaIn(visuals), text)
}

function goingOn(messages: unknown, state: RoundState): DraftRound['messages'] {
  const earlierMessages = new Set<unknown>(state.messages)
  if (!Array.isArray(messages)) throw new Error('messages must be a list')
  return messages.flatMap((message: unknown): readonly (DraftMessage | ChatMessage)[] =>
    earlierMessages.has(message) ? [message as ChatMessage] : readMessages([message]),
  )
}

/** By default an agent sees the previous media again, and a multi-round question shows none. */
function usualVisuals({ messages }: RoundState, type: RequestType): readonly ShownMedium[] {
  if (type !== 'generate_until_agentic') return []
  const question = messages.findLast(({ role }) => role === 'user')
  return (question?.content ?? []).flatMap(part => (part.type === 'text' ? [] : [part]))
}

function readOutputs(value: unknown): readonly string[] {
  const read = z.array(z.string()).safeParse(value)
  if (!read.success) throw new Error('outputs must be a list of texts')
  return read.data
}

function readInfo(value: unknown): Json | undefined {
  if (value === undefined) return undefined
  const read = z.json().safeParse(value)
  if (!read.success) throw new Error('info must be JSON, since it is kept: texts, numbers, lists and plain objects')
  return read.data
}
