import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bin, root } from '../support/cli.js'

/** The path of a Node that is older than the program needs. */
const node = process.env['PIPELINE_TEST_OLD_NODE']

const run = (...args: string[]): Promise<{ readonly code: number; readonly stderr: string }> =>
  new Promise(resolve => {
    execFile(node ?? '', args, (error, _, stderr) => resolve({ code: Number(error?.code ?? 0), stderr }))
  })

const needs = /pipeline needs Node 22\.14 or newer, and this is Node \d+\.\d+\.\d+ \(.*\)/

describe.skipIf(node === undefined)('on a Node version that is too old (PIPELINE_TEST_OLD_NODE names one)', () => {
  test('the command line prints in one line which version it needs', async () => {
    const { code, stderr } = await run(bin, 'eval', '--model', 'dummy')
    expect(code).toBe(1)
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(needs)])
  })

  test('the library throws an error with that line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const library = pathToFileURL(join(root, 'dist/program/index.js')).href
    await writeFile(
      join(folder, 'program.mjs'),
      `import { evaluate } from '${library}'\nconsole.log(typeof evaluate)\n`,
    )
    const { code, stderr } = await run(join(folder, 'program.mjs'))
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`Error: ${needs.source}`))
  })
})
