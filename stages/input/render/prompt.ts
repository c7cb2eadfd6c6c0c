import type { Doc } from '../tasks/doc.js'
import { type ChoicesField, compileChoices, compileTarget, exampleTarget } from './judge-record.js'
import { isParted } from '../../../base/python/white-space.js'
import { isGenerated } from '../generation-kwargs.js'
import {
  asText,
  atOnce,
  compileField,
  compilePrefix,
  compileText,
  shown,
  shownField,
  type Field,
  type FieldContext,
} from './field.js'
import { readMessages, userTurn, type DraftMessage, type DraftPart } from './messages.js'
import { isChat, type Prompting } from '../prompting.js'
import { compileVisuals, type ShownMedium } from './visuals.js'

/** Makes the messages of a doc, with examples before the question where there are any. */
export interface PromptField extends Field {
  readonly of: (doc: Doc, examples?: readonly Doc[]) => readonly DraftMessage[]
}

/** The media and the text of a question. */
interface Question extends Field {
  readonly media: (doc: Doc) => readonly ShownMedium[]
  readonly of: (doc: Doc) => string
}

/** Compiles the prompts of a task for a dataset with these columns. */
export function compilePrompt(context: FieldContext, prompting: Prompting): PromptField {
  const { form, asTurns = false, models } = prompting
  const { config, functionOf } = context.task
  const example = compileExample(context, models ?? [])
  const description = compileText(config.description ?? '', context)
  const delimiter = config.fewshot_delimiter ?? ''
  const prefix = config.gen_prefix === undefined ? undefined : compilePrefix(config.gen_prefix, context)
  // A likelihood is that of a continuation of the text, not of a new chat message.
  const isBegun = isGenerated(config.output_type) && isChat(prompting)
  const begun = (doc: Doc, messages: readonly DraftMessage[]): readonly DraftMessage[] => {
    const text = prefix?.of(doc) ?? ''
    return text === '' ? messages : [...messages, answerTurn(text)]
  }
  if (config.doc_to_messages !== undefined && isChat(prompting)) {
    const call = functionOf(config.doc_to_messages)
    const messages = (doc: Doc): readonly DraftMessage[] => readMessages(atOnce(call(doc, context.kwargs)))
    return {
      columns: undefined,
      of: (doc, examples = []) =>
        begun(
          doc,
          conversation(messages, { doc, examples, answer: one => beginning(example.prefix(one), example.answer(one)) }),
        ),
    }
  }
  const question = compileQuestion(config.doc_to_text, context)
  const asked = (doc: Doc): string =>
    isBegun ? question.of(doc) : withPrefix(question.of(doc), config.target_delimiter, prefix?.of(doc) ?? '')
  const messagesOf = (doc: Doc, examples: readonly Doc[] | undefined): readonly DraftMessage[] => {
    const before = form === 'text' ? opening(prompting, delimiter, description.of(doc)) : description.of(doc)
    if (examples === undefined) return userTurn(question.media(doc), `${before}${asked(doc)}`)
    if (asTurns && form !== 'text')
      return [
        ...(before === '' ? [] : [{ role: 'system' as const, content: [textPart(before)] }]),
        ...examples.flatMap(one => [
          ...userTurn(example.media(one), example.of(one)),
          answerTurn(beginning(example.prefix(one), example.answer(one))),
        ]),
        ...userTurn(question.media(doc), asked(doc)),
      ]
    const shown = examples.map(one => ({ media: example.media(one), text: example.whole(one, form === 'text') }))
    // lmms-eval joins the examples and appends the delimiter, even where the only example drawn was the doc itself.
    const opened = shown.length === 0 && form !== 'text' ? `${before}${delimiter}` : before
    return oneTurn(opened, shown, { media: question.media(doc), text: asked(doc) })
  }
  return {
    columns: columnsOf([question, description, example, prefix]),
    of: (doc, examples) => (isBegun ? begun(doc, messagesOf(doc, examples)) : messagesOf(doc, examples)),
  }
}

/**
 * As in lm-evaluation-harness 0.4.13 (lm_eval/api/task.py, build_qa_turn): the delimiter is added where no white
 * space separates the two.
 */
const separator = (question: string, delimiter: string, prefix: string): string =>
  question === '' || isParted(question, prefix) ? '' : delimiter

const withPrefix = (question: string, delimiter: string, prefix: string): string =>
  prefix === '' ? question : `${question}${separator(question, delimiter, prefix)}${prefix}`

/** As lm-evaluation-harness's `maybe_delimit`: one space between `gen_prefix` and the answer. */
const beginning = (prefix: string, answer: string): string =>
  prefix === '' || answer === '' ? `${prefix}${answer}` : `${prefix}${isParted(prefix, answer) ? '' : ' '}${answer}`

/**
 * Text before the examples of a prompt in one text. Only the delimiter separates a system instruction from a
 * description.
 */
const opening = ({ system }: Prompting, delimiter: string, description: string): string =>
  system === undefined ? description : description === '' ? system : `${system}${delimiter}${description}`

/**
 * Puts examples into one text, each with its delimiter, as lmms-eval's `fewshot_context` does. Where examples show
 * media, each text follows its own media.
 */
