import type { Task } from './tasks/task.js'

/**
 * How a prompt is written. @default 'chat'
 *
 * - `chat`: as messages, those of `doc_to_messages` where a task has it.
 * - `simple`: `doc_to_messages` is ignored; the media, then one text.
 * - `text`: one text that a base model goes on with. System instruction, description, examples and question are joined as
 *   `fewshot_context` of lm-evaluation-harness 0.4.9 joins them (lm_eval/api/task.py).
 */
export type PromptForm = 'chat' | 'simple' | 'text'

/** Whether a task's own conversation (`doc_to_messages`) is asked. */
export const isChat = ({ form = 'chat' }: Pick<Prompting, 'form'>): boolean => form === 'chat'

/** How docs become prompts, beyond what the task's file says. What can change a prompt is part of what a run was asked. */
export interface Prompting {
  /**
   * Names of the model, the registry's first, then its other names: so what the model was called on the command line changes no
   * prompt. The first that a task has an entry for chooses.
   */
  readonly models?: readonly string[]
  readonly form?: PromptForm
  /** Examples before each question, in place of the task's own number unless that is 0. */
  readonly shots?: number
  /** Seed for choosing examples. @default 1234, as lmms-eval's */
  readonly seed?: number
  /** Examples as turns of a conversation in place of one text. @default false */
  readonly asTurns?: boolean
  /** Stands before each conversation, as a message of the system, unless the task has one of its own. */
  readonly system?: string
  /** Samples of each answer, in place of the task's own number. */
  readonly repeats?: number
}

interface SystemMessage {
  readonly role: 'system'
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
}

/** Messages with what stands before each conversation. In one text it stands already, and a text that is scored by itself has nothing before it. */
export function withSystem<Message extends { readonly role: string }>(
  messages: readonly Message[],
  { system, form }: Prompting,
): readonly (Message | SystemMessage)[] {
  if (system === undefined || form === 'text' || messages.length === 0 || messages[0]?.role === 'system')
    return messages
  return [{ role: 'system', content: [{ type: 'text', text: system }] }, ...messages]
}

/** How many examples stand before each question. A task that says 0 is asked without any, whatever else is wished. */
export function shotsOf({ config: { num_fewshot: own } }: Pick<Task, 'config'>, { shots }: Prompting = {}): number {
  return own === 0 ? 0 : (shots ?? own ?? 0)
}
