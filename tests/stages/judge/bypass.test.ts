import { expect, test } from 'vitest'
import { bypassAggregation as bypass } from '../../../stages/judge/metrics/bypass.js'
import { bare } from '../../../stages/judge/define/define-aggregation.js'
import type { Parity } from '../../../stages/judge/define/parity.js'

function collected(args: { readonly note?: string }, parity?: Parity) {
  if (bypass.of !== 'folded') throw new Error('it keeps no values')
  const fold = bypass.start(args, parity)
  fold.add({ answer: 'a row for a server' })
  return fold.finish()
}

test('values that are only collected have no number, or 999 as in lmms-eval', () => {
  expect(collected({})).toEqual(bare(null))
  expect(collected({}, 'lmms-eval')).toEqual(bare(999))
})

test('a metric that is left out has no number and says why', () => {
  const left = { ...bare(null), note: 'left out: there is no Java' }
  expect(collected({ note: left.note })).toEqual(left)
  expect(collected({ note: left.note }, 'lmms-eval')).toEqual(left)
})
