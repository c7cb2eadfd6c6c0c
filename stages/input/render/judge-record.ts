import { PipelineError } from '../../../base/errors/errors.js'
import { labelText, pythonText, PythonNumber } from '../../../base/python/python-text.js'
import { isList, type Json } from '../../../base/values/canonical-json.js'
import { ownValue, setValue } from '../../../base/values/named-values.js'
import { parseTypedList } from '../../../base/python/written-list.js'
import type { JsonObject, JudgeRecord } from '../../../cache/records.js'
import type { Doc } from '../tasks/doc.js'
import { type FunctionRef, isFunctionRef } from '../tasks/function-ref.js'
import { targetKwargs } from '../generation.js'
import type { Task } from '../tasks/task.js'
import { compileField, type Field, type FieldContext } from './field.js'
import type { FloatFields } from '../datasets/columns/floats.js'
import { isMediumInText } from '../media/inline-medium.js'
import { withPythonNumbers } from './python-numbers.js'
import { isMediumSource } from './visuals.js'

/** Makes the judge record of a doc: target, choices and every field without media. */
export function makeRecord(doc: Doc, target: Json, choices?: readonly string[]): JudgeRecord {
  return { target, ...(choices === undefined ? {} : { choices }), doc: withoutMedia(doc) }
}

/** Leaves out fields whose text is an inline medium. Only a task's functions may read them. */
export function withoutInlineMedia(doc: Doc): Doc {
  const isInline = (value: unknown): boolean => typeof value === 'string' && isMediumInText(value)
  if (!Object.values(doc).some(isInline)) return doc
  return Object.fromEntries(Object.entries(doc).filter(([, value]) => !isInline(value)))
}

function withoutMedia(doc: Doc): JsonObject {
  const fields: Record<string, Json> = {}
  for (const name in doc) {
    const value = doc[name]
    const type = typeof value
    if (type === 'string' || type === 'boolean' || value === null) setValue(fields, name, value as Json)
    else {
      const json = asJson(value)
      if (json !== undefined) setValue(fields, name, json)
    }
  }
  return fields
}

/**
 * Converts a value to JSON; `undefined` where it holds nothing but media. Numbers that JSON cannot express become
 * text.
 *
 * @throws PipelineError (dataset) if the value leads back to itself, or is nested too deep
 */
export function asJson(value: unknown): Json | undefined {
  try {
    return convertValue(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new PipelineError(
      'dataset',
      'a value of the doc leads back to itself, or is nested too deep: it has no end. Leave it out, or write it flatter',
      { cause: error },
    )
  }
}

function convertValue(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof PythonNumber) return convertValue(value.value)
  if (typeof value !== 'object' || isMediumSource(value)) return undefined
  if (Array.isArray(value)) {
    const items = value.map(convertValue).filter(item => item !== undefined)
    return items.length === 0 && value.length > 0 ? undefined : items
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const json = convertValue(item)
      return json === undefined ? [] : [[key, json]]
    }),
  )
}

/** Compiles `doc_to_target`. A function gets the model's entry of `model_specific_target_kwargs`, if there is one. */
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
      // A column without a value prints as Python's "None", which is no answer.
      return printed === 'None' && isEmpty(doc) ? null : readPrinted(printed, hasChoices)
    },
  }
}

/**
 * Parses the output of a template: a list in square brackets, and an index if there are choices. Both are parsed like `ast.literal_eval`, as in
 * lmms-eval and lm-evaluation-harness.
 */
function readPrinted(value: unknown, hasChoices: boolean): unknown {
  if (typeof value !== 'string') return value
  if (hasChoices && /^(?:0+|[1-9]\d*)$/.test(value)) return Number(value)
  return /^\[[^]*\]$/.test(value) ? (parseTypedList(value) ?? value) : value
}

