import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import { withChineseTable } from '../../../../stages/judge/text/chinese/zhconv-of-environment.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { temporaryFolder } from '../../../support/store.js'

async function table(content: string): Promise<{ readonly path: string; readonly digest: string }> {
  const path = join(await temporaryFolder(), 'zhcdict.json')
  await writeFile(path, content)
  return { path, digest: sha256(content).replace('sha256:', '') }
}

const config = (normalizer: string | readonly (string | { readonly simplified_chinese: string })[]) => ({
  output_type: 'generate_until',
  filter_list: [{ name: 'n', filter: [{ function: 'take_first' }, { function: 'normalize_text', normalizer }] }],
  metric_list: [{ metric: 'exact_match' }, { metric: 'cer', normalizer }],
})

test('adds the table of ZHCONV_TABLE and its digest wherever simplified_chinese is used', async () => {
  const { path, digest } = await table('{"zh2Hans":{},"zh2CN":{}}')
  const placed = { simplified_chinese: path, sha256: digest }
  const scored = withChineseTable(config(['clean_transcript', 'simplified_chinese']), { ZHCONV_TABLE: path })
  expect(scored).toEqual(config(['clean_transcript', placed]))
  expect(withChineseTable(config('simplified_chinese'), { ZHCONV_TABLE: path }).metric_list).toEqual([
    { metric: 'exact_match' },
    { metric: 'cer', normalizer: placed },
  ])
})

test("adds the table to the normalisers by language, which the task's own scoring gets", async () => {
  const { path, digest } = await table('{}')
  const normalizers = { cantonese: ['simplified_chinese', 'whisper_basic'], other: ['whisper_basic'] }
  expect(withChineseTable({ normalizers }, { ZHCONV_TABLE: path })).toEqual({
    normalizers: { ...normalizers, cantonese: [{ simplified_chinese: path, sha256: digest }, 'whisper_basic'] },
  })
})

test('keeps a table that the task names, and adds its digest', async () => {
  const [own, other] = [await table('{}'), await table('{"other":1}')]
  const scored = withChineseTable(config([{ simplified_chinese: own.path }]), { ZHCONV_TABLE: other.path })
  expect(scored).toEqual(config([{ simplified_chinese: own.path, sha256: own.digest } as never]))
})

test('changes nothing without a table or without simplified_chinese', async () => {
  const { path } = await table('{}')
  for (const env of [{}, { ZHCONV_TABLE: '' }])
    expect(withChineseTable(config(['simplified_chinese']), env)).toEqual(config(['simplified_chinese']))
  for (const plain of [config('whisper_basic'), { output_type: 'generate_until', breakdown: [] }])
    expect(withChineseTable(plain, { ZHCONV_TABLE: path })).toEqual(plain)
})

test('reports a missing table and where to get one', () => {
  const place = () => withChineseTable(config('simplified_chinese'), { ZHCONV_TABLE: '/nowhere/zhcdict.json' })
  expect(place).toThrow(PipelineError)
  expect(place).toThrow(/table of zhconv can't be read: .*\/nowhere\/zhcdict\.json.*; give the path of zhcdict\.json/)
})

test('rejects a table that is a device or a folder, by its type', () => {
  const place = (path: string) => () => withChineseTable(config('simplified_chinese'), { ZHCONV_TABLE: path })
  expect(place('/dev/zero')).toThrow("zhconv can't be read: /dev/zero: it is a device, not a file")
  expect(place('/dev')).toThrow("zhconv can't be read: /dev: it is a folder, not a file")
})
