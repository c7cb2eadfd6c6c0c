import { z } from 'zod'
import { option } from '../option.js'
import { text, whole, yesNo } from '../values/option-values.js'
import { systemInstruction } from '../values/system-instruction.js'
import { taskOverrides } from '../values/task-overrides.js'

/** Options that control how docs become prompts. */
export const promptOptions = {
  /** Number of examples before each question; overrides the tasks' number unless that is 0. */
  numFewshot: option({
    flag: '--num-fewshot <n>',
    help: "number of examples before each question; overrides the tasks' own number unless that is 0",
    ...whole(0),
    isIdentity: true,
    stored: 'given',
  }),
  /** Examples as turns of a conversation. @default false */
  fewshotAsMultiturn: option({
    flag: '--fewshot-as-multiturn',
    help: 'show examples as turns of a conversation, instead of one text',
    ...yesNo,
    isIdentity: true,
    stored: 'unless-default',
  }),
  /** A system message before each conversation. @default none */
  systemInstruction: option({
    flag: '--system-instruction <text>',
    help: 'a system message before each conversation, or a file that holds it',
    docs: 'a system message before each conversation, unless the task has one of its own; or a file that holds it',
    ...text('a text, or a file of it'),
    program: { schema: z.string().describe('a text'), read: (value: string): string => value },
    settle: (value: string): string | undefined => (value === '' ? undefined : systemInstruction(value)),
    isIdentity: true,
    stored: 'given',
  }),
  /** Number of samples of each answer; overrides the tasks' number. */
  repeats: option({
    flag: '-n, --repeats <n>',
    help: "number of answers to each doc; overrides the tasks' own number   (also --num-samples)",
    docs: "number of answers to each doc; overrides the tasks' own number; `--num-samples` is another name",
    ...whole(1),
    isIdentity: true,
    stored: 'given',
  }),
  /** Seed for choosing examples. @default 1234 */
  fewshotSeed: option({
    flag: '--fewshot-seed <n>',
    help: 'seed for choosing examples (1234)',
    ...whole(0),
    isIdentity: true,
    stored: 'given',
  }),
  /** Keys of tasks that replace those of their files, by the name of the task or a pattern of names. @default none */
  override: option({
    flag: '--override <task.key=value>',
    help: "override a key of a task file, such as mme.doc_to_text='{{question}}' or '*.num_fewshot=2'; may be repeated",
    ...taskOverrides,
    isIdentity: true,
    stored: 'given',
  }),
  /** Send media, then one text, and ignore `doc_to_messages`. @default false */
  forceSimple: option({
    flag: '--force-simple',
    help: 'send media and one text, also for tasks with a conversation of their own (doc_to_messages)',
    ...yesNo,
    isIdentity: true,
    stored: 'unless-default',
  }),
}