/** Returns whether a template prints the targets of the task's docs or of its examples. */
export const isPrinted = ({ doc_to_target: own, fewshot_config: examples }: Task['config']): boolean =>
  [own, examples?.doc_to_target].some(value => typeof value === 'string' && /\{[{%]/.test(value))

/** The stored form of a target: an index for multiple choice, else a text, a number or a list of them. */
export type SettledTarget = Pick<JudgeRecord, 'target' | 'printed'>

export function settleTarget(task: Task, value: unknown, choices: readonly string[] | undefined): SettledTarget {
  const rawTarget = readTarget(value, choices)
  const target = asJson(rawTarget) ?? null
  if (choices === undefined || target === null) return { target, ...printedTarget(rawTarget, target) }
  if (task.config.output_type === 'multiple_choice') {
    const findTargetIndex = (targetValue: unknown): number =>
      targetIndex(asJson(targetValue) ?? null, choices, targetValue)
    return { target: Array.isArray(rawTarget) ? rawTarget.map(findTargetIndex) : findTargetIndex(rawTarget) }
  }
  const choice = typeof target === 'number' ? choices[target] : undefined
  return choice === undefined ? { target, ...printedTarget(rawTarget, target) } : { target: choice }
}

/** Holds the texts of a target where its JSON would be printed otherwise. */
function printedTarget(rawTarget: unknown, target: Json): Pick<JudgeRecord, 'printed'> {
  const items: readonly unknown[] = (Array.isArray(rawTarget) ? (rawTarget as readonly unknown[]) : [rawTarget]).filter(
    isPresent,
  )
  const texts = items.map(pythonText)
  const plain = (isList(target) ? target : [target]).filter(isPresent).map(pythonText)
  return texts.length !== plain.length || texts.every((text, at) => text === plain[at])
    ? {}
    : { printed: { target: texts } }
}

const isPresent = (value: unknown): boolean => value !== null && value !== undefined

/**
 * Returns the text of an example's target: the first of several, or the choice of an index.
 *
 * @throws Error where the target is missing
 */
export function exampleTarget(value: unknown, choices: readonly string[] | undefined): string {
  const target = readTarget(value, choices)
  const firstTarget: unknown = Array.isArray(target) ? target[0] : target
  const index = firstTarget instanceof PythonNumber ? firstTarget.value : firstTarget
  const choice = typeof index === 'number' ? choices?.[index] : undefined
  if (choice !== undefined) return choice
  if (isPresent(firstTarget)) return pythonText(firstTarget)
  throw new Error(`doc_to_target of an example must give a text or an index, not ${JSON.stringify(value)}`)
}

/** Returns the texts of grouping fields that print differently from their JSON. */
export function printedFields(
  doc: Doc,
  names: readonly string[],
  floats: FloatFields,
): Readonly<Record<string, string>> | undefined {
  const texts = names.flatMap(name => {
    const value = ownValue(doc, name) ?? null
    const own = ownValue(floats, name)
    if (own === undefined || value === null) return []
    const text = labelText(withPythonNumbers(value, own))
    return text === labelText(asJson(value)) ? [] : [[name, text] as const]
  })
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}

/** Reads a target. Digits are an index if there are choices and no choice is that text. */
function readTarget(value: unknown, choices: readonly string[] | undefined): unknown {
  const isIndex = typeof value === 'string' && /^\d+$/.test(value) && choices?.includes(value) === false
  return isIndex ? Number(value) : value
}

export interface ChoicesField extends Field {
  readonly of: (doc: Doc) => readonly string[]
}

/** Compiles `doc_to_choice`: a list, a column or template with a list, or an object whose values are the choices. */
export function compileChoices(
  value: string | readonly string[] | Readonly<Record<string, string>> | FunctionRef,
  context: FieldContext,
): ChoicesField {
  if (typeof value === 'string' || isFunctionRef(value)) {
    const field = compileField(value, context)
    return { ...field, of: doc => readChoices(field.of(doc)) }
  }
  const choices: readonly string[] = Array.isArray(value) ? (value as readonly string[]) : Object.values(value)
  return { of: () => choices, columns: [] }
}

function readChoices(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? parseTypedList(value) : value
  const items: readonly unknown[] = Array.isArray(list)
    ? (list as readonly unknown[])
    : typeof list === 'object' && list !== null
      ? Object.values(list)
      : []
  const isPrinted = (item: unknown): boolean =>
    ['string', 'number', 'boolean'].includes(typeof item) || item instanceof PythonNumber
  const texts = items.filter(isPrinted).map(pythonText)
  if (texts.length === 0 || texts.length < items.length)
    throw new Error(`doc_to_choice must give a list of texts, not ${JSON.stringify(value)}`)
  return texts
}

/**
 * Returns the index of the choice that a target names by index, text or letter.
 *
 * @throws Error if the target names no choice, because such a doc cannot be scored
 */
function targetIndex(target: Json, choices: readonly string[], rawTarget: unknown): number {
  if (typeof target === 'number' && choices[target] !== undefined) return target
  // The digits of a whole number are an index and never the text of a choice.
  const text = isPresent(rawTarget) && !Number.isInteger(rawTarget) ? pythonText(rawTarget) : ''
  const exact = choices.indexOf(text)
  if (exact >= 0) return exact
  const letter = /^[A-Za-z]$/.test(text) ? text.toUpperCase().charCodeAt(0) - 65 : -1
  if (choices[letter] !== undefined) return letter
  const index = /^\d+$/.test(text) ? Number(text) : -1
  if (choices[index] !== undefined) return index
  const isText = typeof target === 'number' && choices.includes(String(target))
  throw new Error(
    `doc_to_target gives ${JSON.stringify(target)}, which is none of ${JSON.stringify(choices)}${isText ? textMeant : ''}`,
  )
}

const textMeant =
  '. Digits that a template prints are the index of a choice, from 0. Where the text is meant, give the column by its name alone (`doc_to_target: answer`) or print the index (`{{ choices.index(answer) }}`)'
