import { PipelineError, messageOf } from '../../../base/errors.js'
import type { Json } from '../../../base/canonical-json.js'
import type { JudgeRecord } from '../../../cache/records.js'
import type { Doc, TaskKwargs } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'
import { compileChoices, targetIndex } from './choices.js'
import { compileField, missingColumn, type Field, type FieldContext } from './field.js'
import { asJson, makeRecord } from './judge-record.js'
import { parseList } from './literal.js'
import { readMessages, userTurn, type DraftMessage } from './messages.js'
import { compileVisuals } from './visuals.js'

/** A doc before its media are in the store. */
export type Rendered =
  | {
      readonly type: 'rendered'
      readonly record: JudgeRecord
      readonly messages: readonly DraftMessage[]
      /** One request each; the only one is `undefined` where an answer is generated. */
      readonly continuations: readonly (string | undefined)[]
    }
  | { readonly type: 'failed'; readonly record: JudgeRecord; readonly reason: string }

export interface Renderer {
  /** The columns that the prompt, target and choices are made of; `undefined` where a function may read any. */
  readonly columns: readonly string[] | undefined
  /** Never throws for what is in a doc. */
  render(doc: Doc): Rendered
}

/**
 * Prepares the rendering of a task's docs, which have these columns. `model` chooses among `lmms_eval_specific_kwargs`.
 *
 * @throws PipelineError with the YAML line of each column that the dataset does not have.
 */
export function makeRenderer(task: Task, columns: readonly string[], model?: string): Renderer {
  const { config } = task
  const context = { task, columns, kwargs: kwargsOf(task, model) }
  refuseProblems(task, context)
  const fields = {
    messages: compileMessages(context),
    target: compileTarget(context),
    choices: config.doc_to_choice === undefined ? undefined : compileChoices(config.doc_to_choice, context),
  }
  const continuationsOf = continuations(task)
  return {
    columns: columnsOf([fields.messages, fields.target, fields.choices]),
    render(doc) {
      let target: Json = null
      let choices: readonly string[] | undefined
      try {
        choices = fields.choices?.of(doc)
        target = settleTarget(task, fields.target.of(doc), choices)
        const record = makeRecord(doc, target, choices)
        return { type: 'rendered', record, messages: fields.messages.of(doc), continuations: continuationsOf(record) }
      } catch (error) {
        return { type: 'failed', record: makeRecord(doc, target, choices), reason: messageOf(error) }
      }
    },
  }
}

interface TextField extends Field {
  readonly of: (doc: Doc) => string
}

interface MessagesField extends Field {
  readonly of: (doc: Doc) => readonly DraftMessage[]
}

function compileMessages(context: FieldContext): MessagesField {
  const { config, functionOf } = context.task
  if (config.doc_to_messages !== undefined) {
    const call = functionOf(config.doc_to_messages)
    return { of: doc => readMessages(call(doc, context.kwargs)), columns: undefined }
  }
  const text: TextField = compileText(context)
  const visuals = compileVisuals(config.doc_to_visual, context)
  const columns = text.columns && visuals.columns && [...text.columns, ...visuals.columns]
  return { of: doc => userTurn(visuals.of(doc), text.of(doc)), columns }
}

/** The text of the prompt: description, then `pre_prompt`, question and `post_prompt`. A function places the latter two. */
function compileText(context: FieldContext): TextField {
  const { config } = context.task
  const question = compileField(config.doc_to_text ?? '', context)
  const description = compileField(config.description ?? '', context)
  const isOwn = question.columns === undefined
  const affix = (key: string): string => (isOwn ? '' : asText(context.kwargs[key] ?? ''))
  const [before, after] = [affix('pre_prompt'), affix('post_prompt')]
  return {
    columns: question.columns && description.columns && [...question.columns, ...description.columns],
    of: doc => `${asText(description.of(doc))}${before}${asText(question.of(doc))}${after}`,
  }
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`doc_to_text must give a text, not ${value === undefined ? 'nothing' : JSON.stringify(value)}`)
}

function compileTarget(context: FieldContext): Field {
  const value = context.task.config.doc_to_target
  if (value === undefined) return { of: () => null, columns: [] }
  if (Array.isArray(value)) return { of: () => value, columns: [] }
  return compileField(value, context)
}

/** An index where answers are choices; else a text, a number or a list of them. */
function settleTarget(task: Task, value: unknown, choices: readonly string[] | undefined): Json {
  const given = typeof value === 'string' ? (parseList(value) ?? value) : value
  const target = asJson(given) ?? null
  if (choices === undefined || target === null) return target
  if (task.config.output_type === 'multiple_choice')
    return isList(target) ? target.map(one => targetIndex(one, choices)) : targetIndex(target, choices)
  return typeof target === 'number' ? (choices[target] ?? target) : target
}

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

function continuations(task: Task): (record: JudgeRecord) => readonly (string | undefined)[] {
  const { output_type: type, target_delimiter: delimiter } = task.config
  const none = [undefined]
  if (type === 'multiple_choice') return record => (record.choices ?? []).map(choice => `${delimiter}${choice}`)
  if (type !== 'loglikelihood') return () => none
  return ({ target }) => {
    const [first] = isList(target) ? target : [target]
    if (typeof first === 'string' || typeof first === 'number') return [`${delimiter}${first}`]
    throw new Error('doc_to_target must give the text whose likelihood is asked')
  }
}

/** The entry of the model, else `default`, else all of it. */
function kwargsOf(task: Task, model: string | undefined): TaskKwargs {
  const given = task.config.lmms_eval_specific_kwargs ?? {}
  const chosen = (model === undefined ? undefined : given[model]) ?? given['default'] ?? given['dataset'] ?? given
  return typeof chosen === 'object' && !isList(chosen) ? chosen : {}
}

/** All that are read; `undefined` where a function may read any. */
function columnsOf(fields: readonly (Field | undefined)[]): readonly string[] | undefined {
  const names = fields.filter(field => field !== undefined).map(field => field.columns)
  return names.every(list => list !== undefined) ? [...new Set(names.flat())] : undefined
}

const checked = ['description', 'doc_to_text', 'doc_to_visual', 'doc_to_target', 'doc_to_choice', 'breakdown'] as const

function refuseProblems(task: Task, context: FieldContext): void {
  const problems = checked.flatMap(key => {
    const value = task.config[key]
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    // Lists of doc_to_target and doc_to_choice are constants.
    if (Array.isArray(value) && key !== 'doc_to_visual' && key !== 'breakdown') return []
    return list.flatMap((one, index) => {
      if (typeof one !== 'string') return []
      const problem = key === 'breakdown' ? absent(one, context) : compileField(one, context).problem
      return problem === undefined
        ? []
        : [`${task.at(Array.isArray(value) ? [key, index] : [key])}  ${key}: ${problem}`]
    })
  })
  if (problems.length > 0) throw new PipelineError('config', problems)
}

const absent = (name: string, { columns }: FieldContext): string | undefined =>
  columns.includes(name) ? undefined : missingColumn(name, columns)
