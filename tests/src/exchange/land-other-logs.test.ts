import { describe, expect, it } from 'vitest'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { Store } from '../../../cache/store.js'
import { landLog } from '../../../src/exchange/land-log.js'
import { findReader } from '../../../src/exchange/readers.js'
import { temporaryStore } from '../../support/store.js'

const logs = 'tests/fixtures/logs'

/** The logs, the number of docs in each run, and reported values that differ because the tools score failures. */
const cases = [
  ['evalscope', `${logs}/evalscope/log`, [5], []],
  ['helm', `${logs}/helm/runs`, [6], []],
  ['promptfoo', `${logs}/promptfoo/results.json`, [8, 8], ['pass', 'score', 'score']],
  ['promptfoo', `${logs}/promptfoo/results.jsonl`, [8, 8], []],
  ['vlmevalkit', `${logs}/vlmevalkit/log/xlsx`, [6], ['hit']],
  ['vlmevalkit', `${logs}/vlmevalkit/log/json`, [6], []],
] as const

describe('importing logs of other tools', () => {
  it.each(cases)(
    'importing %s logs of %s makes runs, and importing again changes nothing',
    async (tool, path, docs, differing) => {
      const store = (await temporaryStore()) as Store & PortableStore
      const reader = await findReader(path)
      expect(reader?.tool).toBe(tool)
      if (reader === undefined) return
      const landed = await landLog(store, await reader.open(path))
      expect(landed.map(run => run.docs)).toEqual(docs)
      expect(landed.flatMap(run => run.differences.map(({ metric }) => metric))).toEqual(differing)
      expect(landed.every(({ outcome }) => outcome.isNew && outcome.added.responses > 0)).toBe(true)
      const again = await landLog(store, await reader.open(path))
      expect(again.map(({ outcome }) => [outcome.isNew, outcome.added.responses, outcome.added.scores])).toEqual(
        docs.map(() => [false, 0, 0]),
      )
    },
  )
})
