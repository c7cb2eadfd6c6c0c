import { loadAllJudges } from '../stages/judge/compile/registry.js'
import { makeScorer } from '../stages/judge/scorer.js'
import type { AnsweredDoc } from '../cache/records.js'
import { atMost, note, seconds, type Figure, type Measurement } from './measurement.js'

const docs = 100_000
const limits = { exact_match: 2, bleu: 15, f1: 2 } as const

/** Measures the judge without the store: scores and aggregates of many answers for one metric. */
export const scoring: Measurement = {
  name: 'scoring',
  async measure() {
    const judges = await loadAllJudges()
    const figures: Figure[] = []
    for (const [metric, limit] of Object.entries(limits)) {
      const average = metric === 'f1' ? { average: 'macro' } : {}
      const scorer = makeScorer(
        {
          task: 'bench',
          outputType: 'generate_until',
          config: { metric_list: [{ metric, ...average }] },
          scorerCode: { files: {} },
        },
        judges,
      )
      const answers = Array.from({ length: docs }, (_, index) => answered(index, metric === 'f1'))
      const cpu = process.cpuUsage()
      const start = performance.now()
      const aggregator = scorer.aggregator()
      for (const doc of answers) aggregator.add(await scorer.score(doc))
      aggregator.finish({ docs })
      const took = (performance.now() - start) / 1000
      const { user, system } = process.cpuUsage(cpu)
      figures.push(atMost(`${metric} of 100,000 answers`, took, limit, seconds))
      figures.push(note('  its CPU time', seconds((user + system) / 1e6)))
    }
    return figures
  },
}

const words = 'the small dog runs over a wet road near two old houses while rain falls on their red roofs'.split(' ')

/** Creates two captions of about twenty words that share most of them, or for classes, one of ten words. */
function answered(index: number, isClass: boolean): AnsweredDoc {
  const word = (place: number): string => words[(index * 7 + place * 3) % words.length] ?? ''
  const caption = Array.from({ length: isClass ? 1 : 20 }, (_, place) => word(place)).join(' ')
  const text = index % 3 === 0 ? caption : caption.replace(word(4), word(index))
  const digest = 'sha256:' + '0'.repeat(64)
  return {
    task: 0,
    index,
    id: String(index),
    recordKey: digest as AnsweredDoc['recordKey'],
    record: { target: caption, doc: { index } },
    answers: [
      {
        choice: 0,
        sample: 0,
        key: digest as AnsweredDoc['answers'][number]['key'],
        digest: digest as AnsweredDoc['answers'][number]['digest'],
        body: { text, finishReason: 'stop' },
      },
    ],
  }
}
