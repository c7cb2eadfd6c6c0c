import type { Doc } from '../tasks/doc.js'
import { type ChoicesField, compileChoices, compileTarget, exampleTarget } from './judge-record.js'
import { isParted } from '../../../base/python/white-space.js'
import { isGenerated } from '../generation-kwargs.js'
import { asText, atOnce, compileField, compilePrefix, compileText, type Field, type FieldContext } from './field.js'
import { readMessages, type DraftMessage, type DraftPart } from './messages.js'
import { isChat, type Prompting } from '../prompting.js'
import { compileVisuals, type ShownMedium } from './visuals.js'

/** Makes the messages of a doc, with examples before the question. */
export interface PromptField extends Field {
  readonly of: (doc: Doc, examples?: readonly Doc[]) => readonly DraftMessage[]
  /** Makes a prompt for each choice. Returns `undefined` for docs whose choices are continuations of one prompt. */
  readonly contexts?: (doc: Doc, examples?: readonly Doc[]) => ChoiceContexts | undefined
}

/**
 * Choices that are contexts of one continuation, as in WinoGrande. lm-evaluation-harness 0.4.13 calls that multiple
 * inputs (lm_eval/api/task.py, multiple_input_context).
 */
export interface ChoiceContexts {
  /** The index of the right choice. */
  readonly index: number
  readonly messages: readonly (readonly DraftMessage[])[]
}

/** The media and the text of a question. */
interface Question extends Field {
  readonly media: (doc: Doc) => readonly ShownMedium[]
  readonly of: (doc: Doc) => string
  /** The index of the right choice and all choices, where `doc_to_text` gives that index and no text. */
  readonly choice: (doc: Doc) => { readonly index: number; readonly choices: readonly string[] } | undefined
}

/** Compiles the prompts of a task for a dataset with these columns. */
export function compilePrompt(context: FieldContext, prompting: Prompting): PromptField {
  const { form, asTurns = false, models } = prompting
  const { config, functionOf } = context.task
  const example = compileExample(context, models ?? [])
  const description = compileText(config.description ?? '', { ...context, key: ['description'] })
  const delimiter = config.fewshot_delimiter ?? ''
  const prefix =
    config.gen_prefix === undefined ? undefined : compilePrefix(config.gen_prefix, { ...context, key: ['gen_prefix'] })
  // A log-likelihood scores a continuation of the text, not a new chat message.
  const isBegun = isGenerated(config.output_type) && isChat(prompting)
  const addAnswerPrefix = (doc: Doc, messages: readonly DraftMessage[]): readonly DraftMessage[] => {
    const text = prefix?.of(doc) ?? ''
    return text === '' ? messages : [...messages, answerTurn(text)]
  }
  if (config.doc_to_messages !== undefined && isChat(prompting)) {
    const call = functionOf(config.doc_to_messages)
    const messages = (doc: Doc): readonly DraftMessage[] => readMessages(atOnce(call(doc, context.kwargs)))
    return {
      columns: undefined,
      of: (doc, examples = []) =>
        addAnswerPrefix(
          doc,
          conversation(messages, {
            doc,
            examples,
            answer: one => joinPrefixed(example.prefix(one), example.answer(one)),
          }),
        ),
    }
  }
  const question = compileQuestion(config.doc_to_text, config.doc_to_choice, { ...context, key: ['doc_to_text'] })
  const renderQuestion = (doc: Doc): string =>
    isBegun ? question.of(doc) : withPrefix(question.of(doc), config.target_delimiter, prefix?.of(doc) ?? '')
  const renderMessages = (
    doc: Doc,
    examples: readonly Doc[] | undefined,
    text = renderQuestion(doc),
  ): readonly DraftMessage[] => {
    const before = form === 'text' ? joinOpening(prompting, delimiter, description.of(doc)) : description.of(doc)
    if (examples === undefined) return userTurn(question.media(doc), `${before}${text}`)
    if (asTurns && form !== 'text')
      return [
        ...(before === '' ? [] : [{ role: 'system' as const, content: [textPart(before)] }]),
        ...examples.flatMap(one => [
          ...userTurn(example.media(one), example.of(one)).map(markExample),
          answerTurn(joinPrefixed(example.prefix(one), example.answer(one))),
        ]),
        ...userTurn(question.media(doc), text),
      ]
    const shown = examples.map(one => ({ media: example.media(one), text: example.whole(one, form === 'text') }))
    // lmms-eval joins the examples and appends the delimiter, even where the only example drawn was the doc itself.
    const opened = shown.length === 0 && form !== 'text' ? `${before}${delimiter}` : before
    return oneTurn(opened, shown, { media: question.media(doc), text })
  }
  return {
    columns: collectColumns([question, description, example, prefix]),
    of: (doc, examples) =>
      isBegun ? addAnswerPrefix(doc, renderMessages(doc, examples)) : renderMessages(doc, examples),
    contexts(doc, examples) {
      const choice = config.output_type === 'multiple_choice' ? question.choice(doc) : undefined
      if (choice === undefined) return undefined
      const begins = prefix?.of(doc) ?? ''
      const messages = choice.choices.map(text => renderMessages(doc, examples, withPrefix(text, '', begins)))
      return { index: choice.index, messages }
    },
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
const joinPrefixed = (prefix: string, answer: string): string =>
  prefix === '' || answer === '' ? `${prefix}${answer}` : `${prefix}${isParted(prefix, answer) ? '' : ' '}${answer}`

/** Joins the text before the examples of a prompt. Only the delimiter separates a system instruction from a description. */
const joinOpening = ({ system }: Prompting, delimiter: string, description: string): string =>
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
    ...shown.flatMap(
      ({ media, text }) => markExample({ role: 'user', content: [...media.map(mediumPart), textPart(text)] }).content,
    ),
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
  const docMessages = messages(doc)
  const system = docMessages.filter(({ role }) => role === 'system')
  const turns = (list: readonly DraftMessage[]): readonly DraftMessage[] => list.filter(({ role }) => role !== 'system')
  if (examples.length === 0) return docMessages
  return [
    ...system,
    ...examples.flatMap(one => [...turns(messages(one)).map(markExample), answerTurn(answer(one))]),
    ...turns(docMessages),
  ]
}

/** Makes one user message: the media, then the text. */
export function userTurn(visuals: readonly ShownMedium[], text: string): readonly DraftMessage[] {
  const media = visuals.map((source): DraftPart => ({ type: 'medium', source }))
  const texts: readonly DraftPart[] = text === '' && media.length > 0 ? [] : [{ type: 'text', text }]
  return [{ role: 'user', content: [...media, ...texts] }]
}

/** Marks the media of an example. */
export const markExample = ({ role, content }: DraftMessage): DraftMessage => ({
  role,
  content: content.map(part => (part.type === 'medium' ? { ...part, isExample: true } : part)),
})

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
  const fewshot = config.fewshot_config
  const samples = Array.isArray(fewshot?.samples) ? fewshot.samples : []
  const columns = [...new Set([...context.columns, ...samples.flatMap(sample => Object.keys(sample))])]
  const inner = { ...context, columns }
  const key = fewshot?.doc_to_target ?? config.doc_to_target
  const choiceKey = fewshot?.doc_to_choice ?? config.doc_to_choice
  const makeFieldContext = (name: 'doc_to_text' | 'doc_to_target' | 'doc_to_choice' | 'gen_prefix'): FieldContext => ({
    ...inner,
    key: fewshot?.[name] === undefined ? [name] : ['fewshot_config', name],
  })
  const question = compileQuestion(
    fewshot?.doc_to_text ?? config.doc_to_text,
    choiceKey,
    makeFieldContext('doc_to_text'),
  )
  const choices = choiceKey === undefined ? undefined : compileChoices(choiceKey, makeFieldContext('doc_to_choice'))
  const target = compileTarget(key, makeFieldContext('doc_to_target'), models)
  const prefixKey = fewshot?.gen_prefix ?? config.gen_prefix
  const begins = prefixKey === undefined ? undefined : compilePrefix(prefixKey, makeFieldContext('gen_prefix'))
  const prefix = (doc: Doc): string => begins?.of(doc) ?? ''
  const answer = (doc: Doc): string => exampleTarget(target.of(doc), choices?.of(doc))
  const between = fewshot?.target_delimiter ?? config.target_delimiter
  const after = fewshot?.fewshot_delimiter ?? config.fewshot_delimiter ?? ''
  return {
    ...question,
    columns: collectColumns([question, target, choices, begins]),
    answer,
    prefix,
    whole(doc, isForBaseModel) {
      const [text, target, begun] = [question.of(doc), answer(doc), prefix(doc)]
      if (target === '' && isForBaseModel) return withPrefix(text, between, begun)
      const parting = begun === '' ? between : separator(text, between, begun)
      return `${text}${parting}${joinPrefixed(begun, target)}${after}`
    },
  }
}