function oneTurn(
  before: string,
  shown: readonly { readonly media: readonly ShownMedium[]; readonly text: string }[],
  question: { readonly media: readonly ShownMedium[]; readonly text: string },
): readonly DraftMessage[] {
  if (shown.every(({ media }) => media.length === 0)) {
    const examples = shown.map(({ text }) => text).join('')
    return userTurn(question.media, `${before}${examples}${question.text}`)
  }
  const content: DraftPart[] = [
    ...(before === '' ? [] : [textPart(before)]),
    ...shown.flatMap(({ media, text }) => [...media.map(mediumPart), textPart(text)]),
    ...question.media.map(mediumPart),
    textPart(question.text),
  ]
  return [{ role: 'user', content }]
}

/** Puts examples with their answers before a task's own conversation. A system message appears once. */
function conversation(
  messages: (doc: Doc) => readonly DraftMessage[],
  {
    doc,
    examples,
    answer,
  }: { readonly doc: Doc; readonly examples: readonly Doc[]; readonly answer: (doc: Doc) => string },
): readonly DraftMessage[] {
  const own = messages(doc)
  const system = own.filter(({ role }) => role === 'system')
  const turns = (list: readonly DraftMessage[]): readonly DraftMessage[] => list.filter(({ role }) => role !== 'system')
  if (examples.length === 0) return own
  return [...system, ...examples.flatMap(one => [...turns(messages(one)), answerTurn(answer(one))]), ...turns(own)]
}

const textPart = (text: string): DraftPart => ({ type: 'text', text })
const mediumPart = (source: ShownMedium): DraftPart => ({ type: 'medium', source })
const answerTurn = (text: string): DraftMessage => ({ role: 'assistant', content: [textPart(text)] })

interface Example extends Question {
  readonly answer: (doc: Doc) => string
  /** The beginning of the answer; empty by default. */
  readonly prefix: (doc: Doc) => string
  /**
   * Question and answer as one text, with the delimiters. For base models an example without an answer has no
   * delimiter either: its question contains the answer (lm-evaluation-harness).
   */
  readonly whole: (doc: Doc, isForBaseModel: boolean) => string
}

/** Compiles an example like the question, unless `fewshot_config` overrides it, followed by its target. */
function compileExample(context: FieldContext, models: readonly string[]): Example {
  const { config } = context.task
  const own = config.fewshot_config
  const samples = Array.isArray(own?.samples) ? own.samples : []
  const columns = [...new Set([...context.columns, ...samples.flatMap(sample => Object.keys(sample))])]
  const inner = { ...context, columns }
  const question = compileQuestion(own?.doc_to_text ?? config.doc_to_text, inner)
  const key = own?.doc_to_target ?? config.doc_to_target
  const choiceKey = own?.doc_to_choice ?? config.doc_to_choice
  const choices = choiceKey === undefined ? undefined : compileChoices(choiceKey, inner)
  // A number may be the index of a choice.
  const plain = compileTarget(key, inner, models)
  const target = choices === undefined ? shown(plain, key, inner) : plain
  const prefixKey = own?.gen_prefix ?? config.gen_prefix
  const begins = prefixKey === undefined ? undefined : compilePrefix(prefixKey, inner)
  const prefix = (doc: Doc): string => begins?.of(doc) ?? ''
  const answer = (doc: Doc): string => exampleTarget(target.of(doc), choices?.of(doc))
  const between = own?.target_delimiter ?? config.target_delimiter
  const after = own?.fewshot_delimiter ?? config.fewshot_delimiter ?? ''
  return {
    ...question,
    columns: columnsOf([question, target, choices, begins]),
    answer,
    prefix,
    whole(doc, isForBaseModel) {
      const [text, given, begun] = [question.of(doc), answer(doc), prefix(doc)]
      if (given === '' && isForBaseModel) return withPrefix(text, between, begun)
      const parting = begun === '' ? between : separator(text, between, begun)
      return `${text}${parting}${beginning(begun, given)}${after}`
    },
  }
}

/** Compiles the question of a doc with its media. A number is the index of a choice. */
function compileQuestion(value: Parameters<typeof compileField>[0] | undefined, context: FieldContext): Question {
  const { config } = context.task
  const text = shownField(value ?? '', context)
  const media = [compileVisuals(config.doc_to_visual, context), compileVisuals(config.doc_to_audio, context)]
  const choices: ChoicesField | undefined =
    typeof value === 'number' && config.doc_to_choice !== undefined
      ? compileChoices(config.doc_to_choice, context)
      : undefined
  return {
    columns: columnsOf([text, ...media, choices]),
    media: doc => media.flatMap(field => field.of(doc)),
    of: doc => choices?.of(doc)[Number(value)] ?? asText(text.of(doc), 'doc_to_text'),
  }
}

/** Returns all columns that are read; `undefined` where a function may read any. */
export function columnsOf(fields: readonly (Pick<Field, 'columns'> | undefined)[]): readonly string[] | undefined {
  const names = fields.filter(field => field !== undefined).map(field => field.columns)
  return names.every(list => list !== undefined) ? [...new Set(names.flat())] : undefined
}
