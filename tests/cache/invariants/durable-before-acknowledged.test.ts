import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { root } from '../../support/cli.js'
import { committedAnswers } from '../../support/store-look.js'
import { answer, question, temporaryFolder, temporaryStore, testRun } from '../../support/store.js'

const all = { after: 0, limit: 1000, retryFailed: false }
const docs = Array.from({ length: 40 }, (_, index) => question(index))

test('another connection sees an answer as soon as it is acknowledged', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await testRun(store)
  await store.docs.commit(run, 0, docs, true)
  const { leases } = await store.requests.lease(run, all)
  const seen = await Promise.all(
    leases.map(async lease => {
      await answer(store, lease, `answer ${lease.item.doc}`)
      return [...committedAnswers(dir).values()].includes(`answer ${lease.item.doc}`)
    }),
  )
  expect(seen).toEqual(docs.map(() => true))
})

test('does not acknowledge an answer before its transaction is committed', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await testRun(store)
  await store.docs.commit(run, 0, docs, true)
  const { leases } = await store.requests.lease(run, all)
  let acknowledged = 0
  const commits = leases.map(lease => answer(store, lease, 'yes').then(() => (acknowledged += 1)))
  await Promise.resolve()
  expect({ acknowledged, committed: committedAnswers(dir).size }).toEqual({ acknowledged: 0, committed: 0 })
  await Promise.all(commits)
  expect(committedAnswers(dir).size).toBe(docs.length)
})

/** Answers one request after another, and prints each acknowledged text. */
const program = `
  const { openStore } = await import(${JSON.stringify(join(root, 'cache/open.ts'))})
  const store = await openStore(process.argv[2])
  const [run] = await store.runs.list()
  const { leases } = await store.requests.lease(run, { after: 0, limit: 1000, retryFailed: false })
  for (const lease of leases) {
    const body = { text: 'answer ' + lease.item.doc, finishReason: 'stop' }
    await store.requests.commitResponse(lease, body, { durationMs: 1, attempts: 1, answeredAt: 0 })
    process.stdout.write(body.text + '\\n')
  }
  setInterval(() => undefined, 1000)
`

test.each([1, 2, 7, 23])('answers that a process acknowledged survive its kill: %i answers', async times => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  await store.docs.commit(await testRun(store), 0, docs, true)
  const file = join(dir, 'program.mjs')
  await writeFile(file, program)
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', line => {
    acknowledged.push(line)
    if (acknowledged.length === times) child.kill('SIGKILL')
  })
  await once(child, 'close')
  expect(acknowledged.length).toBeGreaterThanOrEqual(times)
  const committed = [...committedAnswers(dir).values()]
  expect(acknowledged.filter(text => !committed.includes(text))).toEqual([])
})
