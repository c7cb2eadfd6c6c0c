import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sealFolder } from '../../../cache/location.js'
import { openStore } from '../../../cache/open.js'
import { readOutcome } from '../../../src/evaluation/outcome.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { answerAll, askedRun } from '../../support/store-conformance/scene.js'

describe.skipIf(withoutPostgres !== '')(`a finished run of a server${withoutPostgres}`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
  })
  afterAll(() => cluster.stop())

  test('its tables are written by a process that worked on it, and not by one that only shows it', async () => {
    const store = await openStore(cluster.address('shown'))
    onTestFinished(() => store.close())
    const run = await askedRun(store, 3)
    await answerAll(store, run)
    const { signal } = new AbortController()
    const hooks = { emit: () => undefined, drain: signal, stop: signal }
    const session = { leave: () => store.runs.leave(run) }
    const ended = { store, run, session, isNew: false, hooks, startedAt: 0, stopped: undefined }
    expect(await readOutcome({ ...ended, outcomes: {} })).toMatchObject({ counts: { answered: 3 } })
    expect(existsSync(sealFolder(store, run))).toBe(false)
    await readOutcome({ ...ended, outcomes: { infer: { ended: 'finished', answered: 3, failed: 0 } } })
    expect(existsSync(sealFolder(store, run))).toBe(true)
  })
})
