import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { ScoringRules } from '../../../../cache/records.js'
import { makeScorer } from '../../../support/scorer.js'

const passAt = (k: number): readonly Json[] => [{ metric: 'exact_match', name: `pass@${k}`, samples: { pass_at: k } }]
const all = { name: 'all', filter: [{ function: 'strip' }] }
const first = (k: number) => ({ name: 'first', filter: [{ function: 'take_first_k', k }] })
const vote = { name: 'vote', filter: [{ function: 'strip' }, { function: 'majority_vote' }] }

/** The problem of these rules, or `none`. */
function problemOf(config: ScoringRules, repeats?: number, outputType = 'generate_until'): string {
  try {
    const locate = (path: readonly (string | number)[]): string => `t.yaml:${path.length}:1`
    const isOwn = JSON.stringify(config).includes('"own"')
    const own = isOwn ? { processResults: () => ({ own: [4, 1] }) } : {}
    makeScorer({ ...own, task: 't', outputType, config, scorerCode: { files: {} }, repeats, locate })
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

describe('rejects rules that need more samples than they get, before any request', () => {
  test.each<[string, ScoringRules, repeats: number, outputType?: string]>([
    ['without filters, which keeps the first', { metric_list: passAt(4) }, 4],
    ['with too few repeats', { metric_list: passAt(4), filter_list: [all] }, 3],
    ['after a filter that keeps fewer', { metric_list: passAt(4), filter_list: [first(2)] }, 4],
    ['after a vote', { metric_list: passAt(2), filter_list: [all, vote] }, 4],
    ['of log-likelihoods', { metric_list: [{ metric: 'acc', samples: { pass_at: 2 } }] }, 4, 'multiple_choice'],
    ['in a filter', { metric_list: [{ metric: 'exact_match' }], filter_list: [first(5)] }, 4],
    ['in an aggregation', { metric_list: [{ metric: 'own', aggregation: 'pass_at_k', k: 8 }] }, 4],
  ])('%s', (_, config, repeats, outputType) => {
    expect(problemOf(config, repeats, outputType)).toMatch(/^t\.yaml:\d+:1 {2}\S+: .* needs \d samples of a doc, and /)
  })

  test('the message says what to set', () => {
    const few = problemOf({ metric_list: passAt(4), filter_list: [all] }, 2)
    expect(few).toContain('2 are requested. Set `repeats: 4`')
    expect(problemOf({ metric_list: passAt(4) }, 4)).toContain('Give a filter_list that keeps all samples')
    expect(problemOf({ metric_list: passAt(2), filter_list: [vote] }, 4)).toContain('the filters of "vote" leave fewer')
  })
})

describe('accepts rules with enough samples', () => {
  test.each<[string, ScoringRules, repeats?: number]>([
    ['all samples are kept', { metric_list: passAt(4), filter_list: [all] }, 4],
    [
      'the metric names the pipeline that keeps them',
      {
        metric_list: [{ metric: 'exact_match', name: 'p', samples: { pass_at: 4 }, after: 'all' }],
        filter_list: [all, vote],
      },
      4,
    ],
    ['k of more', { metric_list: passAt(2), filter_list: [first(2)] }, 4],
    ['one sample', { metric_list: passAt(1) }, 1],
    ['stored answers, whose number is not known', { metric_list: passAt(4) }],
  ])('%s', (_, config, repeats) => {
    expect(problemOf(config, repeats)).toBe('none')
  })
})
