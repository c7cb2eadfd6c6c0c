import { expect, test } from 'vitest'
import type { StoredLabel } from '../../../../cache/records.js'
import { answerAll, askedRun, questions } from '../../../support/store-conformance/scene.js'
import { testRun } from '../../../support/store.js'
import { appScene, type AppScene } from './scene.js'

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

async function labelScene(given?: Parameters<typeof appScene>[0]): Promise<AppScene & { readonly name: string }> {
  const scene = await appScene(given)
  const run = await askedRun(scene.service.store, 5)
  await answerAll(scene.service.store, run)
  return { ...scene, name: run.name }
}

interface Page {
  readonly labels: readonly (StoredLabel & { readonly place: unknown })[]
  readonly next_cursor: string | null
}

const opinion = (run: string, index: number, fields: object = {}) => ({
  ...{ run, task: 't', doc_index: index, label: 'wrong', note: 'No.', author: 'Ada' },
  ...fields,
})

test('stores a label with its author, and lists it for the run and for the store', async () => {
  const { request, name } = await labelScene()
  const added = await request('/labels', json(opinion(name, 3)))
  expect(added.status).toBe(200)
  const label: unknown = await added.json()
  const place = { task: 't', doc_index: 3 }
  expect(label).toMatchObject({ label: 'wrong', note: 'No.', author: 'Ada', run: name, task: 't', doc_id: '3', place })
  expect(await (await request(`/labels?run=${name}`)).json()).toEqual({ labels: [label], next_cursor: null })
  expect(await (await request('/labels')).json()).toMatchObject({
    labels: [{ author: 'Ada', place: null }],
    next_cursor: null,
  })

  const back = await request('/labels', json(opinion(name, 3, { label: null, note: undefined })))
  expect(await back.json()).toMatchObject({ label: null, note: '' })
  for (const path of ['/labels', `/labels?run=${name}`])
    expect(await (await request(path)).json()).toMatchObject({ labels: [] })
})

test('pages return each current label once, with and without a run', async () => {
  const { request, name } = await labelScene()
  for (const index of [4, 0, 2]) await request('/labels', json(opinion(name, index)))
  await request('/labels', json(opinion(name, 0, { author: 'Bob' })))
  await request('/labels', json(opinion(name, 2, { label: 'right' })))
  const all = async (query: string) => {
    const seen: string[] = []
    for (let after = ''; ;) {
      const page = (await (await request(`/labels?limit=1${query}${after}`)).json()) as Page
      seen.push(
        ...page.labels.map(one => `${(one as unknown as { doc_id: string }).doc_id} ${one.author} ${one.label}`),
      )
      if (page.next_cursor === null) return seen
      after = `&cursor=${page.next_cursor}`
    }
  }
  expect(await all('')).toEqual(['4 Ada wrong', '0 Ada wrong', '0 Bob wrong', '2 Ada right'])
  expect(await all(`&run=${name}`)).toEqual(['0 Ada wrong', '0 Bob wrong', '2 Ada right', '4 Ada wrong'])
  for (const query of ['', `run=${name}&`]) expect((await request(`/labels?${query}cursor=x`)).status).toBe(422)
})

test("the author is the token's name, and a read token can neither label nor tag", async () => {
  const { request, name, token } = await labelScene({ settings: { needsToken: true } })
  const [reader, writer] = [await token('read'), await token('submit')]
  const { authorization } = writer
  expect((await request('/labels', json(opinion(name, 0)))).status).toBe(401)
  expect((await request('/labels', json(opinion(name, 0), { authorization: reader.authorization }))).status).toBe(403)
  const tags = json({ add: ['x'] }, { authorization: reader.authorization })
  expect((await request(`/runs/${name}/tags`, tags)).status).toBe(403)
  const added = await request('/labels', json(opinion(name, 0, { author: 'Somebody else' }), { authorization }))
  expect(await added.json()).toMatchObject({ author: 'n' })
})

test('rejects an unknown label, doc or run, and stores nothing', async () => {
  const { request, name, service } = await labelScene()
  const wrong = [
    [opinion('never', 0), 404],
    [opinion(name, 99), 404],
    [opinion(name, 0, { task: 'other' }), 404],
    [opinion(name, 0, { label: 'good' }), 422],
    [opinion(name, -1), 422],
    [opinion(name, 0, { note: 'x'.repeat(10_001) }), 422],
    [opinion(name, 0, { note: 'a\u0000' }), 422],
    [opinion(name, 0, { author: 'a\nb' }), 422],
    [opinion(name, 0, { stars: 5 }), 422],
  ] as const
  for (const [body, status] of wrong) expect((await request('/labels', json(body))).status).toBe(status)
  const { store } = service
  const pending = await testRun(store, ['t'], { model: { backend: 'dummy', args: { other: true } } })
  await store.docs.commit(pending, 0, questions(1), true)
  const early = await request('/labels', json(opinion(pending.name, 0)))
  expect(early.status).toBe(422)
  expect(await early.text()).toContain('has no answer that can be labelled')
  expect(await (await request('/labels')).json()).toEqual({ labels: [], next_cursor: null })
})

test('adds and removes tags, and runs show them', async () => {
  const { request, name } = await labelScene()
  const change = async (body: unknown) => request(`/runs/${name}/tags`, json(body))
  expect(await (await change({ add: ['b', 'a'] })).json()).toEqual({ run: name, tags: ['a', 'b'] })
  expect(await (await change({ remove: ['b'] })).json()).toEqual({ run: name, tags: ['a'] })
  expect(await (await request('/runs')).json()).toMatchObject({ runs: [{ name, tags: ['a'] }] })
  expect(await (await request(`/runs/${name}`)).json()).toMatchObject({ name, tags: ['a'] })
  for (const body of [{ add: ['<b>'] }, { add: 'a' }, { tags: ['a'] }]) expect((await change(body)).status).toBe(422)
  expect((await request('/runs/never/tags', json({ add: ['a'] }))).status).toBe(404)
})
