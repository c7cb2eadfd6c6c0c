import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeGroupSettings } from '../../../../src/config/option.js'
import {
  amountIn,
  limitFlag,
  readSelection,
  selectionOptions,
  shardIn,
  writtenSelection,
} from '../../../../src/config/values/selection.js'
import { temporaryFolder } from '../../../support/store.js'

describe('--limit', () => {
  test('is a number, a fraction, or one for each task', () => {
    expect(limitFlag('5')).toBe(5)
    expect(limitFlag('0.1')).toBe(0.1)
    expect(limitFlag('-1')).toBe(-1)
    expect(limitFlag('mmlu=100', limitFlag('5'))).toEqual({ '*': 5, mmlu: 100 })
    expect(limitFlag('5,mmlu=100,mme=-1')).toEqual({ '*': 5, mmlu: 100, mme: -1 })
  })

  test.each(['0', '-2', 'ten', '1.5', 'mmlu=', '5,'])('rejects %s', text => {
    expect(() => limitFlag(text)).toThrow(
      /--limit: expected a whole number of docs, a share between 0 and 1, or -1 for all/,
    )
  })
})

test('a shard is i/n, from 1', () => {
  expect(shardIn('2/4')).toEqual({ index: 2, of: 4 })
  for (const text of ['0/4', '5/4', '2', '1/0', 'a/b']) expect(() => shardIn(text)).toThrow(/--shard: expected i\/n/)
  expect(() => amountIn('--subset', '-1')).toThrow(/--subset: expected/)
})

test('reads samples from a file or directly', async () => {
  const file = join(await temporaryFolder(), 's.json')
  await writeFile(file, '{"t": [1, "b"]}')
  expect(makeGroupSettings(selectionOptions, { samples: file }, {})).toEqual({ samples: { t: [1, 'b'] } })
  expect(makeGroupSettings(selectionOptions, { samples: '{"t": [2]}' }, {})).toEqual({ samples: { t: [2] } })
  await writeFile(file, '{"t": [-1]}')
  expect(() => makeGroupSettings(selectionOptions, { samples: file }, {})).toThrow(
    /^samples .*s\.json: expected JSON such as/,
  )
  expect(() => makeGroupSettings(selectionOptions, { samples: `${file}x` }, {})).toThrow(/s\.jsonx: no such file/)
})

test('reads docs from flags and from a file of ids', async () => {
  const file = join(await temporaryFolder(), 'ids.txt')
  await writeFile(file, 'q1\r\n\n t/q2* \n')
  const { read } = selectionOptions.docs
  expect(read(file, read('q7'))).toEqual(['q7', 'q1', 't/q2*'])
  expect(makeGroupSettings(selectionOptions, {}, { docs: 'q1' })).toEqual({ docs: ['q1'] })
  expect(makeGroupSettings(selectionOptions, {}, { docs: file })).toEqual({ docs: [file] })
  expect(readSelection(writtenSelection({ docs: ['q1', 't/*'] }))).toEqual({ docs: ['q1', 't/*'] })
  await writeFile(file, ' \n')
  expect(() => read(file)).toThrow(/--docs .*ids\.txt: the file names no docs/)
  expect(() => read(`${file}.txt`)).toThrow(/ids\.txt\.txt: no such file/)
})

test('reads the stored selection of a run back unchanged', () => {
  const selection = { limit: { a: 1, '*': 0.5 }, offset: 2, shard: { index: 1, of: 2 } }
  expect(readSelection({ ...writtenSelection(selection), firstSample: 3, num_fewshot: 2 })).toEqual({
    ...selection,
    firstSample: 3,
  })
  expect(readSelection(writtenSelection({ subset: 5, subsetSeed: 7 }))).toEqual({ subset: 5, subsetSeed: 7 })
  expect(writtenSelection({ offset: 0, subset: 5, subsetSeed: 0 })).toEqual({ subset: 5 })
})
