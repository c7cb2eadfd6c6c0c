import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import { EmbeddedMedia } from '../../../../src/present/files/html/embedded-media.js'
import { pageStart, scriptJson } from '../../../../src/present/files/html/page-shell.js'
import { selectSamples } from '../../../../src/present/files/html/select-samples.js'
import { writeSamples } from '../../../../src/present/files/html/sample-chunks.js'
import { sampleAt } from '../../../../src/reading/samples/sample-at.js'
import { viewOfSample } from '../../../../src/present/page/samples/sample-view.js'
import { openJudgeExchanges } from '../../../../src/reading/samples/judge-exchanges.js'
import type { SampleView } from '../../../../src/present/page/data/index.js'
import { temporaryStore } from '../../../support/store.js'
import { png, viewedRun, type ViewedDoc } from '../../../support/viewed-run.js'

const elements = (text: string): ReadonlyMap<string, Buffer> =>
  new Map(
    [...text.matchAll(/<script type="text\/plain" id="([^"]+)"[^>]*>([^<]*)<\/script>/g)].map(
      ([, id = '', data = '']) => [id, Buffer.from(data, 'base64')],
    ),
  )

const written = async (work: (write: (text: string) => Promise<void>) => Promise<unknown>): Promise<string> => {
  let text = ''
  await work(part => {
    text += part
    return Promise.resolve()
  })
  return text
}

test('texts of the data cannot close their element, whatever they contain', () => {
  const data = { text: '</script><!-- <script> \u2028\u2029 & "' }
  expect(scriptJson(data)).not.toMatch(/[<>\u2028\u2029]/)
  expect(JSON.parse(scriptJson(data))).toEqual(data)
  const page = pageStart('<b>"', { script: '1', style: '' }, data)
  expect(page).toContain('<title>&#60;b&#62;&#34;</title>')
  expect(page.match(/<\/script>/g)).toHaveLength(2)
})

test('samples are in chunks, in the order of their rows', async () => {
  const store = await temporaryStore()
  const docs = Array.from({ length: 120 }, (_, index): ViewedDoc => ({
    answer: `a${index}`,
    score: { groups: { n: 'x' } },
  }))
  const opened = await viewedRun(store, docs)
  const selection = await selectSamples(store, opened, 10_000)
  let rows: readonly { readonly id: string }[] = []
  const text = await written(async write => {
    const { reported } = await writeSamples(
      { store, opened, selection, number: 3 },
      new EmbeddedMedia(store.media),
      write,
    )
    expect(reported).toMatchObject({ chunk: 50, whole: 120 })
    expect(reported.labels[5]).toEqual({ n: 'x' })
    rows = reported.rows
  })
  const chunks = elements(text)
  expect([...chunks.keys()]).toEqual(['samples-3-0', 'samples-3-1', 'samples-3-2'])
  const samples = [...chunks.values()].flatMap(bytes => JSON.parse(gunzipSync(bytes).toString()) as SampleView[])
  expect(samples.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  expect(samples).toHaveLength(120)
})

test('if not all samples fit, the notable ones come first, and a second run shows the same docs', async () => {
  const store = await temporaryStore()
  const right = { values: { exact_match: 1 } }
  const opened = await viewedRun(store, [
    { answer: 'a', score: right },
    { answer: 'b', score: right },
    { answer: 'c' },
    { answer: 'd', score: { outcome: 'unparsed', values: {} } },
    { failure: { class: 'refused', message: 'no', attempts: 1 } },
  ])
  const places = [0, 1, 2, 3, 4].map(index => ({ task: 0, index }))
  const most = async (count: number, first?: ReadonlySet<string>) => {
    const selection = await selectSamples(store, opened, count, first)
    return places.filter(place => selection.has(place)).map(({ index }) => index)
  }
  expect(await most(3)).toEqual([2, 3, 4])
  expect(await most(4)).toEqual([0, 2, 3, 4])
  expect(await most(4, new Set(['shapes_vqa\u0000q1']))).toEqual([1, 2, 3, 4])
  expect(await selectSamples(store, opened, 4)).toMatchObject({ docs: 5, leftOut: 1 })
})

async function mediaOf(pictures: readonly Buffer[]): Promise<EmbeddedMedia> {
  const store = await temporaryStore()
  const opened = await viewedRun(
    store,
    pictures.map((picture, index) => ({ picture, answer: `a${index}` })),
  )
  const media = new EmbeddedMedia(store.media)
  const calls = await openJudgeExchanges(store, opened)
  for (const index of pictures.keys())
    media.add(await viewOfSample(store, opened, (await sampleAt(store, opened, { task: 0, index }))!, calls))
  return media
}

test('embeds small pictures unchanged, and large ones in two sizes', async () => {
  const [small, large] = [await png(30, 20), await png(2000, 1000)]
  const media = await mediaOf([small, large])
  const text = await written(async write => {
    expect((await media.write(write, 10_000_000)).leftOut).toEqual([])
  })
  const id = (bytes: Buffer): string => `media-${sha256(bytes).replace(':', '-')}`
  const found = elements(text)
  expect([...found.keys()]).toEqual([`${id(small)}-320`, `${id(large)}-320`, `${id(large)}-1024`])
  expect(found.get(`${id(small)}-320`)).toEqual(small)
  expect(found.get(`${id(large)}-320`)?.toString('latin1', 8, 12)).toBe('WEBP')
})

test('leaves out media over the budget, with a note', async () => {
  const media = await mediaOf([await png(30, 20), await png(30, 21), await png(2000, 1000)])
  const text = await written(async write => {
    const { leftOut, bytes } = await media.write(write, 100)
    expect(bytes).toBeLessThanOrEqual(100)
    expect(leftOut[0]).toMatch(
      /^\d media \(.* on disk\) are not in this file, because they exceed the budget of 100 B\./,
    )
  })
  expect(elements(text).size).toBeLessThan(3)
})
