import { describe, expect, it } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

interface Pair {
  readonly gold: string
  readonly answer: string
}

const rates = ['pope_precision', 'pope_recall', 'pope_f1_score', 'pope_yes_ratio']

function right(row: TaskRow): Readonly<Record<string, unknown>> | undefined {
  if (row.kind !== 'score') return row.right
  const { score, pred: answer } = (row.right ?? row.official) as { readonly score: number; readonly pred: string }
  const pair = { gold: String(row.doc['answer']).toLowerCase(), answer }
  return { pope_accuracy: score, ...Object.fromEntries(rates.map(name => [name, pair])) }
}

/** The script and lmms-eval agree on the score of an unclear answer, but not on its class. */
const scriptReads = ({ doc, responses: [said] }: TaskRow): Pair => ({
  gold: String(doc['answer']),
  answer: /(^| )(No|not|no)( |$)/.test(String(said).split('.')[0]?.replaceAll(',', '') ?? '') ? 'no' : 'yes',
})

/** These two were counted of answers in lower case, so that "Not sure" is no; the script, and the rows of the docs, take it for yes. */
const inLowerCase = ['pope/pope/agg/none/4', 'pope/pope/agg/none/8']
const skip = ({ id }: TaskRow): string | undefined =>
  inLowerCase.includes(id) ? 'counted of answers in lower case' : undefined

testGoldenTask('pope', {
  right,
  skip,
  asScript: true,
  values: Object.fromEntries(rates.map(name => [name, (_value, row) => scriptReads(row)])),
})

describe('parsing as in the reference script', async () => {
  const { score } = await builtinTask('pope')
  const doc = { question: 'Is there a dog?', image_source: 'x', category: 'random', image: null }
  it.each([
    ['It does not appear in the image', 'no', 1],
    ['It does not appear in the image', 'yes', 0],
    ['**No**', 'yes', 1],
    ['**No**', 'no', 0],
    ['True', 'yes', 1],
    ['Nope', 'yes', 1],
    ['I see a dog. There is no cat', 'yes', 1],
    ['', 'yes', 1],
  ])('scores %j, for the answer %s, as %i', async (said, answer, value) => {
    const { outcome, values } = await score({ ...doc, answer }, said)
    expect([outcome, values['pope_accuracy']]).toEqual(['scored', value])
  })
})

interface Reference {
  readonly prediction: string
  readonly ground_truth: string
}

describe('with parity', () => {
  /** The reference reads only answers that are exactly yes or no. */
  const pairOf = ({ prediction, ground_truth: gold }: Reference) => ({
    gold,
    answer: ['yes', 'no'].includes(prediction) ? prediction : null,
  })
  testGoldenTask('pope', { parity: 'lmms-eval', values: Object.fromEntries(rates.map(name => [name, pairOf])) })
})
