import type { Json } from '../../../base/canonical-json.js'
import { parseList } from '../../../base/written-list.js'
import { isFunctionRef, type FunctionRef } from '../tasks/function-ref.js'
import type { Doc } from '../tasks/doc.js'
import { shownField, type Field, type FieldContext } from './field.js'

export interface ChoicesField extends Field {
  readonly of: (doc: Doc) => readonly string[]
}

/** What `doc_to_choice: …` means: a list, a column or template that gives one, or keys whose values are the choices. */
export function compileChoices(
  value: string | readonly string[] | Readonly<Record<string, string>> | FunctionRef,
  context: FieldContext,
): ChoicesField {
  if (typeof value === 'string' || isFunctionRef(value)) {
    const field = shownField(value, context)
    return { ...field, of: doc => readChoices(field.of(doc)) }
  }
  const choices: readonly string[] = Array.isArray(value) ? (value as readonly string[]) : Object.values(value)
  return { of: () => choices, columns: [] }
}

function readChoices(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? parseList(value) : value
  const items: readonly unknown[] = Array.isArray(list)
    ? (list as readonly unknown[])
    : typeof list === 'object' && list !== null
      ? Object.values(list)
      : []
  const texts = items.filter(item => typeof item === 'string' || typeof item === 'number').map(String)
  if (texts.length === 0 || texts.length < items.length)
    throw new Error(`doc_to_choice must give a list of texts, not ${JSON.stringify(value)}`)
  return texts
}

/**
 * Which of the choices a target means: its index, its text or its letter.
 *
 * @throws Error where it means none, since such a doc can't be scored.
 */
export function targetIndex(target: Json, choices: readonly string[]): number {
  if (typeof target === 'number' && choices[target] !== undefined) return target
  const text = typeof target === 'string' ? target : ''
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
