import { spawnSync } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeImportFolder } from '../../../cache/bundle/import.js'
import { thisProcess } from '../../../base/processes/process-identity.js'
import { temporaryFolder } from '../../support/store.js'

test('an import removes files of killed imports of this host, and keeps those of running imports', async () => {
  const { host, pid, startTime } = thisProcess()
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  const dir = await temporaryFolder()
  const mine = `.import-${host}-${pid}-${startTime}-a1B2c3`
  const elsewhere = `.import-not-${host}-${gone}-17-a1B2c3`
  const left = [`.import-${host}-${gone}-17-a1B2c3`, `.import-${host}-${gone}-unknown-a1B2c3`]
  const reused = `.import-${host}-${pid}-${startTime}0-a1B2c3`
  for (const name of [mine, elsewhere, ...left, reused, 'media', '.import-notes'])
    await mkdir(join(dir, name, 'parts'), { recursive: true })
  const made = await makeImportFolder(dir)
  const kept = [mine, elsewhere, 'media', '.import-notes'].map(name => join(dir, name))
  expect((await readdir(dir)).map(name => join(dir, name)).toSorted()).toEqual([made, ...kept].toSorted())
  await makeImportFolder(dir)
  expect(await readdir(dir)).toHaveLength(6)
})

test('an import makes the work folder, which a store on a server does not have before', async () => {
  const dir = join(await temporaryFolder(), 'fresh', '.pipeline')
  const made = await makeImportFolder(dir)
  expect((await readdir(dir)).map(name => join(dir, name))).toEqual([made])
})
