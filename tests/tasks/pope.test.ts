import { describe } from 'vitest'
import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

const rates = ['pope_precision', 'pope_recall', 'pope_f1_score', 'pope_yes_ratio']

function right(row: TaskRow): Readonly<Record<string, unknown>> | undefined {
  if (row.kind !== 'score') return row.right
  const { score, pred: answer } = row.right as { readonly score: number; readonly pred: string }
  const pair = { gold: String(row.doc['answer']).toLowerCase(), answer }
  return { pope_accuracy: score, ...Object.fromEntries(rates.map(name => [name, pair])) }
}

/** These count "None", "N" or an empty answer as yes, and "Not sure" as no, which the rows of the docs themselves do not. */
const withUnreadable = [4, 5, 6, 8, 9].map(number => `pope/pope/agg/none/${number}`)
const skip = ({ id }: TaskRow): string | undefined =>
  withUnreadable.includes(id) ? 'takes what nobody can read for yes or no' : undefined

testGoldenTask('pope', { right, skip })

interface Reference {
  readonly prediction: string
  readonly ground_truth: string
}

describe('with parity', () => {
  /** What the reference reads is an answer that is yes or no and nothing else. */
  const pairOf = ({ prediction, ground_truth: gold }: Reference) => ({
    gold,
    answer: ['yes', 'no'].includes(prediction) ? prediction : null,
  })
  testGoldenTask('pope', { parity: 'lmms-eval', values: Object.fromEntries(rates.map(name => [name, pairOf])) })
})
