/** Reads the values that lmms-eval and lm-eval write in the same way. */
import { isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { parseArguments } from '../../../config/argument-string.js'
import { withoutSecretValues } from '../../../config/secrets.js'
import type { ForeignAnswer, ReportedScore } from '../../foreign-log.js'

/**
 * Reads the answers to a doc. An answer is a text, or a pair of a log-likelihood and whether the text is the greedy one;
 * lists of them are nested by request and repeat.
 *
 * @param isLikelihood whether the task's requests are for log-likelihoods
 */
export function answersIn(value: Json | undefined, isLikelihood: boolean): readonly ForeignAnswer[] {
  if (!isLikelihood) return textsIn(value).map(text => ({ text }))
  const pairs = pairsIn(value)
  return pairs.map((pair, choice) => (pairs.length === 1 ? pair : { ...pair, choice }))
}

function textsIn(value: Json | undefined): readonly string[] {
  if (isList(value)) return value.flatMap(textsIn)
  return value === undefined || value === null ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]
}

function pairsIn(value: Json | undefined): readonly ForeignAnswer[] {
  if (!isList(value)) {
    const logprob = parseNumber(value)
    return logprob === undefined ? [] : [{ logprob }]
  }
  const [first, second] = value
  const logprob = parseNumber(first)
  const isGreedy = parseBoolean(second)
  if (value.length === 2 && logprob !== undefined && isGreedy !== undefined) return [{ logprob, isGreedy }]
  return value.flatMap(pairsIn)
}

/** lm-eval writes the numbers of answers as texts. */
function parseNumber(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^-?(\d|inf|nan)/i.test(value)) return undefined
  const number = /^-?inf/i.test(value) ? (value.startsWith('-') ? -Infinity : Infinity) : Number(value)
  return Number.isNaN(number) ? undefined : number
}

function parseBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 'True' ? true : value === 'False' ? false : undefined
}

/** Lists the filters that read nothing of the answer: lm-eval and lmms-eval then write the text `[invalid]`. */
export const listUnread = (extracted: Readonly<Record<string, Json>>): readonly string[] =>
  Object.entries(extracted).flatMap(([filter, value]) => (isUnread(value) ? [filter] : []))

const isUnread = (value: Json): boolean =>
  isList(value) ? value.length > 0 && value.every(isUnread) : value === null || value === '[invalid]'

export const isLikelihoodTask = (config: JsonObject): boolean =>
  ['loglikelihood', 'multiple_choice', 'loglikelihood_rolling'].includes(textIn(config['output_type']) ?? '')

/** The names of a task's filters, in the order in which the tool applies them. */
export function filterNames(config: JsonObject): readonly string[] {
  const list = config['filter_list']
  if (!isList(list) || list.length === 0) return ['none']
  return list.map((entry, index) => (isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : `${index}`))
}

/** The numbers of one task in `results`: `exact_match,strict` and, beside it, `exact_match_stderr,strict`. */
export function reportedScores(results: JsonObject, n: number | undefined): readonly ReportedScore[] {
  return Object.entries(results).flatMap(([key, value]): ReportedScore[] => {
    const [metric = '', filter] = key.split(/,(?=[^,]*$)/)
    if (typeof value !== 'number' || filter === undefined || /_stderr(_\w+)?$/.test(metric)) return []
    // lm-eval writes this instead of a number with --predict_only.
    if (metric === 'bypass') return []
    const stderr = results[`${metric}_stderr,${filter}`]
    return [
      {
        metric,
        filter,
        value,
        ...(typeof stderr === 'number' ? { stderr } : {}),
        ...(n === undefined ? {} : { n }),
      },
    ]
  })
}

/** The aggregation of each metric, where the configuration names it. */
export function aggregationsIn(config: JsonObject): Readonly<Record<string, string>> {
  const list = config['metric_list']
  return Object.fromEntries(
    (isList(list) ? list : []).flatMap(entry =>
      isObject(entry) && typeof entry['metric'] === 'string' && typeof entry['aggregation'] === 'string'
        ? [[entry['metric'], entry['aggregation']] as const]
        : [],
    ),
  )
}

export const booleansIn = (value: Json | undefined): Readonly<Record<string, boolean>> =>
  Object.fromEntries(
    Object.entries(objectIn(value)).flatMap(([name, inner]) =>
      typeof inner === 'boolean' ? [[name, inner] as const] : [],
    ),
  )

/** Reads the model's arguments, an object or `a=b,c=d`. Keys and passwords are left out, because a store is shared. */
export function modelArguments(value: Json | undefined): JsonObject {
  const args = typeof value === 'string' && value !== '' ? parsedArguments(value) : objectIn(value)
  return withoutSecretValues(args) as JsonObject
}

/** A text that is no list of arguments may hold a secret, and is left out. */
function parsedArguments(text: string): JsonObject {
  try {
    return parseArguments([text], 'model_args')
  } catch {
    return {}
  }
}

export const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export const textIn = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

export const numberIn = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined)