/**
 * Compiles the question of a doc with its media. A number in the YAML is the index of a choice. With `multiple_choice`, whole numbers of columns and
 * functions and printed digits are indexes as well.
 */
function compileQuestion(
  value: Parameters<typeof compileField>[0] | undefined,
  choiceKey: Parameters<typeof compileChoices>[0] | undefined,
  context: FieldContext,
): Question {
  const { config } = context.task
  const text = compileField(value ?? '', context)
  const media = [
    compileVisuals(config.doc_to_visual, { ...context, key: ['doc_to_visual'] }),
    compileVisuals(config.doc_to_audio, { ...context, key: ['doc_to_audio'] }),
  ]
  const choices: ChoicesField | undefined =
    choiceKey !== undefined && (typeof value === 'number' || config.output_type === 'multiple_choice')
      ? compileChoices(choiceKey, { ...context, key: ['doc_to_choice'] })
      : undefined
  const isTemplate = typeof value === 'string' && !context.columns.includes(value)
  const findChoice = (doc: Doc, given: unknown): ReturnType<Question['choice']> => {
    if (choices === undefined) return undefined
    const index = isTemplate && typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given
    if (typeof index !== 'number' || !Number.isInteger(index)) return undefined
    const choiceTexts = choices.of(doc)
    if (choiceTexts[index] !== undefined) return { index, choices: choiceTexts }
    throw new Error(`doc_to_text gives ${index}, which is the index of none of ${JSON.stringify(choiceTexts)}`)
  }
  return {
    columns: collectColumns([text, ...media, choices]),
    media: doc => media.flatMap(field => field.of(doc)),
    choice: doc => (choices === undefined ? undefined : findChoice(doc, text.of(doc))),
    of(doc) {
      const given = text.of(doc)
      const { index, choices: all = [] } = findChoice(doc, given) ?? {}
      return (index === undefined ? undefined : all[index]) ?? asText(given, 'doc_to_text')
    },
  }
}

/** Returns all columns that are read; `undefined` where a function may read any. */
export function collectColumns(fields: readonly (Pick<Field, 'columns'> | undefined)[]): readonly string[] | undefined {
  const names = fields.filter(field => field !== undefined).map(field => field.columns)
  return names.every(list => list !== undefined) ? [...new Set(names.flat())] : undefined
}
