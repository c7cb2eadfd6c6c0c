import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeOldNode, oldestNode } from '../../src/node-version.js'
import { root } from '../support/cli.js'

test.each(['22.14.0', '22.23.3', '23.0.0', '24.21.0', '26.10.0'])('accepts Node %s', version => {
  expect(describeOldNode(version)).toBeUndefined()
})

test.each(['18.20.8', '20.20.2', '22.13.1'])('says in one line which version it needs on Node %s', version => {
  expect(describeOldNode(version)).toMatch(/^pipeline needs Node 22\.14 or newer, and this is Node \S+ \(.+\)\. .+$/)
})

test('requires the same version as package.json', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
  expect(manifest.engines.node).toBe(`>=${oldestNode}`)
})
