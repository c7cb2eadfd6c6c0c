import Database from 'better-sqlite3'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeStore } from '../../bench/viewer/make-store.js'
import { projectRoot } from '../../cache/code/project-root.js'
import { openStore } from '../../cache/open.js'
import { openRun } from '../../src/reading/runs/run-reference.js'
import { kindTest } from '../../src/reading/samples/sample-kinds.js'
import { scanSamples } from '../support/scan-samples.js'
import { temporaryFolder } from '../support/store.js'

const samples = 20_000

/** Prepares a run in a process of its own, as the viewer does. */
const preparing = (dir: string, run: string) =>
  spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { openStore } from './dist/cache/open.js'
       import { openRun } from './dist/src/reading/runs/run-reference.js'
       const store = await openStore(${JSON.stringify(dir)})
       store.samples.prepare(await openRun(store, ${JSON.stringify(run)}))
       setInterval(() => undefined, 1000)`,
    ],
    { cwd: projectRoot, stdio: 'ignore' },
  )

/** The number of the build that has samples, and whether it is finished. */
function builds(file: string): readonly { readonly id: number; readonly samples: number }[] {
  if (!existsSync(file)) return []
  const db = new Database(file, { readonly: true })
  try {
    if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'build'").get() === undefined) return []
    return db.prepare<[], { id: number; samples: number }>('SELECT id, samples FROM build WHERE samples > 0').all()
  } finally {
    db.close()
  }
}

test('an index whose process was killed is continued, and finds the same samples as a scan', async () => {
  const dir = await temporaryFolder()
  const [name = ''] = await makeStore(dir, samples, () => undefined)
  const file = join(dir, 'view-index.sqlite')
  const killed = preparing(dir, name)
  await vi.waitFor(() => expect(builds(file)).toHaveLength(1), { timeout: 60_000, interval: 5 })
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const [before] = builds(file)
  const store = await openStore(dir)
  onTestFinished(() => store.close())
  const run = await openRun(store, name)
  const query = { kind: kindTest('wrong'), q: 'mel', sort: 'duration', offset: 100, limit: 20 } as const
  await vi.waitFor(
    async () =>
      expect((await store.samples.find(run, query)).prepared).toEqual({ of: samples, filters: samples, text: samples }),
    { timeout: 120_000, interval: 50 },
  )
  expect(await store.samples.find(run, query)).toEqual(await scanSamples(store).find(run, query))
  expect(builds(file)).toEqual([{ id: before?.id, samples }])
})
