import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { computeCrc32c } from '../../../src/tracking/tensorboard/masked-crc.js'
import { formatEventFile } from '../../../src/tracking/tensorboard/event-file.js'
import { readDestinations } from '../../../src/tracking/destinations.js'
import { sendRun } from '../../../src/tracking/track-run.js'
import { aggregate } from '../../support/report-data.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'
import { viewedRun } from '../../support/viewed-run.js'

test('the checksum equals the published check value of CRC-32C', () => {
  expect(computeCrc32c(Buffer.from('123456789'))).toBe(0xe3069283)
  expect(computeCrc32c(Buffer.alloc(32))).toBe(0x8a9136aa)
})

// TensorBoard's own EventAccumulator has read these bytes: two scalars of step 300 and a text.
const golden =
  'GAAAAAAAAACjf0siCQAAAED8VNlBGg1icmFpbi5FdmVudDoy7O2PnVgAAAAAAAAAoosvjAkAACBP/FTZQRCsAipKCg4KB21tZS9hY2MVAABAPwoSCgtncsO2w59lL2FjYxUAAIC/CiQKB3Jlc3VsdHNKCAoGCgR0ZXh0Qg8IBxIEEgIIAUIFfCBhIHyJvIMy'

test('an event file has the bytes that TensorBoard was tested to read', () => {
  const bytes = formatEventFile(1_700_000_000, [
    {
      wallTime: 1_700_000_060.5,
      step: 300,
      scalars: new Map([
        ['mme/acc', 0.75],
        ['größe/acc', -1],
      ]),
      texts: new Map([['results', '| a |']]),
    },
  ])
  expect(bytes.toString('base64')).toBe(golden)
})

test('leaves out a number that TensorBoard would read as infinity', async () => {
  const store = await temporaryStore()
  const folder = await temporaryFolder()
  const opened = await viewedRun(store, [{ answer: 'blue' }])
  const aggregates = [
    aggregate({ metric: 'large', value: 1e39, stderr: null }),
    aggregate({ metric: 'small', value: -3e38, stderr: null }),
  ]
  const judgement = opened.judgement && { ...opened.judgement, aggregates }
  const destinations = readDestinations([{ name: 'tensorboard', given: folder }], {})
  const options = { env: {}, signal: new AbortController().signal }
  await sendRun(store, { run: opened.run, ...(judgement && { judgement }) }, destinations, options)
  const [name = ''] = await readdir(folder)
  const [file = ''] = await readdir(join(folder, name))
  const content = await readFile(join(folder, name, file))
  // The float of a value follows its tag: field 2, 32 bits.
  for (const infinity of ['150000807f', '15000080ff'])
    expect(content.includes(Buffer.from(infinity, 'hex'))).toBe(false)
  expect(content.includes('shapes_vqa/small')).toBe(true)
})

test('writes a run once, and again if its scores changed', async () => {
  const store = await temporaryStore()
  const folder = await temporaryFolder()
  const opened = await viewedRun(store, [{ answer: 'blue' }])
  const send = (value: number) => {
    const judgement = opened.judgement && { ...opened.judgement, aggregates: [aggregate({ value })] }
    const destinations = readDestinations([{ name: 'tensorboard', given: folder }], {})
    return sendRun(store, { run: opened.run, ...(judgement && { judgement }) }, destinations, {
      env: {},
      signal: new AbortController().signal,
    })
  }
  const states = []
  for (const value of [0.5, 0.5, 0.75]) states.push((await send(value))[0]?.state)
  expect(states).toEqual(['sent', 'unchanged', 'updated'])
  const [name = ''] = await readdir(folder)
  expect(name).toBe(`${opened.run.name}_1`)
  const files = await readdir(join(folder, name))
  expect(files).toHaveLength(1)
  expect((await readFile(join(folder, name, files[0] ?? ''))).includes('shapes_vqa/exact_match')).toBe(true)
})
