import type { Json } from '../../../base/canonical-json.js'
import { parseList } from '../../../base/written-list.js'
import type { Doc } from '../tasks/doc.js'
import { targetKwargs } from '../tasks/model-entries.js'
import type { Task } from '../tasks/task.js'
import { targetIndex } from './choices.js'
import { compileField, type Field, type FieldContext } from './field.js'
import { asJson } from './judge-record.js'

/** What `doc_to_target: …` means. A function gets what `model_specific_target_kwargs` has for the model, where there is any. */
export function compileTarget(
  value: Task['config']['doc_to_target'],
  context: FieldContext,
  models: readonly string[] = [],
): Field {
  if (value === undefined) return { of: () => null, columns: [] }
  if (Array.isArray(value)) return { of: () => value, columns: [] }
  const own = targetKwargs(context.task.config, models)
  const field = compileField(value, own === undefined ? context : { ...context, kwargs: own })
  const isTemplate = typeof value === 'string' && !context.columns.includes(value)
  const hasChoices = context.task.config.doc_to_choice !== undefined
  if (!isTemplate) return field
  const isEmpty = (doc: Doc): boolean => (field.columns ?? []).some(name => (doc[name] ?? null) === null)
  return {
    ...field,
    of(doc) {
      const printed = field.of(doc)
      // A column without a value prints as Python's "None", which is nobody's answer.
      return printed === 'None' && isEmpty(doc) ? null : readPrinted(printed, hasChoices)
    },
  }
}

/**
 * What a template printed: a list in square brackets, and an index where there are choices, whatever their texts are. Both are
 * read as `ast.literal_eval` reads them, as in lmms-eval and lm-evaluation-harness.
 */
function readPrinted(value: unknown, hasChoices: boolean): unknown {
  if (typeof value !== 'string') return value
  if (hasChoices && /^(?:0+|[1-9]\d*)$/.test(value)) return Number(value)
  return /^\[[^]*\]$/.test(value) ? (parseList(value) ?? value) : value
}

/** Whether the targets of docs, or of examples, are what a template prints. */
export const isPrinted = ({ doc_to_target: own, fewshot_config: examples }: Task['config']): boolean =>
  [own, examples?.doc_to_target].some(value => typeof value === 'string' && /\{[{%]/.test(value))

/** An index where answers are choices; else a text, a number or a list of them. */
export function settleTarget(task: Task, value: unknown, choices: readonly string[] | undefined): Json {
  const target = asJson(readTarget(value, choices)) ?? null
  if (choices === undefined || target === null) return target
  if (task.config.output_type === 'multiple_choice')
    return isList(target) ? target.map(one => targetIndex(one, choices)) : targetIndex(target, choices)
  return typeof target === 'number' ? (choices[target] ?? target) : target
}

/** The text of a target in an example: of several the first, of an index its choice. */
export function exampleTarget(value: unknown, choices: readonly string[] | undefined): string {
  const target = readTarget(value, choices)
  const one: unknown = Array.isArray(target) ? target[0] : target
  if (typeof one === 'number' && choices !== undefined) {
    const choice = choices[one]
    if (choice !== undefined) return choice
  }
  if (typeof one === 'string' || typeof one === 'number') return String(one)
  throw new Error(`doc_to_target of an example must give a text or an index, not ${JSON.stringify(value)}`)
}

/** An index that stands as text in the data: digits where there are choices, none of which is that text. */
function readTarget(value: unknown, choices: readonly string[] | undefined): unknown {
  const isIndex = typeof value === 'string' && /^\d+$/.test(value) && choices?.includes(value) === false
  return isIndex ? Number(value) : value
}

// Array.isArray does not narrow a readonly array out of a union.
export const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
