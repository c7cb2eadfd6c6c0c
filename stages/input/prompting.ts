import type { Task } from './tasks/task.js'

/**
 * The form of a prompt. @default 'chat'
 *
 * - `chat`: messages; those of `doc_to_messages` where a task has it.
 * - `simple`: `doc_to_messages` is ignored; the media, then one text.
 * - `text`: one text that a base model continues. System instruction, description, examples and question are joined
 * as `fewshot_context` of lm-evaluation-harness 0.4.9 does (lm_eval/api/task.py).
 */
export type PromptForm = 'chat' | 'simple' | 'text'

/** Returns whether a task's own conversation (`doc_to_messages`) is used. */
export const isChat = ({ form = 'chat' }: Pick<Prompting, 'form'>): boolean => form === 'chat'

/**
 * Settings of a run that shape prompts, beyond the task's file. Whatever can change a prompt is part of the run spec.
 */
export interface Prompting {
  /**
   * Names of the model, the registry's name first, then its aliases, so that an alias on the command line changes no
   * prompt. The first one that a task has an entry for is used.
   */
  readonly models?: readonly string[]
  readonly form?: PromptForm
  /** Number of examples before each question; overrides the task's own number unless that is 0. */
  readonly numFewshot?: number
  /** Seed for choosing examples. @default 1234, as in lmms-eval */
  readonly seed?: number
  /** Shows examples as turns of a conversation instead of one text. @default false */
  readonly asTurns?: boolean
  /** System message before each conversation, unless the task has its own. */
  readonly system?: string
  /** Samples of each answer; overrides the task's own number. */
  readonly repeats?: number
  /** True if requests name the doc's target, for a model that answers with it. */
  readonly showsTarget?: boolean
}

interface SystemMessage {
  readonly role: 'system'
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
}

/**
 * Adds the system message to a conversation. A prompt in one text contains it already, and a text that is scored by
 * itself has none.
 */
export function withSystem<Message extends { readonly role: string }>(
  messages: readonly Message[],
  { system, form }: Prompting,
): readonly (Message | SystemMessage)[] {
  if (system === undefined || form === 'text' || messages.length === 0 || messages[0]?.role === 'system')
    return messages
  return [{ role: 'system', content: [{ type: 'text', text: system }] }, ...messages]
}

/** Returns the number of examples before each question. A task whose own number is 0 never has any. */
export function resolveNumFewshot(
  { config: { num_fewshot: own } }: Pick<Task, 'config'>,
  { numFewshot }: Prompting = {},
): number {
  return own === 0 ? 0 : (numFewshot ?? own ?? 0)
}
