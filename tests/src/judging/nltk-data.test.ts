import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors.js'
import { withNltkData } from '../../../src/judging/nltk-data.js'
import { temporaryFolder } from '../../support/store.js'

const folder = fileURLToPath(new URL('../../golden/nltk_data', import.meta.url))
const others = { output_type: 'generate_until', breakdown: [] }
const list = (...entries: readonly { readonly [key: string]: string | boolean }[]) => ({
  ...others,
  metric_list: entries,
})
const digestIn = (config: unknown): string => /"sha256":"([0-9a-f]{64})"/.exec(JSON.stringify(config))?.[1] ?? ''

test('WUPS is computed by the data of the environment, unless the task names its own', () => {
  const placed = withNltkData(list({ metric: 'wups', name: 'w', optional: true }, { metric: 'anls' }), {
    NLTK_DATA: `${folder}:/elsewhere`,
  })
  expect(placed).toEqual(
    list({ metric: 'wups', name: 'w', nltk_data: folder, sha256: digestIn(placed) }, { metric: 'anls' }),
  )
  const own = withNltkData(list({ metric: 'wups', nltk_data: folder }), { NLTK_DATA: '/elsewhere' })
  expect(own).toEqual(list({ metric: 'wups', nltk_data: folder, sha256: digestIn(placed) }))
})

test('the scores of other data are other scores', async () => {
  const other = join(await temporaryFolder(), 'nltk_data')
  await cp(folder, other, { recursive: true })
  const entry = list({ metric: 'wups' })
  expect(digestIn(withNltkData(entry, { NLTK_DATA: other }))).toBe(digestIn(withNltkData(entry, { NLTK_DATA: folder })))
  await writeFile(join(other, 'corpora', 'wordnet', 'verb.exc'), 'went go\n')
  expect(digestIn(withNltkData(entry, { NLTK_DATA: other }))).not.toBe(
    digestIn(withNltkData(entry, { NLTK_DATA: folder })),
  )
})

test('without data an optional WUPS has no number, and any other is refused by the metric', () => {
  const note = "left out: NLTK_DATA does not say where WordNet and NLTK's tagger are"
  const given = list({ metric: 'wups', name: 'WUPS', optional: true }, { metric: 'wups' })
  for (const env of [{}, { NLTK_DATA: '' }])
    expect(withNltkData(given, env)).toEqual(
      list({ metric: 'bypass', name: 'WUPS', higher_is_better: true, note }, { metric: 'wups' }),
    )
  expect(withNltkData(others, {})).toEqual(others)
})

test('data that are not there are told before anything is scored', () => {
  const place = () => withNltkData(list({ metric: 'wups' }), { NLTK_DATA: '/nowhere' })
  expect(place).toThrow(PipelineError)
  expect(place).toThrow(/NLTK's data in \/nowhere can't be read/)
})
