import type { Json } from '../../../base/canonical-json.js'
import { reasonOf } from '../../../cache/code/thrown-place.js'
import type { ChatMessage, Follow, RequestType } from '../../../cache/records.js'
import type { MediaStore } from '../../../cache/store.js'
import { openDataset } from '../datasets/open-dataset.js'
import { storedMessage } from '../draft-doc.js'
import { openMediaIntake, type MediaIntake } from '../media/media-intake.js'
import type { DraftMessage } from '../render/messages.js'
import type { RoundState } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'
import type { FollowFunction } from './follow.js'
import { withSystem, type Prompting } from '../prompting.js'
import { readNextQuestion } from './next-question.js'

/** What comes after an answer, its media in the store. */
export interface LedRound {
  readonly messages: readonly ChatMessage[] | null
  readonly outputs: RoundState['outputs']
  readonly info?: Json
}

export type LeadRound = (follow: Follow, state: RoundState & { readonly type: RequestType }) => Promise<LedRound>

/**
 * Asks a task's function what comes after an answer.
 *
 * The function that comes back throws Error, with the place in the task's code, for what the function throws or says that is of no
 * form; MediumError for media that it shows and that are not there.
 */
export function leadRounds(
  task: Task,
  follow: FollowFunction,
  { store, prompting = {} }: { readonly store: MediaStore; readonly prompting?: Prompting },
): LeadRound {
  let intake: Promise<MediaIntake> | undefined
  const media = (): Promise<MediaIntake> =>
    (intake ??= openDataset(task).then(dataset => openMediaIntake(store, dataset.media)))
  const stored = async (message: DraftMessage | ChatMessage): Promise<ChatMessage> =>
    isDraft(message) ? (await storedMessage(message, await media())).message : message
  return async ({ doc }, { type, ...state }) => {
    const said = await saidBy(follow, [doc, follow.kwargs, state])
    const { messages, ...rest } = named(follow, () => readNextQuestion(said, state, type))
    if (messages === null) return { messages, ...rest }
    const shown: ChatMessage[] = []
    for (const message of withSystem(messages, prompting)) shown.push(await stored(message))
    return { messages: shown, ...rest }
  }
}

const isDraft = (message: DraftMessage | ChatMessage): message is DraftMessage =>
  message.content.some(part => part.type === 'medium')

async function saidBy({ call, name }: FollowFunction, args: readonly unknown[]): Promise<unknown> {
  try {
    return await call(...args)
  } catch (error) {
    throw new Error(`${name}: ${reasonOf(error)}`, { cause: error })
  }
}

function named<T>({ name }: FollowFunction, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`${name}: ${reasonOf(error)}`, { cause: error })
  }
}
