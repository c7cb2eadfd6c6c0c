import type { Doc } from '../tasks/doc.js'
import { compileChoices, type ChoicesField } from './choices.js'
import { asText, atOnce, compileField, shown, shownField, compileText, type Field, type FieldContext } from './field.js'
import { readMessages, userTurn, type DraftMessage, type DraftPart } from './messages.js'
import { isChat, type Prompting } from '../prompting.js'
import { compileTarget, exampleTarget } from './target.js'
import { compileVisuals, type ShownMedium } from './visuals.js'

/** The messages of a doc, with examples before the question where there are any. */
export interface PromptField extends Field {
  readonly of: (doc: Doc, examples?: readonly Doc[]) => readonly DraftMessage[]
}

/** What a doc shows and asks. */
interface Question extends Field {
  readonly media: (doc: Doc) => readonly ShownMedium[]
  readonly of: (doc: Doc) => string
}

/** Prepares the prompts of a task whose docs have these columns. */
export function compilePrompt(context: FieldContext, prompting: Prompting): PromptField {
  const { form, asTurns = false, models } = prompting
  const { config, functionOf } = context.task
  const example = compileExample(context, models ?? [])
  const description = compileText(config.description ?? '', context)
  const delimiter = config.fewshot_delimiter ?? ''
  if (config.doc_to_messages !== undefined && isChat(prompting)) {
    const call = functionOf(config.doc_to_messages)
    const messages = (doc: Doc): readonly DraftMessage[] => readMessages(atOnce(call(doc, context.kwargs)))
    return {
      columns: undefined,
      of: (doc, examples = []) => conversation(messages, { doc, examples, answer: example.answer }),
    }
  }
  const question = compileQuestion(config.doc_to_text, context)
  return {
    columns: columnsOf([question, description, example]),
    of(doc, examples) {
      const before = form === 'text' ? opening(prompting, delimiter, description.of(doc)) : description.of(doc)
      if (examples === undefined) return userTurn(question.media(doc), `${before}${question.of(doc)}`)
      if (asTurns && form !== 'text')
        return [
          ...(before === '' ? [] : [{ role: 'system' as const, content: [textPart(before)] }]),
          ...examples.flatMap(one => [
            ...userTurn(example.media(one), example.of(one)),
            answerTurn(example.answer(one)),
          ]),
          ...userTurn(question.media(doc), question.of(doc)),
        ]
      const shown = examples.map(one => ({
        media: example.media(one),
        text: `${example.of(one)}${config.target_delimiter}${example.answer(one)}`,
      }))
      return oneTurn(before, shown, { delimiter, media: question.media(doc), text: question.of(doc) })
    },
  }
}

/** What stands before the examples in one text: nothing but the delimiter separates a system instruction from a description. */
const opening = ({ system }: Prompting, delimiter: string, description: string): string =>
  system === undefined ? description : description === '' ? system : `${system}${delimiter}${description}`

/** Examples in one text, as lmms-eval's `fewshot_context` writes them; where they show media, each text follows its own. */
function oneTurn(
  before: string,
  shown: readonly { readonly media: readonly ShownMedium[]; readonly text: string }[],
  question: { readonly delimiter: string; readonly media: readonly ShownMedium[]; readonly text: string },
): readonly DraftMessage[] {
  const { delimiter } = question
  if (shown.every(({ media }) => media.length === 0)) {
    const examples = `${shown.map(({ text }) => text).join(delimiter)}${delimiter}`
    return userTurn(question.media, `${before}${examples}${question.text}`)
  }
  const content: DraftPart[] = [
    ...(before === '' ? [] : [textPart(before)]),
    ...shown.flatMap(({ media, text }) => [...media.map(mediumPart), textPart(`${text}${delimiter}`)]),
    ...question.media.map(mediumPart),
    textPart(question.text),
  ]
  return [{ role: 'user', content }]
}

/** A task's own conversation after those of the examples, each with its answer. What the system is told is said once. */
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
}

/** An example is rendered as the question is, unless `fewshot_config` says otherwise, and has its target after it. */
function compileExample(context: FieldContext, models: readonly string[]): Example {
  const { config } = context.task
  const samples = Array.isArray(config.fewshot_config?.samples) ? config.fewshot_config.samples : []
  const columns = [...new Set([...context.columns, ...samples.flatMap(sample => Object.keys(sample))])]
  const own = { ...context, columns }
  const question = compileQuestion(config.fewshot_config?.doc_to_text ?? config.doc_to_text, own)
  const key = config.fewshot_config?.doc_to_target ?? config.doc_to_target
  const choices = config.doc_to_choice === undefined ? undefined : compileChoices(config.doc_to_choice, own)
  // A number may be the index of a choice.
  const plain = compileTarget(key, own, models)
  const target = choices === undefined ? shown(plain, key, own) : plain
  return {
    ...question,
    columns: columnsOf([question, target, choices]),
    answer: doc => exampleTarget(target.of(doc), choices?.of(doc)),
  }
}

/** The question of a doc, with its media. A number stands for one of the choices. */
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

/** All that are read; `undefined` where a function may read any. */
export function columnsOf(fields: readonly (Pick<Field, 'columns'> | undefined)[]): readonly string[] | undefined {
  const names = fields.filter(field => field !== undefined).map(field => field.columns)
  return names.every(list => list !== undefined) ? [...new Set(names.flat())] : undefined
}
