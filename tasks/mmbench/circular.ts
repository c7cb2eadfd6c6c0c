import type { Json } from '../../base/values/canonical-json.js'
import { number, objects } from '../_shared/values.js'

interface Order {
  readonly index: number
  readonly options: number
  readonly score: number
}

/**
 * The share of questions, in per cent, that are right in every order of their options. The orders of a question have the same index
 * modulo a million, and the first of them is below a million.
 *
 * Some orders of a question may be missing, because they failed or were not chosen. The question is then wrong if one of the others is
 * wrong; otherwise it does not count.
 *
 * Source: Liu et al. 2023 (https://arxiv.org/abs/2307.06281), CircularEval.
 */
export function circularAccuracy(values: readonly Json[]): number | null {
  const questions = new Map<number, Order[]>()
  for (const order of objects(values).map(parseOrder)) {
    const question = order.index % 1e6
    questions.set(question, [...(questions.get(question) ?? []), order])
  }
  const decided = Array.from(questions.values(), isRight).filter(right => right !== undefined)
  return decided.length === 0 ? null : (100 * decided.filter(Boolean).length) / decided.length
}

const parseOrder = ({ index, options, score }: ReturnType<typeof objects>[number]): Order => ({
  index: number(index, 'index'),
  options: number(options, 'options'),
  score: number(score, 'score'),
})

function isRight(orders: readonly Order[]): boolean | undefined {
  if (orders.some(({ score }) => score !== 1)) return false
  const [only] = orders
  const isWhole = orders.length >= (only?.options ?? 0) || (orders.length === 1 && (only?.index ?? 0) < 1e6)
  return isWhole ? true : undefined
}
