import { expect, test } from 'vitest'
import { yesOrNo } from '../../../../stages/judge/helpers/benchmarks/yes-no.js'
import { readOption } from '../../../../stages/judge/helpers/options/read-option.js'
import { refusal } from '../../../../stages/judge/metrics/assertions/refusal.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { goldenRows } from '../../../support/golden.js'
import { valueOf } from '../../../support/judged-value.js'

interface Row {
  readonly metric: 'option_letter' | 'yes_no' | 'refusal'
  readonly kind: string
  readonly answer: string
  readonly choices?: readonly string[]
  /** The letter, the word, or 1 and 0 of a refusal; null for an answer that is unparsed. */
  readonly reads: Json
}

const rows = goldenRows<Row>('metrics/chat_answers.jsonl')
const kinds = [...new Set(rows.map(({ metric, kind }) => `${metric}: ${kind}`))]

function read({ metric, answer, choices = ['red', 'green', 'blue', 'yellow'] }: Row): Json {
  if (metric === 'refusal') return valueOf(refusal, answer, { target: 'x' })
  if (metric === 'yes_no') return yesOrNo(answer, 'words') ?? null
  const found = readOption(answer, { count: 4, choices })
  return found.type === 'letter' ? found.letter : null
}

test.each(kinds)('reads answers as a person does (%s)', kind => {
  const own = rows.filter(row => `${row.metric}: ${row.kind}` === kind)
  expect(own.map(row => [row.answer, read(row)])).toEqual(own.map(row => [row.answer, row.reads]))
})
