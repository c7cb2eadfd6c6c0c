import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './support/cli.js'

test('docs/parity.md agrees with the golden rows', () => {
  const { stderr, status } = spawnSync(process.execPath, [join(root, 'scripts', 'parity.mjs'), '--check'], {
    encoding: 'utf8',
  })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
})
