import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../support/cli.js'
import { between, seededRandom } from '../../support/seeded.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'

/** Works on jobs until none is open. Prints what was acknowledged, and the lease token of each job that it ends. */
const program = `
  const { openStore } = await import(${JSON.stringify(join(root, 'cache/open.ts'))})
  const store = await openStore(process.argv[2])
  const say = text => process.stdout.write(text + '\\n')
  for (;;) {
    const lease = await store.jobs.claim({ maxStarts: 1000 })
    if (lease === undefined) {
      const { queued, running } = await store.jobs.counts()
      if (queued + running === 0) break
      continue
    }
    say('claimed ' + lease.job.id)
    for (let doc = 0; doc < 3; doc++) {
      const kept = await store.jobs.append(lease, [{ type: 'doc', data: { doc, token: lease.token } }], { progress: doc === 2 })
      if (kept) say('appended ' + lease.job.id + ' ' + lease.token + ' ' + doc)
    }
    if (await store.jobs.finish(lease, { status: 'completed', result: { token: lease.token } })) say('finished ' + lease.job.id + ' ' + lease.token)
  }
  await store.close()
`

const workers = 3
const kills = 12
const jobs = 60

test('no job is lost or ends twice when its workers are killed again and again', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const file = join(dir, 'program.mjs')
  await writeFile(file, program)
  const ids = await Promise.all(
    Array.from({ length: jobs }, async () => {
      const { job } = await store.jobs.submit({ id: randomUUID(), request: {}, group: 'g' })
      return job.id
    }),
  )

  const random = seededRandom(1)
  const said: string[] = []
  let killed = 0
  /** Runs until it has printed this many lines, and is then killed. */
  const live = async (lines: number): Promise<void> => {
    const child: ChildProcess = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let heard = 0
    createInterface({ input: child.stdout! }).on('line', line => {
      said.push(line)
      heard += 1
      if (heard === lines) child.kill('SIGKILL')
    })
    await once(child, 'close')
    if (child.signalCode === 'SIGKILL') killed += 1
    else expect(child.exitCode).toBe(0)
  }
  const lane = async (): Promise<void> => {
    for (let life = 0; life < kills / workers; life++) await live(between(random, 1, 12))
  }
  await Promise.all(Array.from({ length: workers }, lane))
  await Promise.all(Array.from({ length: workers }, () => live(Infinity)))

  expect(killed).toBeGreaterThan(kills / 2)
  expect(await store.jobs.counts()).toEqual({ queued: 0, running: 0, completed: jobs, failed: 0, cancelled: 0 })
  const finished = said.filter(line => line.startsWith('finished ')).map(line => line.split(' '))
  expect(new Set(finished.map(([, id]) => id)).size).toBe(finished.length)
  for (const id of ids) {
    const events = await store.jobs.events(id, 0, 1000)
    expect(events.map(event => event.id)).toEqual(events.map((_, index) => index + 1))
    const types = events.map(({ type }) => type)
    expect(types.filter(type => type === 'completed')).toEqual(['completed'])
    expect(types.at(-1)).toBe('completed')
    expect(types.slice(0, 2)).toEqual(['queued', 'started'])
    // Everything acknowledged to a worker is stored once, in order.
    const kept = events
      .filter(({ type }) => type === 'doc')
      .map(({ data }) => data as { readonly token: number; readonly doc: number })
      .map(({ token, doc }) => `appended ${id} ${token} ${doc}`)
    expect(new Set(kept).size).toBe(kept.length)
    expect(said.filter(line => line.startsWith(`appended ${id} `) && !kept.includes(line))).toEqual([])
    const { result } = (await store.jobs.find(id))!
    expect(kept.slice(-3)).toEqual([0, 1, 2].map(doc => `appended ${id} ${(result as { token: number }).token} ${doc}`))
    for (const [, name, token] of finished) if (name === id) expect(result).toEqual({ token: Number(token) })
  }
  expect((await store.upkeep.verify({ repair: false })).damaged).toEqual([])
})
